package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/runstore"
)

type pruneOptions struct {
	confirmFlags
	OlderThan string
	DryRun    bool
	All       bool
}

const pruneLong = `Delete the runs of this workspace that ended long ago: finished with no plan left
to decide, failed or canceled, and not touched for the time given. What waits for
you, is paused or is at work is never deleted.

Nothing is deleted unless this or "agent delete" is called. The file of the
database does not shrink; its room is used again.`

const pruneExample = `  agent prune --older-than 90d --dry-run
  agent prune --older-than 90d --all --yes`

func newPruneCmd(w *wiring) *cobra.Command {
	opts := &pruneOptions{}
	c := &cobra.Command{
		Use: "prune --older-than D", Short: "Delete runs that ended long ago", Long: pruneLong, Example: pruneExample,
		Args: argsOf(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return pruneRun(cmd.Context(), w, opts) },
	}
	f := c.Flags()
	f.StringVar(&opts.OlderThan, "older-than", "", "those not touched for so long, such as 90d, 12w or 36h")
	f.BoolVarP(&opts.DryRun, "dry-run", "n", false, "only say which runs would be deleted")
	f.BoolVar(&opts.All, "all", false, "of every workspace")
	opts.add(c)
	return c
}

// ageOf reads a time span; days and weeks are counted too.
func ageOf(s string) (time.Duration, error) {
	units := map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	for unit, length := range units {
		if number, ok := strings.CutSuffix(s, unit); ok {
			n, err := strconv.Atoi(number)
			if err != nil || n < 0 || n > 100_000 {
				return 0, fmt.Errorf("parse time span %q", s)
			}
			return time.Duration(n) * length, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("parse time span %q", s)
	}
	return d, nil
}

func pruneRun(ctx context.Context, w *wiring, opts *pruneOptions) error {
	if err := refuseInside(w.io, "deleting runs"); err != nil {
		return err
	}
	age, err := ageOf(opts.OlderThan)
	if err != nil {
		return exit.Usagef("--older-than %q: say for how long runs are kept, such as 90d, 12w or 36h", opts.OlderThan)
	}
	q := agent.RunQuery{Statuses: []agent.Status{agent.StatusFinished, agent.StatusFailed, agent.StatusCanceled}, Limit: prunePage}
	if !opts.All {
		workspace, err := w.workspace()
		if err != nil {
			return err
		}
		q.Project = gitdir.Project(workspace)
	}
	store, err := w.readStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // every deletion was committed
	old, err := endedBefore(ctx, store, q, w.io.Now().Add(-age))
	if err != nil {
		return err
	}
	if len(old) > 0 && !opts.DryRun {
		question := fmt.Sprintf("Delete %d %s for good?", len(old), text.Plural(len(old), "run", "runs"))
		if yes, err := opts.confirmed(ctx, w, question, "Delete"); err != nil || !yes {
			return w.kept(err)
		}
		if old, err = deleteAll(ctx, store, old); err != nil {
			return err
		}
	}
	return w.showPruned(old, opts.DryRun)
}

// prunePage is how many runs are looked at a time.
const prunePage = 1000

// endedBefore lists the runs of a query that were not touched since a moment
// and whose plans are decided.
func endedBefore(ctx context.Context, store runstore.Store, q agent.RunQuery, moment time.Time) ([]deletedRun, error) {
	old := []deletedRun{}
	for {
		page, err := store.Runs(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("list runs: %w", err)
		}
		for _, i := range page {
			if !i.Waiting() && i.Updated.Before(moment) {
				old = append(old, deletedOf(i))
			}
		}
		if len(page) < q.Limit {
			return old, nil
		}
		q.Before = page[len(page)-1].ID
	}
}

// deleteAll deletes runs one by one and returns those that are gone now. One
// that somebody took up again meanwhile stays.
func deleteAll(ctx context.Context, store runstore.Store, runs []deletedRun) ([]deletedRun, error) {
	gone := []deletedRun{}
	for _, r := range runs {
		info, err := glance(ctx, store, r.RunID)
		if err == nil && deletedOf(info) != r {
			continue
		}
		if err == nil {
			err = store.Delete(ctx, r.RunID)
		}
		switch {
		case errors.Is(err, agent.ErrBusy), errors.Is(err, agent.ErrRunNotFound):
			continue
		case err != nil:
			return gone, err
		}
		gone = append(gone, r)
	}
	return gone, nil
}

func (w *wiring) showPruned(runs []deletedRun, dry bool) error {
	if w.g.machine() {
		return printJSON(w.io.Out, deletedRuns{Deleted: runs, DryRun: dry})
	}
	t := screen.Table{Head: []string{"ID", "LAST TOUCHED", "STATUS", "TITLE"}, Widest: []int{8, 20, 11, 60}}
	for _, r := range runs {
		t.Add(shortID(r.RunID), r.UpdatedAt, string(r.Status), r.Title)
	}
	if len(runs) > 0 {
		if err := w.printTable(&t); err != nil {
			return err
		}
	}
	verb := "deleted"
	if dry {
		verb = "would be deleted"
	}
	w.tell(fmt.Sprintf("%d %s %s", len(runs), text.Plural(len(runs), "run", "runs"), verb))
	return nil
}
