package tell

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Open shows one open item in full. Of a plan the text in plans is shown, which is
// what an approval approves, and how it differs from the revision before; without
// one, the text in the payload.
func Open(on *screen.Screen, s agent.Suspension, plans Plans) {
	ref := text.Field(s.Ref(), 80)
	switch s.Kind {
	case agent.KindQuestion:
		printQuestion(on, ref, QuestionOf(s))
	case agent.KindPlan:
		printPlanSubmission(on, ref, s.State, PlanOf(s), plans)
	case agent.KindApproval:
		printApproval(on, ref, s)
	case agent.KindInDoubt:
		var d agent.Doubt
		_ = json.Unmarshal(s.Payload, &d) // an empty message says less, not something else
		on.Heading("in doubt", " (", ref, "): ", callLine(agent.CallPayload{ToolName: s.ToolName, Args: s.Args}))
		on.SetOffHung(Args(s.Args), "    ")
		on.SetOff(d.Message)
	default:
		on.Heading(text.Field(s.ToolName, 40)+" asks", " (", ref, "):")
		on.SetOff(string(s.Payload))
	}
}

func printQuestion(on *screen.Screen, ref string, q Question) {
	how := "free text"
	switch {
	case q.SelectionMode == Several:
		how = "choose one or more"
	case len(q.Options) > 0:
		how = "choose one"
	}
	on.Heading("question", " (", ref, "), ", how, ":")
	on.SetOff(q.Question)
	for _, o := range q.Options {
		line := "- " + text.Line(o.Label)
		if o.Description != "" {
			line += ": " + text.Line(o.Description)
		}
		on.SetOffHung(line, "    ")
	}
}

func printPlanSubmission(on *screen.Screen, ref string, state agent.SuspensionState, p agent.PlanSubmission, plans Plans) {
	what := "plan"
	if state == agent.SuspensionUndecided {
		what = "undecided plan"
	}
	on.Heading(what, " (", ref, "): ", text.Field(p.Title, 100))
	on.Line("  ", text.Field(p.Path, 120), ", revision ", p.Revision, ", ", shortDigest(p.Digest))
	stored, ok := plans[p.Digest]
	if ok {
		p.Plan = stored.Source // with its heading, front matter and whatever else is approved
	}
	if !on.TTY {
		on.SetOff(p.Plan)
		return
	}
	if stored.Was > 0 {
		on.Line(on.Look.Strong(fmt.Sprintf("  changed since revision %d", stored.Was)))
		on.SetOffInk(on.Look.Diff(cmp.Or(stored.Diff, "nothing"), on.Inside()))
		on.Line(on.Look.Strong("  the whole plan"))
	}
	on.SetOffInk(on.Look.Markdown(p.Plan, min(on.Inside(), screen.Readable)))
}

// shortDigest is enough of a digest to tell two apart by eye; commands carry
// the whole of it.
func shortDigest(digest string) string {
	algorithm, sum, _ := strings.Cut(text.Field(digest, 80), ":")
	return algorithm + ":" + sum[:min(len(sum), 12)]
}

func printApproval(on *screen.Screen, ref string, s agent.Suspension) {
	var a agent.ApprovalRequest
	_ = json.Unmarshal(s.Payload, &a) // what is asked for stands in the call itself
	reason := text.Field(a.Reason, 200)
	if reason != "" {
		reason = ": " + reason
	}
	on.Heading("approval", " (", ref, ") of ", text.Field(s.ToolName, 40), reason)
	if d := diffOfArgs(s.ToolName, s.Args); on.TTY && d != nil && s.ToolName == "edit_file" {
		on.Line(on.Look.Strong("  what it would change"))
		d.print(on, 0)
		on.Line(on.Look.Strong("  the whole call"))
	}
	on.SetOffHung(Args(s.Args), "    ")
}

// OpenLine says in a few words what a suspension asks for.
func OpenLine(s agent.Suspension) string {
	switch s.Kind {
	case agent.KindQuestion:
		return "question: " + text.Line(QuestionOf(s).Question)
	case agent.KindPlan:
		return "plan: " + text.Line(PlanOf(s).Title)
	case agent.KindApproval:
		return "approval: " + callLine(agent.CallPayload{ToolName: s.ToolName, Args: s.Args})
	case agent.KindInDoubt:
		return "in doubt: " + text.Line(s.ToolName)
	}
	return text.Line(string(s.Kind)) + ": " + text.Line(s.ToolName)
}
