package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

func newPlansDiffCmd(w *wiring) *cobra.Command {
	opts := &planOptions{}
	c := &cobra.Command{
		Use: "diff [RUNID]", Short: "Show what a revision of a plan changed",
		Long:    "Show what a revision of a plan changed against the one before, as a unified diff\nof the stored texts. Without --revision it is the latest.",
		Example: "  agent plans diff latest\n  agent plans diff 0192abcd --revision 3",
		Args:    argsOf(cobra.MaximumNArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Run = args[0]
			}
			return plansDiffRun(cmd.Context(), w, opts)
		},
	}
	opts.add(c)
	return c
}

// planDifference is the JSON of plans diff.
type planDifference struct {
	From agent.Plan `json:"from"`
	To   agent.Plan `json:"to"`
	Diff string     `json:"diff"`
}

func plansDiffRun(ctx context.Context, w *wiring, opts *planOptions) error {
	f, plans, err := w.plansOf(ctx, opts)
	if err != nil {
		return err
	}
	defer f.store.Close() //nolint:errcheck // only read
	if len(plans) < 2 {
		p := plans[0]
		return exit.Hintf(exit.Usagef("revision %d of plan %s is the first: there is nothing to compare it with", p.Revision, p.Path), "show it: agent plans show %s", f.state.Run.ID)
	}
	from, to := plans[len(plans)-2], plans[len(plans)-1]
	diff, err := planDiff(ctx, f.store, submissionOf(from), submissionOf(to))
	if err != nil {
		return err
	}
	if w.g.machine() {
		return printJSON(w.io.Out, planDifference{from, to, diff})
	}
	out := w.page()
	out.diff(diff)
	return out.show()
}

func submissionOf(p agent.Plan) agent.PlanSubmission {
	return agent.PlanSubmission{Path: p.Path, Digest: p.Digest, Revision: p.Revision}
}
