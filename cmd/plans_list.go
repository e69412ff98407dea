package cmd

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/runstore"
)

type plansListOptions struct {
	Run   string
	Path  string
	All   bool
	Limit int
}

const plansListLong = `List the revisions of the plans of a run, or of the newest runs of this workspace,
with what was decided about each and who decided it.`

func newPlansListCmd(w *wiring) *cobra.Command {
	opts := &plansListOptions{}
	c := &cobra.Command{
		Use: "list [RUNID]", Aliases: []string{"ls"}, Short: "List plans and what became of them",
		Long:    plansListLong,
		Example: "  agent plans list\n  agent plans list latest --output json\n  agent plans list --all --limit 0",
		Args:    argsOf(cobra.MaximumNArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Run = args[0]
			}
			return plansListRun(cmd.Context(), w, opts)
		},
	}
	c.Flags().StringVar(&opts.Path, "path", "", "only this plan")
	c.Flags().BoolVar(&opts.All, "all", false, "of every workspace")
	c.Flags().IntVar(&opts.Limit, "limit", defaultListLimit, "at most so many where no run is named; 0 for all")
	return c
}

func plansListRun(ctx context.Context, w *wiring, opts *plansListOptions) error {
	if opts.All && opts.Run != "" {
		return exit.Usagef("--all and a run contradict each other: use one of them")
	}
	if opts.Limit < 0 {
		return exit.Usagef("--limit %d: give a number from 0", opts.Limit)
	}
	plans, err := w.listPlans(ctx, opts)
	if err != nil {
		return err
	}
	if w.g.machine() {
		return printList(w, "plans", plans)
	}
	if len(plans) == 0 {
		w.tell("no plans")
		return nil
	}
	t := screen.Table{Head: []string{"RUN", "PLAN", "REV", "DECISION", "BY", "TITLE"}, Widest: []int{8, 60, 5, 10, 30, 60}}
	for _, p := range plans {
		t.Add(shortID(p.RunID), p.Path, strconv.Itoa(p.Revision), p.Decision, p.By, p.Title)
	}
	return w.printTable(&t)
}

func (w *wiring) listPlans(ctx context.Context, opts *plansListOptions) ([]agent.Plan, error) {
	workspace, err := w.workspace()
	if err != nil {
		return nil, err
	}
	store, err := w.readStore(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close() //nolint:errcheck // only read
	q := runstore.PlanQuery{Path: opts.Path}
	switch {
	case opts.Run != "":
		if q.RunID, err = selectRun(ctx, store, opts.Run, gitdir.Project(workspace), w.io.Now()); err != nil {
			return nil, err
		}
	case opts.All:
		q.Limit = opts.Limit
	default:
		q.Project, q.Limit = gitdir.Project(workspace), opts.Limit
	}
	plans, err := store.Plans(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list plans: %w", err)
	}
	return append([]agent.Plan{}, plans...), nil
}
