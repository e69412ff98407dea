package cmd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/survey"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/tools"
)

type verifyOptions struct {
	Run string
	Now bool
}

const verifyLong = `Verify that a run wrote nothing in the workspace while it was in modes that cannot
write it, such as plan, but its plans.

A run looks at the workspace whenever it is taken up and before it is given up,
so also when a plan is submitted: path, size, times, mode and inode of every file,
ignored ones too, and the content of those that differ. The looks are in its
journal; verify compares them. What changed while the run waited is not its doing
and is told apart.

Exit 0: nothing changed. Exit 1: something did. Exit 2: it cannot be told, as for a
workspace too large to be looked at, or a run that was in no such mode.`

const verifyExample = `  agent verify latest
  agent verify latest --now
  agent verify 0192abcd --output json`

func newVerifyCmd(w *wiring) *cobra.Command {
	opts := &verifyOptions{}
	c := &cobra.Command{
		Use: "verify RUNID", Short: "Verify that plan mode wrote nothing", Long: verifyLong, Example: verifyExample,
		Args: argsOf(cobra.ExactArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Run = args[0]
			return verifyRun(cmd.Context(), w, opts)
		},
	}
	c.Flags().BoolVar(&opts.Now, "now", false, "also compare the last look with the workspace as it is now")
	return c
}

// proof is the JSON of verify.
type proof struct {
	RunID     string           `json:"runId"`
	Workspace string           `json:"workspace"`
	Verdict   string           `json:"verdict"` // unchanged, changed, unknown, none
	Stretches []survey.Stretch `json:"stretches"`
	Now       *survey.Stretch  `json:"now"` // since the last look; null unless asked for
	ExitCode  int              `json:"exitCode"`
}

func verifyRun(ctx context.Context, w *wiring, opts *verifyOptions) error {
	f, err := w.find(ctx, opts.Run)
	if err != nil {
		return err
	}
	defer f.store.Close() //nolint:errcheck // only read
	p, err := w.proofOf(ctx, f, opts.Now)
	if err != nil {
		return err
	}
	if w.g.machine() {
		if err := printJSON(w.io.Out, p); err != nil {
			return err
		}
		return exit.With(p.ExitCode)
	}
	out := w.page()
	printProof(out.Screen, p)
	if err := out.show(); err != nil {
		return err
	}
	return exit.With(p.ExitCode)
}

// proofOf compares the looks at a run's workspace.
func (w *wiring) proofOf(ctx context.Context, f *found, now bool) (proof, error) {
	run := f.state.Run
	p := proof{RunID: run.ID, Workspace: run.Workspace}
	db, err := w.dbPath()
	if err != nil {
		return p, err
	}
	s := w.surveyor(f.store, db, nil)
	looks, plans := f.state.Surveys(), w.plansDir(run)
	if p.Stretches, err = s.Stretches(ctx, looks, plans); err != nil {
		return p, err
	}
	if now {
		if p.Now, err = s.Since(ctx, run, looks, plans, w.io.Now()); err != nil {
			return p, err
		}
		p.closeLast()
	}
	p.Verdict = survey.VerdictOf(p.Stretches)
	switch {
	case p.Verdict == survey.Changed || now && len(p.Now.Differences) > 0:
		p.ExitCode = exit.Failure
	case p.Verdict != survey.Unchanged || now && p.Now.Problem != "":
		p.ExitCode = exit.Usage
	}
	return p, nil
}

// closeLast takes the look at the workspace as it is now for the one that the
// run itself has not taken yet, or could not.
func (p *proof) closeLast() {
	n := len(p.Stretches)
	if n == 0 || !p.Stretches[n-1].Open {
		return
	}
	last := &p.Stretches[n-1]
	last.To, last.Files, last.Differences, last.Plans, last.Outputs, last.Problem = p.Now.To, p.Now.Files, p.Now.Differences, p.Now.Plans, p.Now.Outputs, p.Now.Problem
}

// plansDir is where plans lie in a run's workspace. A configuration that cannot
// be read does not keep anybody from looking.
func (w *wiring) plansDir(run agent.Run) string {
	cfg, err := w.configuration(run.Workspace, false)
	if err != nil {
		return tools.DefaultPlansDir
	}
	return cmp.Or(cfg.PlansDir.Value, tools.DefaultPlansDir)
}

