package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// planOptions select a revision of a plan of a run.
type planOptions struct {
	Run      string
	Path     string
	Revision int
}

func (o *planOptions) add(c *cobra.Command) {
	c.Flags().StringVar(&o.Path, "path", "", "which plan, where the run has several")
	c.Flags().IntVar(&o.Revision, "revision", 0, "which revision (default: the latest)")
}

func newPlansCmd(w *wiring) *cobra.Command {
	c := w.groupCmd("plans", "List, show and compare plans", newPlansListCmd(w), newPlansShowCmd(w), newPlansDiffCmd(w))
	c.Long = "Every revision of every plan is kept as it was submitted, with who decided what,\nwhen and how."
	return c
}

// plansOf opens the run and returns the revisions of the plan meant, oldest
// first, up to and with the revision asked for.
func (w *wiring) plansOf(ctx context.Context, o *planOptions) (*found, []agent.Plan, error) {
	f, err := w.find(ctx, cmp.Or(o.Run, latest))
	if err != nil {
		return nil, nil, err
	}
	plans, err := o.choose(f.state)
	if err != nil {
		_ = f.store.Close() // the first error is the one to tell
		return nil, nil, err
	}
	return f, plans, nil
}

func (o *planOptions) choose(st *agent.State) ([]agent.Plan, error) {
	all := st.Plans()
	if len(all) == 0 {
		return nil, exit.Usagef("run %s has no plan", st.Run.ID)
	}
	path := cmp.Or(o.Path, all[len(all)-1].Path)
	plans := slices.DeleteFunc(slices.Clone(all), func(p agent.Plan) bool { return p.Path != path && p.Submitted != path })
	if len(plans) == 0 {
		return nil, exit.Hintf(exit.Usagef("run %s has no plan %s", st.Run.ID, path), "its plans: %s", planPaths(all))
	}
	if o.Revision == 0 {
		return plans, nil
	}
	at := slices.IndexFunc(plans, func(p agent.Plan) bool { return p.Revision == o.Revision })
	if at < 0 {
		return nil, exit.Usagef("plan %s of run %s has no revision %d: it has 1 to %d", path, st.Run.ID, o.Revision, plans[len(plans)-1].Revision)
	}
	return plans[:at+1], nil
}

func planPaths(plans []agent.Plan) string {
	var paths string
	seen := map[string]bool{}
	for _, p := range plans {
		if !seen[p.Path] {
			seen[p.Path] = true
			paths += fmt.Sprintf("\n  %s", p.Path)
		}
	}
	return paths
}
