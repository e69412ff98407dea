package tell

import (
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Timeline tells a journal record by record, in order. The zero value begins.
type Timeline struct{ watch stopwatch }

// Line tells one record on a line; "" for records that tell a person nothing
// beside the others. A record of a type this version does not know is named.
func (t *Timeline) Line(e agent.Event) string {
	var line string
	t.watch.see(e)
	switch e.Type {
	case agent.StepStart, agent.StepFinish, agent.ToolCallRequested, agent.ToolCallStarted, agent.WorkspaceDigest:
		return ""
	case agent.Start:
		shown(e, func(p agent.StartPayload) { line = "started" + byWhom(p.By) + ": " + p.Prompt })
	case agent.UserMessage:
		shown(e, func(p agent.UserMessagePayload) { line = "message" + byWhom(p.By) + ": " + p.Text })
	case agent.ModelMessage:
		shown(e, func(p agent.MessagePayload) { line = orNothing("agent: ", p.Text) })
		if line == "" {
			return ""
		}
	case agent.ToolResult, agent.ToolOutputDenied, agent.ToolCallSuspended, agent.ToolCallApproval, agent.ToolCallResumed:
		line = t.call(e)
	default:
		line = turnRecord(e)
	}
	if line == "" {
		line = string(e.Type)
	}
	return text.Field(line, 160)
}

func orNothing(label, words string) string {
	if strings.TrimSpace(words) == "" {
		return ""
	}
	return label + words
}

func byWhom(by string) string { return orNothing(" by ", by) }

// call tells a record about a tool call.
func (t *Timeline) call(e agent.Event) (line string) {
	switch e.Type {
	case agent.ToolResult:
		shown(e, func(p agent.ResultPayload) {
			line = "✓ " + callLine(p.CallPayload)
			facts := callFacts(p, diffOfCall(p), t.watch.stop(e.At, p))
			if p.Result.IsError {
				line, facts = "✗ "+callLine(p.CallPayload), facts+": "+p.Result.Content
			}
			line += facts
		})
	case agent.ToolOutputDenied:
		shown(e, func(p agent.DeniedPayload) { line = "⊘ " + callLine(p.CallPayload) + ": denied: " + p.Reason })
	case agent.ToolCallResumed:
		shown(e, func(p agent.ResumedPayload) {
			line = "answered" + byWhom(p.By) + " (" + p.Via + "): " + answerText(p.Answer)
		})
	default:
		shown(e, func(p agent.SuspendedPayload) {
			s := agent.Suspension{ToolCallID: p.ToolCallID, N: p.N, Kind: p.Kind, ToolName: p.ToolName, Args: p.Args, Payload: p.Payload}
			line = "asked (" + s.Ref() + ") " + OpenLine(s)
		})
	}
	return line
}

// summaryLine tells that the conversation was shortened, and why.
func summaryLine(p agent.SummaryPayload) string {
	if p.Model == "" {
		return "a fresh context: the task, the answers and the plan"
	}
	return "the conversation was shortened" + orNothing(": ", p.Text)
}

// turnRecord tells a record about the course of a run.
func turnRecord(e agent.Event) (line string) {
	switch e.Type {
	case agent.ModeChanged:
		shown(e, func(p agent.ModeChangedPayload) { line = fmt.Sprintf("mode %s → %s", p.PreviousModeID, p.ModeID) })
	case agent.Pause:
		shown(e, func(p agent.PausePayload) { line = "paused (" + string(p.Reason) + ")" + orNothing(": ", p.Message) })
	case agent.Resumed:
		shown(e, func(p agent.ResumePayload) {
			line = "continued" + byWhom(p.By) + orNothing(" in ", p.Workspace) + orNothing(", thinking ", p.Thinking)
		})
	case agent.Summary:
		shown(e, func(p agent.SummaryPayload) { line = summaryLine(p) })
	case agent.Imported:
		shown(e, func(p agent.ImportPayload) { line = "imported" + byWhom(p.By) + orNothing(" into ", p.Workspace) })
	case agent.Grant:
		shown(e, func(p agent.GrantPayload) { line = "granted" + byWhom(p.By) + ": " + p.Rule })
	case agent.UndoStarted:
		shown(e, func(p agent.UndoPayload) { line = undoLine(p, true) })
	case agent.UndoFinished:
		shown(e, func(p agent.UndoPayload) { line = undoLine(p, false) })
	case agent.Finish:
		shown(e, func(p agent.FinishPayload) { line = "finished (" + p.FinishReason + ")" })
	case agent.Failure:
		shown(e, func(p agent.ErrorPayload) { line = "failed: " + p.Message })
	case agent.Abort:
		shown(e, func(p agent.ErrorPayload) { line = p.Message })
	}
	return line
}

// undoLine tells an undo, before and after it was done.
func undoLine(p agent.UndoPayload, begins bool) string {
	words := map[bool]string{false: "taken back", true: "brought back"}[p.Redo]
	if begins {
		words = map[bool]string{false: "taking back", true: "bringing back"}[p.Redo]
	}
	var paths []string
	for _, c := range p.Files {
		paths = append(paths, c.Path)
	}
	line := fmt.Sprintf("%s%s: %s", words, byWhom(p.By), strings.Join(paths, ", "))
	if n := len(p.Failed); n > 0 {
		line += fmt.Sprintf("; %d failed", n)
	}
	return line
}
