package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

type plansShowOptions struct {
	planOptions
	Raw bool
}

const plansShowLong = `Show a plan as it was submitted, from the database: not the file, which may have
changed since. Invisible characters are shown marked, as <U+202E>.

--raw prints the stored bytes alone. On a terminal invisible characters stay
marked even then.`

func newPlansShowCmd(w *wiring) *cobra.Command {
	opts := &plansShowOptions{}
	c := &cobra.Command{
		Use: "show [RUNID]", Short: "Show a plan as it was submitted", Long: plansShowLong,
		Example: "  agent plans show latest\n  agent plans show 0192abcd --revision 1 --raw > plan.md",
		Args:    argsOf(cobra.MaximumNArgs(1)), ValidArgsFunction: w.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Run = args[0]
			}
			return plansShowRun(cmd.Context(), w, opts)
		},
	}
	opts.add(c)
	c.Flags().BoolVar(&opts.Raw, "raw", false, "print the stored bytes and nothing else")
	return c
}

// shownPlan is a plan in the JSON of plans show.
type shownPlan struct {
	agent.Plan
	Source string `json:"source"` // the file's text
}

func plansShowRun(ctx context.Context, w *wiring, opts *plansShowOptions) error {
	if opts.Raw && w.g.machine() {
		return usagef("--raw and --output %s contradict each other: the JSON holds the text as \"source\"", w.g.Output)
	}
	f, plans, err := w.plansOf(ctx, &opts.planOptions)
	if err != nil {
		return err
	}
	defer f.store.Close() //nolint:errcheck // only read
	p := plans[len(plans)-1]
	source, err := planSource(ctx, f.store, p.Digest)
	if err != nil {
		return err
	}
	switch {
	case w.g.machine():
		return printJSON(w.io.Out, shownPlan{p, source})
	case opts.Raw && !w.io.OutTTY:
		_, err := w.io.Out.Write([]byte(source))
		return err
	case opts.Raw:
		return w.printPlan("", source)
	}
	return w.printPlan(planHeader(p), source)
}

func planHeader(p agent.Plan) string {
	return fmt.Sprintf("%s\n%s, revision %d\n%s\n%s\n\n", oneLine(p.Title, 200), oneLine(p.Path, 200), p.Revision, p.Digest, decisionLine(p))
}

func (w *wiring) printPlan(header, source string) error {
	out := w.io.cleaned(w.io.Out)
	fmt.Fprint(out, header, text.Mark(source))
	return out.Flush()
}
