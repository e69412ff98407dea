package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed submit_plan.md
var submitPlanDescription string

const submitPlanSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"Path of the plan file, for example .mastracode/plans/add-dark-mode.md"}},` +
	`"required":["path"]}`

const planDecisionSchema = `{"type":"object","properties":{` +
	`"action":{"enum":["approved","rejected"]},"feedback":{"type":"string"},` +
	`"path":{"type":"string"},"title":{"type":"string"},"plan":{"type":"string"},` +
	`"digest":{"type":"string"},"revision":{"type":"integer"}},` +
	`"required":["action"],"additionalProperties":false}`

// What the model reads of a decision. The first is an interface: scripts and
// other programs look for it.
const (
	approvedContent = "Plan approved. Proceed with implementation following the approved plan."
	rejectedContent = "Plan rejected. Revise the plan file as the feedback asks and submit it again."
	waitContent     = "Plan rejected without feedback. Do not revise it on your own: wait for the user's next message."
)

type submitPlan struct{ reader agent.PlanReader }

// SubmitPlan returns the tool submit_plan: it puts a plan file to the person
// and suspends until it is approved or rejected. The reader checks and reads
// the file before anybody is asked. With a nil reader the tool touches no
// disk and suspends with {"path"} alone; the host then reads the file.
//
// Answers are an agent.PlanDecision whose keys match exactly and occur once.
// Nothing but the action "approved" approves.
func SubmitPlan(reader agent.PlanReader) agent.Tool { return submitPlan{reader: reader} }

// Definition implements agent.Tool.
func (submitPlan) Definition() agent.Definition {
	return agent.Definition{
		Name: "submit_plan", Description: submitPlanDescription, InputSchema: json.RawMessage(submitPlanSchema),
		Effect: agent.EffectReadOnly, Category: agent.CategoryInteract, Asks: agent.KindPlan,
	}
}

// PlanReader implements agent.PlanHost; it is nil for a bare tool.
func (t submitPlan) PlanReader() agent.PlanReader { return t.reader }

// Call implements agent.Tool.
func (t submitPlan) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	a, err := decodeArgs(call.Args)
	if err != nil {
		return refuse("submit_plan", err)
	}
	path, err := a.required("path")
	if err != nil {
		return refuse("submit_plan", err)
	}
	if answer := lastAnswer(call); answer != nil {
		return decided(ctx, call, answer.Data), nil
	}
	plan := agent.PlanSubmission{Path: path}
	if t.reader != nil {
		file, err := t.reader.ReadPlan(ctx, call.RunID, call.Workspace, path)
		if err != nil {
			return refuse("submit_plan", err)
		}
		plan.Title, plan.Plan, plan.Digest, plan.Source = file.Title, file.Plan, file.Digest, file.Source
	}
	if call.Suspend == nil {
		return t.undecided(plan), nil
	}
	return call.Suspend(plan)
}

// undecided is the result where nobody can be asked. Only a plan that was read
// is a submission to record.
func (t submitPlan) undecided(plan agent.PlanSubmission) agent.Result {
	r := agent.Result{Content: fmt.Sprintf("[Plan submitted for approval]: %s\n"+
		"Nobody can approve it now, so it stays undecided. Do not implement it; finish by saying where the plan is.", plan.Path)}
	if t.reader != nil {
		r.SubmittedPlan = &agent.SubmittedPlan{PlanSubmission: plan, Decision: agent.PlanUndecided}
	}
	return r
}

func decided(ctx context.Context, call agent.Call, data json.RawMessage) agent.Result {
	decision, err := parseDecision(data)
	if err != nil { // an answer recorded by something that did not ask CheckAnswer
		return agent.ErrorResult("submit_plan: the recorded decision does not fit: " + err.Error())
	}
	shown, err := submissionOf(call.Suspensions[len(call.Suspensions)-1])
	if err != nil {
		return agent.ErrorResult("submit_plan: " + err.Error())
	}
	result := agent.Result{SubmittedPlan: &agent.SubmittedPlan{
		PlanSubmission: shown, Decision: decision.Action, Feedback: decision.Feedback,
	}}
	switch {
	case decision.Action == agent.Approved:
		// The decision is recorded and must take effect: reading the stored
		// bytes, a local look-up, is not given up for an interruption.
		result.Content = approval(context.WithoutCancel(ctx), call, shown, decision.Feedback)
	case decision.Feedback != "":
		result.Content = rejectedContent + "\n\nFeedback from the user:\n" + decision.Feedback
	default:
		result.Content = waitContent
	}
	return result
}

func submissionOf(s agent.Suspension) (agent.PlanSubmission, error) {
	var p agent.PlanSubmission
	if err := json.Unmarshal(s.Payload, &p); err != nil {
		return p, fmt.Errorf("read submission %s: %w", s.Ref(), err)
	}
	return p, nil
}

// approval is what the build phase works from: the sentence, the person's
// notes, what they changed, and the approved text itself.
func approval(ctx context.Context, call agent.Call, plan agent.PlanSubmission, notes string) string {
	var b strings.Builder
	b.WriteString(approvedContent)
	if notes != "" {
		b.WriteString("\n\nNotes from the user:\n" + notes)
	}
	if plan.Digest == "" { // a bare tool: nobody read the file
		return b.String()
	}
	source, err := stored(ctx, call, plan)
	if err == nil {
		b.WriteString(reviewDiff(ctx, call, plan, source))
	} else {
		// The journal's own copy of the text; only its head is put together anew.
		source = "# " + plan.Title + "\n\n" + plan.Plan + "\n"
	}
	fmt.Fprintf(&b, "\n\nThis is the plan as it was approved. It counts, whatever the file says now.\n"+
		"===== approved plan %s, revision %d, %s =====\n%s\n===== end of approved plan %s =====",
		plan.Path, plan.Revision, plan.Digest, strings.TrimSuffix(source, "\n"), plan.Digest)
	return b.String()
}

func stored(ctx context.Context, call agent.Call, plan agent.PlanSubmission) (string, error) {
	if call.Blob == nil {
		return "", errors.New("no stored content outside a run")
	}
	data, err := call.Blob(ctx, plan.Digest)
	if err == nil && agent.Digest(data) != plan.Digest {
		err = fmt.Errorf("read plan %s: the stored bytes are not those of %s", plan.Path, plan.Digest)
	}
	return string(data), err
}

// reviewDiff shows what changed between the first submission of this call and
// the approved one.
func reviewDiff(ctx context.Context, call agent.Call, plan agent.PlanSubmission, source string) string {
	first, err := submissionOf(call.Suspensions[0])
	if err != nil || first.Digest == plan.Digest || first.Digest == "" {
		return ""
	}
	const head = "\n\nThe plan was edited during the review."
	before, err := stored(ctx, call, first)
	if err != nil {
		return head
	}
	diff := udiff.Unified("submitted", "approved", before, source)
	return head + " The changes since you submitted it:\n" + strings.TrimSuffix(diff, "\n")
}

// CheckAnswer implements agent.AnswerChecker. Whether an echoed plan or digest
// is the open one is the loop's to check.
func (submitPlan) CheckAnswer(_ agent.Suspension, answer json.RawMessage) (json.RawMessage, error) {
	decision, err := parseDecision(answer)
	if err != nil {
		return nil, fmt.Errorf(`%w; allowed: {"action":"approved"} or {"action":"rejected"}, each with an optional "feedback"`, err)
	}
	return json.Marshal(decision)
}

// ResumeSchema implements agent.ResumeSchemer.
func (submitPlan) ResumeSchema(json.RawMessage) json.RawMessage {
	return json.RawMessage(planDecisionSchema)
}

func parseDecision(data json.RawMessage) (agent.PlanDecision, error) {
	var d agent.PlanDecision
	// Revision is in the suspend payload, so clients that echo that send it.
	fields, err := exactObject(data, "action", "feedback", "path", "title", "plan", "digest", "revision")
	if err != nil {
		return d, err
	}
	for name, into := range map[string]*string{
		"action": &d.Action, "feedback": &d.Feedback, "path": &d.Path,
		"title": &d.Title, "plan": &d.Plan, "digest": &d.Digest,
	} {
		raw, given := fields[name]
		if !given || kindOf(raw) == "null" {
			continue
		}
		text, ok := asString(raw)
		if !ok {
			return d, wrongType(name, "a string", raw)
		}
		*into = text
	}
	if d.Action != agent.Approved && d.Action != agent.Rejected {
		return d, fmt.Errorf("action %q decides nothing", d.Action)
	}
	if strings.TrimSpace(d.Feedback) == "" {
		d.Feedback = ""
	}
	return d, nil
}