// surveyor is one over the database at db. mask may be nil.
func (w *wiring) surveyor(store blobs, db string, mask func([]byte) []byte) *survey.Surveyor {
	if mask == nil {
		return survey.New(store, w.denied(db), nil)
	}
	return survey.New(store, w.denied(db), func(data []byte) bool { return !bytes.Equal(mask(data), data) })
}

// printProof says what was proved, and then what it rests on.
func printProof(out *screen.Screen, p proof) {
	ro := survey.ReadOnly(p.Stretches)
	line := verdictLine(p.Verdict, modesOf(ro))
	switch p.Verdict {
	case survey.Unchanged:
		out.Line(out.Look.Good(line))
	case survey.Changed:
		out.Line(out.Look.Bad(line))
	default:
		out.Line(out.Look.Warn(line))
	}
	for _, one := range ro {
		printStretch(out, one, fmt.Sprintf("in %s mode, %s", one.Mode, span(one)))
	}
	for _, one := range p.Stretches {
		if !one.Driven && len(one.Differences) > 0 {
			printStretch(out, one, "while the run waited, so not its doing, "+span(one))
		}
	}
	if p.Now != nil {
		printStretch(out, *p.Now, "since the last look, "+span(*p.Now))
	}
}

// verdictLine is a verdict in words. modes are those it is about.
func verdictLine(verdict, modes string) string {
	switch verdict {
	case survey.Unchanged:
		return "unchanged: nothing was written in " + modes + " mode but plans"
	case survey.Changed:
		return "changed: the workspace did not stay as it was in " + modes + " mode"
	case survey.Unknown:
		return "unknown: not everything was looked at in " + modes + " mode"
	}
	return "nothing to verify: the run was in no mode that cannot write the workspace, or it was not looked at"
}

func modesOf(list []survey.Stretch) string {
	var modes []string
	for _, one := range list {
		if !slices.Contains(modes, one.Mode) {
			modes = append(modes, one.Mode)
		}
	}
	return strings.Join(modes, " and ")
}

func span(one survey.Stretch) string {
	return fmt.Sprintf("%s to %s", clock(one.From), clock(one.To))
}

func printStretch(out *screen.Screen, one survey.Stretch, when string) {
	what := fmt.Sprintf("%d of %d files differ", len(one.Differences), one.Files)
	switch {
	case one.Problem != "":
		what = "not known"
	case len(one.Differences) == 0:
		what = fmt.Sprintf("none of %d %s differs", one.Files, text.Plural(int(one.Files), "file", "files"))
	}
	if one.Died {
		what += "; its process died, so what changed until the run was taken up again counts too"
	}
	out.Line("  ", when, ": ", what)
	if one.Problem != "" {
		out.Line("    ", text.Field(one.Problem, out.Fit(200, 4)))
	}
	for i, d := range one.Differences {
		if i == shownDifferences && !out.TTY {
			out.Line("    … and ", len(one.Differences)-i, " more (--output json has all)")
			break
		}
		out.Line("    ", text.Pad(string(d.Kind), 8), " ", text.Field(d.Path, out.Fit(400, 13)))
	}
	if len(one.Plans) > 0 {
		out.Line("    ", out.Look.Faint("plans: "+text.Field(strings.Join(one.Plans, ", "), out.Fit(400, 11))))
	}
	if len(one.Outputs) > 0 {
		out.Line("    ", out.Look.Faint("left out, the agent's own output was written there: "+text.Field(strings.Join(one.Outputs, ", "), out.Fit(400, 58))))
	}
}

// shownDifferences is how many paths of a stretch are listed.
const shownDifferences = 50

// verdict is what was proved, for one row of show; "" if there was nothing to
// prove.
func (p proof) verdict() string {
	modes := modesOf(survey.ReadOnly(p.Stretches))
	switch p.Verdict {
	case survey.Unchanged:
		return modes + " mode wrote nothing but plans"
	case survey.Changed:
		return "the workspace changed in " + modes + " mode (agent verify)"
	case survey.Unknown:
		return "not known of " + modes + " mode (agent verify)"
	}
	return ""
}

func printVerdict(out *screen.Screen, verdict string) {
	if verdict != "" {
		out.Line(out.Look.Faint(text.Pad("Verified:", 10)), " ", text.Field(verdict, out.Fit(400, 11)))
	}
}
