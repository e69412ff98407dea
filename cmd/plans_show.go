package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

type plansShowOptions struct {
	planOptions
	Raw bool
}

const plansShowLong = `Show a plan as it was submitted, from the database: not the file, which may have
changed since. On a terminal it is laid out, through PAGER where it is long; what
a browser would hide (comments, link targets, invisible characters) is shown.

--raw prints the stored bytes alone. On a terminal, which would obey some of
them, invisible characters stay marked even then, as <U+202E>.`

func newPlansShowCmd(w *wiring) *cobra.Command {
	opts := &plansShowOptions{}
	c := &cobra.Command{
		Use: "show [RUNID]", Short: "Show a plan as it was submitted", Long: plansShowLong,
		Example: "  agent plans show latest\n  agent plans show 0192abcd --revision 1 --raw > plan.md",
		Args:    argsOf(cobra.MaximumNArgs(1)), ValidArgsFunction: w.completeRun,
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
		return exit.Usagef("--raw and --output %s contradict each other: the JSON holds the text as \"source\"", w.g.Output)
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
	}
	out := w.page()
	if !opts.Raw {
		printPlanHeader(out.Screen, p)
	}
	if opts.Raw || !out.TTY {
		out.Put(text.Mark(source))
	} else {
		out.Put(out.Look.Markdown(source, min(out.Width(), screen.Readable)))
	}
	return out.show()
}

func printPlanHeader(out *screen.Screen, p agent.Plan) {
	out.Line(out.Look.Strong(text.Field(p.Title, 200)))
	out.Line(text.Field(p.Path, 200), ", revision ", p.Revision, changedBy(p))
	out.Digest("", p.Digest)
	out.Line(decisionLine(p))
	out.Line()
}

// changedBy says who changed a plan during review, if it is not as the agent
// wrote it.
func changedBy(p agent.Plan) string {
	switch p.Author {
	case agent.AuthorAgent:
		return ""
	case agent.AuthorPerson:
		return ", changed during review"
	}
	return ", changed during review by " + text.Field(p.Author, 80)
}
