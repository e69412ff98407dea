package agent

import (
	"fmt"
	"time"
)

// Status is where a run stands.
type Status string

// Statuses of a run. StatusInterrupted is never stored: it is what
// StatusRunning means once the owner is dead.
const (
	StatusRunning     Status = "running"
	StatusSuspended   Status = "suspended"
	StatusPaused      Status = "paused"
	StatusInterrupted Status = "interrupted"
	StatusFailed      Status = "failed"
	StatusFinished    Status = "finished"
	StatusCanceled    Status = "canceled"
)

// Run is a run at a glance: what lists show. It is computed from the journal
// alone and kept beside it.
type Run struct {
	ID             string      `json:"runId"`
	AgentID        string      `json:"agentId,omitempty"`
	Title          string      `json:"title"`
	Prompt         string      `json:"prompt"`
	Workspace      string      `json:"workspace"`
	Project        string      `json:"project"` // what "this workspace" compares: repository, else Workspace
	BaseCommit     string      `json:"baseCommit,omitempty"`
	IdempotencyKey string      `json:"idempotencyKey,omitempty"`
	Status         Status      `json:"status"`
	Reason         PauseReason `json:"reason,omitempty"`
	FinishReason   string      `json:"finishReason,omitempty"`
	Mode           string      `json:"mode"`
	Model          string      `json:"model"` // in force for the next step
	Pinned         string      `json:"pinnedModel,omitempty"`
	Thinking       string      `json:"thinking,omitempty"` // how much its models are to think, where the person said so
	Text           string      `json:"text"`               // the agent's last words
	Usage          Usage       `json:"usage"`
	Limits         Limits      `json:"limits"`
	Driven         Duration    `json:"driven"`                 // time a process drove it, waiting left out
	Undecided      bool        `json:"undecided"`              // finished, its last plan undecided
	ForeignModel   bool        `json:"foreignModel,omitempty"` // Model was chosen elsewhere, before an import
	Created        time.Time   `json:"createdAt"`
	Updated        time.Time   `json:"updatedAt"`
	Seq            int64       `json:"seq"` // records in the journal
	// Error is set while the run is failed, or paused for its provider.
	Error *RunError `json:"error,omitempty"`
}

// RunError is why a run does not go on by itself.
type RunError struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable"`
}

// Duration is a time.Duration that JSON shows as Go does ("1m30s").
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("parse duration %q: %w", text, err)
	}
	*d = Duration(v)
	return nil
}

func (d Duration) String() string { return time.Duration(d).String() }

// Reasons a turn ended or stopped, as reports and finish events name them.
const (
	FinishStop         = "stop"
	FinishSuspended    = "suspended"
	FinishToolCalls    = "tool-calls" // of a step that goes on
	FinishLength       = "length"     // of a step whose reply was cut
	FinishRefused      = "refused"    // of a step whose reply was a refusal
	FinishPlanRejected = "plan-rejected"
	FinishMaxSteps     = "max-steps"
	FinishMaxTokens    = "max-tokens"
	FinishMaxCost      = "max-cost"
	FinishTimeout      = "timeout"
	FinishProvider     = "provider"
	FinishStopped      = "stopped"
	FinishDetached     = "detached"
	FinishCanceled     = "canceled"
	FinishError        = "error"
)

// DeniedCall is a call that was denied, for reports.
type DeniedCall struct {
	ToolCallID string    `json:"toolCallId"`
	ToolName   string    `json:"toolName"`
	Reason     string    `json:"reason"`
	Cause      DenyCause `json:"cause"`
}

// UnansweredCall is a question or plan that met nobody and was answered by a
// readable string.
type UnansweredCall struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Content    string `json:"content"`
}
