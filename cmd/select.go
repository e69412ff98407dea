package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// Shortest piece of a run ID that selects a run, and how much of it lists show.
const (
	shortestPart = 4
	shownPart    = 8
	latest       = "latest"
)

// shownCandidates is how many runs are named that a word could mean.
const shownCandidates = 10

// lister is the part of a store that finds runs.
type lister interface {
	Runs(ctx context.Context, q agent.RunQuery) ([]agent.RunInfo, error)
	Epoch(ctx context.Context, runID string) (int64, error)
}

// found is a run a reading command looks at.
type found struct {
	store runstore.Store
	state *agent.State
	snap  agent.Snapshot
}

// find opens the database and reads the run a word means.
func (w *wiring) find(ctx context.Context, word string) (*found, error) {
	store, id, err := w.findID(ctx, word)
	if err != nil {
		return nil, err
	}
	f := &found{store: store}
	if f.state, f.snap, err = loadRun(ctx, store, id); err != nil {
		_ = store.Close() // the first error is the one to tell
		return nil, err
	}
	return f, nil
}

// findID opens the database and finds the run a word means.
func (w *wiring) findID(ctx context.Context, word string) (runstore.Store, string, error) {
	project := ""
	if word == latest || w.g.Dir != "" {
		workspace, err := w.workspace()
		if err != nil {
			return nil, "", err
		}
		project = gitdir.Project(workspace)
	}
	store, err := w.readStore(ctx)
	if err != nil {
		return nil, "", err
	}
	id, err := selectRun(ctx, store, word, project, w.io.Now())
	if err != nil {
		_ = store.Close() // the first error is the one to tell
		return nil, "", err
	}
	w.reach(id)
	return store, id, nil
}

// glance reads a run without its journal.
func glance(ctx context.Context, store runstore.Store, runID string) (agent.RunInfo, error) {
	runs, err := store.Runs(ctx, agent.RunQuery{IDPart: runID, Limit: 1})
	if err != nil {
		return agent.RunInfo{}, fmt.Errorf("look at run %s: %w", runID, err)
	}
	if len(runs) == 0 || runs[0].ID != runID {
		return agent.RunInfo{}, fmt.Errorf("%w: %s", agent.ErrRunNotFound, runID)
	}
	return runs[0], nil
}

// reach notes which run the command is about: should it fail, its final object
// is that of the run as it then stands.
func (w *wiring) reach(id string) {
	w.g.reached = func() report.Final {
		r := report.Empty()
		r.RunID = id
		ctx := context.Background() // a signal is no reason to tell less
		store, err := w.readStore(ctx)
		if err != nil {
			return r
		}
		defer store.Close() //nolint:errcheck // only read
		st, snap, err := loadRun(ctx, store, id)
		if err != nil {
			return r
		}
		return report.Of(st, snap.Current(), placed(w.prefix(), st.Run))
	}
}

// report is the final object of the run a command was about, empty if it
// reached none.
func (g *globals) report() report.Final {
	if g.reached == nil || !g.machine() && g.result.path == "" {
		return report.Empty()
	}
	return g.reached()
}

// selectRun returns the ID of the run a word on the command line means: a full
// ID, a unique prefix or suffix of four characters or more, or "latest", the
// newest of this workspace.
func selectRun(ctx context.Context, store lister, word, project string, now time.Time) (string, error) {
	if word == latest {
		return latestRun(ctx, store, project, now)
	}
	if len(strings.ReplaceAll(word, "-", "")) < shortestPart {
		return "", exit.Usagef("run %q: give at least %d characters of its ID, or %q", word, shortestPart, latest)
	}
	if _, err := store.Epoch(ctx, word); err == nil {
		return word, nil // an ID in full, whichever others begin with it
	}
	runs, err := store.Runs(ctx, agent.RunQuery{IDPart: word, Limit: shownCandidates + 1})
	if err != nil {
		return "", fmt.Errorf("find run %q: %w", word, err)
	}
	switch len(runs) {
	case 0:
		return "", exit.Hintf(fmt.Errorf("find run %q: %w", word, agent.ErrRunNotFound), "list all runs: agent list --all")
	case 1:
		return runs[0].ID, nil
	}
	return "", fmt.Errorf("run %q: %w: it could mean\n%s", word, agent.ErrAmbiguous, candidates(runs))
}

// clocksApart is how far the clocks of machines that runs travel between may be
// apart.
const clocksApart = time.Minute

// latestRun trusts no clock that was set back: which of several runs is the
// newest cannot be told by a time that has not come yet.
func latestRun(ctx context.Context, store lister, project string, now time.Time) (string, error) {
	runs, err := store.Runs(ctx, agent.RunQuery{Project: project, Limit: 2})
	if err != nil {
		return "", fmt.Errorf("find latest run: %w", err)
	}
	if len(runs) == 0 {
		err := fmt.Errorf("find latest run: %w: there is none in this workspace", agent.ErrRunNotFound)
		return "", exit.Hintf(err, "runs of every workspace: agent list --all")
	}
	if made := runs[0].Created; len(runs) > 1 && made.After(now.Add(clocksApart)) {
		err := fmt.Errorf("find latest run: %w: by the clock it is %s, and a run here is of %s", agent.ErrAmbiguous, clock(now), clock(made))
		return "", exit.Hintf(err, "name the run: agent list")
	}
	return runs[0].ID, nil
}

func candidates(runs []agent.RunInfo) string {
	var b strings.Builder
	for i, r := range runs {
		if i == shownCandidates {
			b.WriteString("  … and more\n")
			break
		}
		fmt.Fprintf(&b, "  %s  %s  %s\n", r.ID, r.Current(), text.Field(r.Title, 60))
	}
	return strings.TrimRight(b.String(), "\n")
}

// shortID is what lists show of a run ID: its end, because IDs made in the
// same weeks begin alike.
func shortID(id string) string {
	if len(id) <= shownPart {
		return id
	}
	return id[len(id)-shownPart:]
}
