package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/runstore"
)

type listOptions struct {
	All     bool
	Status  []string
	Waiting bool
	Search  string
	Before  string
	Limit   int
}

const listLong = `List the runs of this workspace, newest first: of this git repository with all its
worktrees and subdirectories, else of this directory.

IDs are shown by their end, which every command accepts. With --all --waiting the
list is your inbox: what waits for you in any workspace.`

const listExample = `  agent list --waiting
  agent list --all --waiting --output json
  agent list --all --status suspended --status paused
  agent list --search "dark mode" --output json`

const defaultListLimit = 50

// longestSearch bounds a search, in characters: beyond, it would be more than
// the database takes.
const longestSearch = 1000

func newListCmd(w *wiring) *cobra.Command {
	opts := &listOptions{}
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List runs", Long: listLong, Example: listExample,
		Args: argsOf(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return listRun(cmd.Context(), w, opts) },
	}
	f := c.Flags()
	f.BoolVar(&opts.All, "all", false, "of every workspace")
	f.StringArrayVar(&opts.Status, "status", nil, "only of this status (repeat for several): "+strings.Join(statusNames(), ", "))
	f.BoolVar(&opts.Waiting, "waiting", false, "only those that wait for you, undecided plans of finished runs too")
	f.StringVar(&opts.Search, "search", "", "only those in whose prompt, title, questions or plans each of these words occurs, inside longer words too")
	f.StringVar(&opts.Before, "before", "", "only runs older than this one: the last of a page for the next")
	f.IntVar(&opts.Limit, "limit", defaultListLimit, "at most so many; 0 for all")
	_ = c.RegisterFlagCompletionFunc("before", w.completeRuns)
	_ = c.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(statusNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func statusNames() []string {
	var names []string
	for _, s := range []agent.Status{
		agent.StatusRunning, agent.StatusSuspended, agent.StatusPaused, agent.StatusInterrupted,
		agent.StatusFailed, agent.StatusFinished, agent.StatusCanceled,
	} {
		names = append(names, string(s))
	}
	return names
}

func (o *listOptions) query(w *wiring) (agent.RunQuery, error) {
	q := agent.RunQuery{Waiting: o.Waiting, Search: o.Search, Limit: o.Limit}
	if o.Limit < 0 {
		return q, exit.Usagef("--limit %d: give a number from 0", o.Limit)
	}
	if n := utf8.RuneCountInString(o.Search); n > longestSearch {
		return q, exit.Usagef("--search has %d characters, at most %d are taken", n, longestSearch)
	}
	for _, s := range o.Status {
		if !slices.Contains(statusNames(), s) {
			return q, exit.Usagef("--status %q: use one of %s; what waits for you is --waiting", s, strings.Join(statusNames(), ", "))
		}
		q.Statuses = append(q.Statuses, agent.Status(s))
	}
	if o.All {
		return q, nil
	}
	workspace, err := w.workspace()
	q.Project = gitdir.Project(workspace)
	return q, err
}

func listRun(ctx context.Context, w *wiring, opts *listOptions) error {
	q, err := opts.query(w)
	if err != nil {
		return err
	}
	store, err := w.readStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // only read
	if opts.Before != "" {
		if q.Before, err = selectRun(ctx, store, opts.Before, q.Project, w.io.Now()); err != nil {
			return err
		}
	}
	runs, err := store.Runs(ctx, q)
	if err != nil {
		return fmt.Errorf("list runs: %w", err)
	}
	if !w.g.machine() {
		return w.printRuns(runs, opts)
	}
	items, err := listed(ctx, store, runs, w.prefix())
	if err != nil {
		return err
	}
	return printList(w, "runs", items)
}

// listedRun is a run in the JSON of list.
type listedRun struct {
	RunID       string              `json:"runId"`
	Title       string              `json:"title"`
	Status      agent.Status        `json:"status"`
	Reason      agent.PauseReason   `json:"reason"`
	Mode        string              `json:"mode"`
	Model       string              `json:"model"`
	Workspace   string              `json:"workspace"`
	CreatedAt   time.Time           `json:"createdAt"`
	UpdatedAt   time.Time           `json:"updatedAt"`
	Suspensions []report.Suspension `json:"suspensions"`
	Plan        *report.Plan        `json:"plan"`
	Next        []next.Command      `json:"next"`
}

// listed adds the last plan of each run and what can be done about it. Only
// for an undecided plan the journal has to be read.
func listed(ctx context.Context, store runstore.Store, runs []agent.RunInfo, prefix []string) ([]listedRun, error) {
	items := []listedRun{}
	plans, err := lastPlans(ctx, store, runs)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		item := listedRun{
			RunID: r.ID, Title: r.Title, Status: r.Current(), Reason: r.Reason, Mode: r.Mode, Model: r.Model,
			Workspace: r.Workspace, CreatedAt: r.Created, UpdatedAt: r.Updated, Suspensions: report.Suspensions(r.Open),
		}
		if p, ok := plans[r.ID]; ok {
			item.Plan = report.PlanOf(p)
		}
		waiting := r.Open
		if r.Undecided {
			st, _, err := loadRun(ctx, store, r.ID)
			if err != nil {
				return nil, err
			}
			waiting = next.Waiting(st)
		}
		item.Next = next.For(r.Run, item.Status, waiting, placed(prefix, r.Run))
		items = append(items, item)
	}
	return items, nil
}

// lastPlans are the plans submitted last, by their runs.
func lastPlans(ctx context.Context, store runstore.Store, runs []agent.RunInfo) (map[string]agent.Plan, error) {
	last := map[string]agent.Plan{}
	if len(runs) == 0 {
		return last, nil
	}
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	plans, err := store.Plans(ctx, runstore.PlanQuery{RunIDs: ids})
	if err != nil {
		return nil, fmt.Errorf("list plans of %d runs: %w", len(ids), err)
	}
	for _, p := range plans { // as they were submitted
		last[p.RunID] = p
	}
	return last, nil
}

// none says that the list is empty: of what there is, and where.
func (o *listOptions) none() string {
	what := "no runs"
	if o.Waiting || o.Search != "" || o.Before != "" || len(o.Status) > 0 {
		what = "no such runs"
	}
	if o.All {
		return what
	}
	return what + " in this workspace (--all looks in every workspace)"
}

func (w *wiring) printRuns(runs []agent.RunInfo, opts *listOptions) error {
	if len(runs) == 0 {
		w.tell(opts.none())
		return nil
	}
	t := screen.Table{Head: []string{"ID", "AGE", "STATUS", "MODE", "TITLE", "OPEN"}, Widest: []int{8, 4, 11, 16, 40, 60}}
	now := w.io.Now()
	for _, r := range runs {
		t.Add(shortID(r.ID), text.Age(now, r.Created), string(r.Current()), r.Mode, r.Title, openCell(r))
	}
	return w.printTable(&t)
}

// openCell says what a run waits for.
func openCell(r agent.RunInfo) string {
	var cells []string
	for _, s := range r.Open {
		cells = append(cells, tell.OpenLine(s))
	}
	if r.Undecided {
		cells = append(cells, "plan: undecided")
	}
	return text.Line(strings.Join(cells, "; "))
}
