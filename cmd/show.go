package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

const showLong = `Show a run: where it stands, what happened, its plans with their digests and
decisions, what is open and how to go on.

With --output json it is the final object with "events" and "plans" beside it;
with jsonl each event is a line, then the result.`

func newShowCmd(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use: "show RUNID", Short: "Show a run", Long: showLong,
		Example: "  agent show latest\n  agent show 0192abcd --output json",
		Args:    argsOf(cobra.ExactArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error { return showRun(cmd.Context(), w, args[0]) },
	}
}

func showRun(ctx context.Context, w *wiring, word string) error {
	f, err := w.find(ctx, word)
	if err != nil {
		return err
	}
	defer f.store.Close() //nolint:errcheck // only read
	events := f.givenOut(f.snap.Events, 0)
	if w.g.machine() {
		return w.showJSON(f, events)
	}
	p, err := w.proofOf(ctx, f, false)
	if err != nil {
		return err
	}
	return w.showText(f, events, sourcesOf(ctx, f.store, f.state), p.verdict())
}

// shownRun is the JSON of show: the final object with the journal and the
// plans.
type shownRun struct {
	report.Final
	Grants []shownGrant  `json:"grants"`
	Events []agent.Event `json:"events"`
	Plans  []agent.Plan  `json:"plans"`
}

func (w *wiring) showJSON(f *found, events []agent.Event) error {
	plans := append([]agent.Plan{}, f.state.Plans()...)
	r := shownRun{report.Of(f.state, f.snap.Current(), placed(w.prefix(), f.state.Run)), grantsOf(events), events, plans}
	if w.g.Output == outputJSON {
		return printJSON(w.io.Out, r)
	}
	for _, e := range events {
		if err := printJSON(w.io.Out, e); err != nil {
			return err
		}
	}
	r.Events = []agent.Event{} // they were the lines before
	return printJSON(w.io.Out, resultLine{Type: "result", Payload: r})
}

func (w *wiring) showText(f *found, events []agent.Event, sources tell.Plans, verdict string) error {
	out := w.page()
	printHeader(out.Screen, f.state, f.snap)
	printVerdict(out.Screen, verdict)
	out.Line()
	out.Line(out.Look.Strong("Timeline"))
	var t tell.Timeline
	for _, e := range events {
		if line := t.Line(e); line != "" {
			out.Line("  ", out.Look.Faint(clock(e.At)), "  ", text.Truncate(line, out.Fit(160, 23)))
		}
	}
	printGrants(out.Screen, grantsOf(events))
	printPlans(out.Screen, f.state.Plans())
	if open := f.state.Open(); len(open) > 0 {
		out.Line()
		out.Line(out.Look.Strong("Open"))
		for _, s := range open {
			tell.Open(out.Screen, s, sources)
		}
	}
	if list := next.Of(f.state, f.snap.Current(), placed(w.prefix(), f.state.Run)); len(list) > 0 {
		out.Line()
		next.Print(out.Screen, list)
	}
	return out.show()
}

func printHeader(out *screen.Screen, st *agent.State, snap agent.Snapshot) {
	run := st.Run
	status := strings.TrimPrefix(tell.Status(run, snap.Current()), "run "+run.ID+" ")
	if snap.Current() == agent.StatusRunning && snap.Owner != nil {
		status += fmt.Sprintf(", driven by %s since %s", snap.Owner, clock(snap.Owner.Since))
	}
	for _, row := range [][2]string{
		{"Run", run.ID}, {"Title", run.Title}, {"Status", status}, {"Mode", run.Mode}, {"Model", modelLine(run)},
		{"Workspace", run.Workspace}, {"Started", clock(run.Created)}, {"Usage", usageLine(st)},
	} {
		out.Line(out.Look.Faint(text.Pad(row[0]+":", 10)), " ", text.Field(row[1], out.Fit(400, 11)))
	}
}

// modelLine is the model of a run, and how much it is to think.
func modelLine(run agent.Run) string {
	if run.Thinking == "" {
		return run.Model
	}
	return run.Model + ", thinking " + run.Thinking
}

// usageLine is what a run used; with more than one mode, in each.
func usageLine(st *agent.State) string {
	line := strings.Join(tell.Usage(st.Run.Usage), ", ")
	modes := st.UsageByMode()
	if len(modes) < 2 {
		return line
	}
	parts := make([]string, len(modes))
	for i, m := range modes {
		parts[i] = m.Mode + " " + strings.Join(tell.Usage(m.Usage), ", ")
	}
	return line + " (" + strings.Join(parts, "; ") + ")"
}

func printPlans(out *screen.Screen, plans []agent.Plan) {
	if len(plans) == 0 {
		return
	}
	out.Line()
	out.Line(out.Look.Strong("Plans"))
	for _, p := range plans {
		out.Line("  ", text.Field(p.Path, 120), ", revision ", p.Revision, changedBy(p), ": ", text.Field(p.Title, 100))
		out.Digest("    ", p.Digest)
		out.Line("    ", decisionLine(p))
	}
}

// decisionLine says what became of a plan, by whom and when.
func decisionLine(p agent.Plan) string {
	line := p.Decision
	if p.By != "" {
		line += " by " + p.By
	}
	if p.DecidedAt != nil {
		line += " at " + clock(*p.DecidedAt)
	}
	if p.Feedback != "" {
		line += ": " + p.Feedback
	}
	return text.Field(line, 300)
}
