package cmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// oneLine is text that is not ours as a field of a line of ours.
func oneLine(s string, width int) string { return text.Truncate(text.Line(s), width) }

// questionPayload is the suspend payload of a question.
type questionPayload struct {
	Question string `json:"question"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
	SelectionMode string `json:"selectionMode"`
}

const multiSelect = "multi_select"

func questionOf(s agent.Suspension) questionPayload {
	var q questionPayload
	_ = json.Unmarshal(s.Payload, &q) // another shape is shown as a question without words
	return q
}

func planOf(s agent.Suspension) agent.PlanSubmission {
	var p agent.PlanSubmission
	_ = json.Unmarshal(s.Payload, &p) // likewise
	return p
}

// printSuspension shows one open item in full.
func printSuspension(on *screen.Screen, s agent.Suspension, sources planSources) {
	ref := oneLine(s.Ref(), 80)
	switch s.Kind {
	case agent.KindQuestion:
		printQuestion(on, ref, questionOf(s))
	case agent.KindPlan:
		printPlanSubmission(on, ref, s.State, planOf(s), sources)
	case agent.KindApproval:
		printApproval(on, ref, s)
	case agent.KindInDoubt:
		var d agent.Doubt
		_ = json.Unmarshal(s.Payload, &d) // an empty message says less, not something else
		on.Heading("in doubt", " (", ref, "): ", callLine(agent.CallPayload{ToolName: s.ToolName, Args: s.Args}))
		on.SetOffHung(argsText(s.Args), "    ")
		on.SetOff(d.Message)
	default:
		on.Heading(oneLine(s.ToolName, 40)+" asks", " (", ref, "):")
		on.SetOff(string(s.Payload))
	}
}

func printQuestion(on *screen.Screen, ref string, q questionPayload) {
	how := "free text"
	switch {
	case q.SelectionMode == multiSelect:
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

func printPlanSubmission(on *screen.Screen, ref string, state agent.SuspensionState, p agent.PlanSubmission, sources planSources) {
	what := "plan"
	if state == agent.SuspensionUndecided {
		what = "undecided plan"
	}
	on.Heading(what, " (", ref, "): ", oneLine(p.Title, 100))
	on.Line("  ", oneLine(p.Path, 120), ", revision ", p.Revision, ", ", shortDigest(p.Digest))
	stored, ok := sources[p.Digest]
	if ok {
		p.Plan = stored.source // with its heading, front matter and whatever else is approved
	}
	if !on.TTY {
		on.SetOff(p.Plan)
		return
	}
	if stored.was > 0 {
		on.Line(on.Look.Strong(fmt.Sprintf("  changed since revision %d", stored.was)))
		on.SetOffInk(on.Look.Diff(firstOf(stored.diff, "nothing"), on.Inside()))
		on.Line(on.Look.Strong("  the whole plan"))
	}
	on.SetOffInk(on.Look.Markdown(p.Plan, min(on.Inside(), screen.Readable)))
}

// shortDigest is enough of a digest to tell two apart by eye; commands carry
// the whole of it.
func shortDigest(digest string) string {
	algorithm, sum, _ := strings.Cut(oneLine(digest, 80), ":")
	return algorithm + ":" + sum[:min(len(sum), 12)]
}

func printApproval(on *screen.Screen, ref string, s agent.Suspension) {
	var a agent.ApprovalRequest
	_ = json.Unmarshal(s.Payload, &a) // what is asked for stands in the call itself
	reason := oneLine(a.Reason, 200)
	if reason != "" {
		reason = ": " + reason
	}
	on.Heading("approval", " (", ref, ") of ", oneLine(s.ToolName, 40), reason)
	if d := diffOfArgs(s.ToolName, s.Args); on.TTY && d != nil && s.ToolName == "edit_file" {
		on.Line(on.Look.Strong("  what it would change"))
		d.print(on, 0)
		on.Line(on.Look.Strong("  the whole call"))
	}
	on.SetOffHung(argsText(s.Args), "    ")
}

// argsText shows all arguments of a call, in the model's order. Further lines
// of a value are indented, so that it cannot pass for another argument.
func argsText(args json.RawMessage) string {
	dec := json.NewDecoder(strings.NewReader(string(args)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return string(args)
	}
	var b strings.Builder
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return string(args)
		}
		fmt.Fprintf(&b, "%v: %s\n", key, strings.ReplaceAll(plainValue(value), "\n", "\n    "))
	}
	return b.String()
}

// plainValue is a JSON value as a person reads it: strings without quotes.
func plainValue(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// callLine names a call on one line by its most telling argument.
func callLine(p agent.CallPayload) string {
	name := oneLine(p.ToolName, 40)
	var args map[string]json.RawMessage
	if json.Unmarshal(p.Args, &args) != nil {
		return name
	}
	for _, key := range []string{"command", "path", "pattern", "question"} {
		if v, ok := args[key]; ok {
			return name + " " + oneLine(plainValue(v), 100)
		}
	}
	return name
}

// answerText is a recorded answer as a person reads it.
func answerText(answer json.RawMessage) string {
	var list []string
	if json.Unmarshal(answer, &list) == nil {
		return strings.Join(list, ", ")
	}
	var d struct {
		Action, Feedback, Custom string
		Skipped                  bool
	}
	switch err := json.Unmarshal(answer, &d); {
	case err == nil && d.Action+d.Custom != "":
		return strings.TrimSuffix(d.Action+d.Custom+": "+d.Feedback, ": ")
	case err == nil && d.Skipped:
		return "skipped"
	}
	return plainValue(answer)
}

// decisionOf is the word of an answer that decides; ok is false for another.
func decisionOf(answer json.RawMessage) (action string, ok bool) {
	var d struct{ Action string }
	err := json.Unmarshal(answer, &d)
	return d.Action, err == nil && d.Action != ""
}

// openLine says in a few words what a suspension asks for.
func openLine(s agent.Suspension) string {
	switch s.Kind {
	case agent.KindQuestion:
		return "question: " + text.Line(questionOf(s).Question)
	case agent.KindPlan:
		return "plan: " + text.Line(planOf(s).Title)
	case agent.KindApproval:
		return "approval: " + callLine(agent.CallPayload{ToolName: s.ToolName, Args: s.Args})
	case agent.KindInDoubt:
		return "in doubt: " + text.Line(s.ToolName)
	}
	return text.Line(string(s.Kind)) + ": " + text.Line(s.ToolName)
}

// statusLine says where a run stands and why.
func statusLine(run agent.Run, status agent.Status) string {
	line := string(status)
	switch {
	case run.Reason != "" && status == agent.StatusPaused:
		line += " (" + string(run.Reason) + ")"
	case status == agent.StatusFinished && run.FinishReason != agent.FinishStop:
		line += " (" + run.FinishReason + ")"
	}
	if run.Error != nil {
		line += ": " + text.Line(run.Error.Message)
	}
	return "run " + run.ID + " " + text.Line(line)
}

func printNext(on *screen.Screen, next []nextCommand) {
	if len(next) == 0 {
		return
	}
	on.Line(on.Look.Strong("next:"))
	for _, n := range next {
		if text.Mark(n.Text) != n.Text || strings.ContainsAny(n.Text, "\n\t") || text.Width(n.Text) > longestNext {
			on.Line("  a command that cannot be shown safely; its argv is in the output of --output json")
			continue
		}
		on.Put("  ", on.Look.Ours(n.Text), "\n") // in one piece, to be copied
	}
}

// longestNext bounds what is shown of a command with somebody's words in it.
const longestNext = 1000
