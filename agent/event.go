package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// EventType names what an Event tells. Unknown types survive load, store and
// display.
type EventType string

// Types of events. All but the deltas, ToolOutputText and Retry are records of
// the journal.
const (
	Start             EventType = "start"
	UserMessage       EventType = "user-message"
	StepStart         EventType = "step-start"
	TextDelta         EventType = "text-delta"
	ReasoningDelta    EventType = "reasoning-delta"
	ModelMessage      EventType = "message"
	ToolCallRequested EventType = "tool-call"
	ToolCallStarted   EventType = "tool-call-started"
	ToolOutputText    EventType = "tool-output"
	ToolResult        EventType = "tool-result"
	ToolCallSuspended EventType = "tool-call-suspended"
	ToolCallApproval  EventType = "tool-call-approval"
	ToolOutputDenied  EventType = "tool-output-denied"
	ToolCallResumed   EventType = "tool-call-resumed"
	ModeChanged       EventType = "mode-changed"
	StepFinish        EventType = "step-finish"
	Pause             EventType = "pause"
	Resumed           EventType = "resume"
	Grant             EventType = "grant"
	ContextLoaded     EventType = "context"
	WorkspaceDigest   EventType = "workspace-digest"
	Summary           EventType = "summary"
	Imported          EventType = "import"
	UndoStarted       EventType = "undo-started"
	UndoFinished      EventType = "undo"
	RetryNotice       EventType = "retry"
	Finish            EventType = "finish"
	Failure           EventType = "error"
	Abort             EventType = "abort"
)

// Journaled reports whether events of the type are records of the journal.
func (t EventType) Journaled() bool {
	switch t {
	case TextDelta, ReasoningDelta, ToolOutputText, RetryNotice:
		return false
	}
	return true
}

// From is the "from" of every event.
const From = "AGENT"

// JournalVersion is the version of the payloads this package writes. A store
// keeps it beside each record.
const JournalVersion = 1

// Event is one thing that happened in a run. Seq counts the records of the
// journal from 1; it and At are zero for events that are not recorded.
// Payload is the JSON object the type prescribes; see the Payload types and
// Decode.
type Event struct {
	Seq     int64           `json:"seq,omitempty"`
	At      time.Time       `json:"at,omitzero"`
	Type    EventType       `json:"type"`
	RunID   string          `json:"runId"`
	From    string          `json:"from"`
	Payload json.RawMessage `json:"payload"`
}

// Decode reads the payload of an event: Decode[agent.SuspendedPayload](e).
func Decode[T any](e Event) (T, error) {
	var v T
	if err := json.Unmarshal(e.Payload, &v); err != nil {
		return v, fmt.Errorf("decode %s event %d of run %s: %w", e.Type, e.Seq, e.RunID, err)
	}
	return v, nil
}

// StartPayload opens a journal. Mode and Model are what the run begins with;
// Pinned is the model that overrides every mode's, "" if none.
type StartPayload struct {
	Prompt         string `json:"prompt"`
	Title          string `json:"title"`
	Mode           string `json:"mode"`
	Model          string `json:"model"`
	Pinned         string `json:"pinnedModel,omitempty"`
	Thinking       string `json:"thinking,omitempty"`
	Workspace      string `json:"workspace"`
	Project        string `json:"project,omitempty"`
	BaseCommit     string `json:"baseCommit,omitempty"`
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
	AgentID        string `json:"agentId,omitempty"`
	Limits         Limits `json:"limits"`
	By             string `json:"by"`
	Via            string `json:"via"`
}

// UserMessagePayload is a message of the person after the first prompt.
type UserMessagePayload struct {
	Text string `json:"text"`
	By   string `json:"by"`
	Via  string `json:"via"`
}

// StepStartPayload opens a step: the mode it runs under to its end, the model
// that is asked.
type StepStartPayload struct {
	Mode  string `json:"mode"`
	Model string `json:"model"`
}

// DeltaPayload is a piece of text or reasoning as it streams. Pieces of one
// block have one ID, which may be empty.
type DeltaPayload struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// OutputPayload is a piece of what a tool prints at work.
type OutputPayload struct {
	ToolCallID string `json:"toolCallId"`
	Text       string `json:"text"`
}

// MessagePayload is a model's whole reply.
type MessagePayload struct {
	Text         string          `json:"text"`
	ToolCalls    []ToolCall      `json:"toolCalls,omitempty"`
	Usage        Usage           `json:"usage"`
	Model        string          `json:"model,omitempty"`
	FinishReason string          `json:"finishReason,omitempty"`
	End          End             `json:"end,omitempty"`
	Blocks       json.RawMessage `json:"blocks,omitempty"`
}

// CallPayload names a tool call; it is the payload of tool-call. Args are not stored here but in the message; they are
// filled in when an event is given out.
type CallPayload struct {
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args,omitempty"`
}

// StartedPayload is a call with an effect that is about to be made. Changes are
// what it intends to change; their contents are kept with the record.
type StartedPayload struct {
	ToolCallID string       `json:"toolCallId"`
	Changes    []FileChange `json:"changes,omitempty"`
}

// ResultPayload is what a call gave. Fallback is set when the tool would have
// asked a person and could not.
type ResultPayload struct {
	CallPayload
	Result   Result `json:"result"`
	Fallback bool   `json:"fallback,omitempty"`
}

// SuspendedPayload announces a suspension (tool-call-suspended and
// tool-call-approval). By names who changed a plan under review; it is empty
// when the agent asks.
type SuspendedPayload struct {
	CallPayload
	N       int             `json:"n"`
	Kind    Kind            `json:"kind"`
	Payload json.RawMessage `json:"suspendPayload"`
	Schema  string          `json:"resumeSchema,omitempty"`
	By      string          `json:"by,omitempty"`
}

// DeniedPayload closes a call that was not run, or whose result does not
// matter any more.
type DeniedPayload struct {
	CallPayload
	Reason string    `json:"reason"`
	Cause  DenyCause `json:"cause"`
}

// DenyCause says who or what denied a call.
type DenyCause string

// Causes of a denial.
const (
	DeniedByPolicy DenyCause = "policy"   // a rule
	DeniedByPerson DenyCause = "person"   // an answer
	DeniedNobody   DenyCause = "nobody"   // it would have been asked, nobody could be
	DeniedCanceled DenyCause = "canceled" // the run was canceled
)

// ResumedPayload records an answer. FreshContext says that the model goes on
// with the task, the answers and the plan alone.
type ResumedPayload struct {
	CallPayload
	N            int             `json:"n"`
	Answer       json.RawMessage `json:"answer"`
	FreshContext bool            `json:"freshContext,omitempty"`
	By           string          `json:"by"`
	Via          string          `json:"via"`
}

// ModeChangedPayload moves the run to another mode. By is set when a person
// chose it directly.
type ModeChangedPayload struct {
	ModeID         string `json:"modeId"`
	PreviousModeID string `json:"previousModeId"`
	By             string `json:"by,omitempty"`
}

// StepFinishPayload closes a step.
type StepFinishPayload struct {
	FinishReason string `json:"finishReason"`
	Usage        Usage  `json:"usage"`
}

// PausePayload records an orderly stop with nothing open. FinishReason is the
// word of the report: the limit that was reached, or Reason.
type PausePayload struct {
	Reason       PauseReason `json:"reason"`
	Message      string      `json:"message,omitempty"`
	FinishReason string      `json:"finishReason,omitempty"`
	Retryable    bool        `json:"retryable,omitempty"`
	Hint         string      `json:"hint,omitempty"`
}

// PauseReason says why a run is paused.
type PauseReason string

// Reasons of a pause.
const (
	PauseLimit    PauseReason = "limit"    // a limit of the run
	PauseProvider PauseReason = "provider" // a fault of the model's provider
	PauseStopped  PauseReason = "stopped"  // a signal, the end of the context, a reader that left
	PauseDetached PauseReason = "detached" // everything is answered, nobody continued yet
)

// ResumePayload records that the run goes on, and what was overridden.
type ResumePayload struct {
	By        string  `json:"by"`
	Via       string  `json:"via"`
	Model     string  `json:"model,omitempty"`
	Thinking  string  `json:"thinking,omitempty"`
	Limits    *Limits `json:"limits,omitempty"`
	Workspace string  `json:"workspace,omitempty"`
	Project   string  `json:"project,omitempty"` // with Workspace
	TakeOver  bool    `json:"takeOver,omitempty"`
	Previous  string  `json:"previousOwner,omitempty"`
}

// ImportPayload records that the journal up to here was written elsewhere, and
// where the run goes on. Source is the digest of the file it came in.
type ImportPayload struct {
	Workspace  string `json:"workspace,omitempty"`
	Project    string `json:"project,omitempty"`
	BaseCommit string `json:"baseCommit,omitempty"`
	Source     string `json:"source,omitempty"`
	By         string `json:"by"`
	Via        string `json:"via"`
}

// ContextFile is a file of instructions that went into the conversation: the
// payload of context. Text is the marked block the model reads.
type ContextFile struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"` // bytes
	Text   string `json:"text"`
}

// SummaryPayload puts a short text in the place of the conversation but for
// its last Keep messages. What the person said and decided stays whole. Text is
// what Model wrote; "" where the person wanted a fresh context.
type SummaryPayload struct {
	Text  string `json:"text"`
	Keep  int    `json:"keep"`
	Model string `json:"model,omitempty"`
	Usage Usage  `json:"usage"`
}

// GrantPayload is a permission given for the rest of the run.
type GrantPayload struct {
	Rule string `json:"rule"`
	By   string `json:"by"`
	Via  string `json:"via"`
}

// RetryPayload is a provider fault that is about to be retried.
type RetryPayload struct {
	Attempt int      `json:"attempt"`
	Wait    Duration `json:"wait"`
	Cause   string   `json:"cause"`
}

// FinishPayload ends the agent's turn.
type FinishPayload struct {
	FinishReason string `json:"finishReason"`
	Usage        Usage  `json:"usage"`
	Text         string `json:"text"`
}

// ErrorPayload says why a run failed (error) or ended early (abort).
type ErrorPayload struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	By      string `json:"by,omitempty"`
}

// withArgs returns the payload with "args" added at its end.
func withArgs(payload, args json.RawMessage) json.RawMessage {
	body := bytes.TrimRight(payload, " \t\r\n")
	if len(args) == 0 || len(body) < 2 || body[len(body)-1] != '}' {
		return payload
	}
	out := make([]byte, 0, len(body)+len(args)+8)
	out = append(out, body[:len(body)-1]...)
	if len(body) > 2 {
		out = append(out, ',')
	}
	out = append(out, `"args":`...)
	out = append(out, args...)
	return append(out, '}')
}
