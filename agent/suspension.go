package agent

import (
	"encoding/json"
	"fmt"
	"time"
)

// Kind says what a suspension asks for.
type Kind string

// Kinds of suspensions and the answers they take.
const (
	KindQuestion Kind = "question" // string, []string, {"custom":…} or {"skipped":true}
	KindPlan     Kind = "plan"     // PlanDecision
	KindApproval Kind = "approval" // ApprovalDecision
	KindInDoubt  Kind = "in_doubt" // DoubtDecision
	KindCustom   Kind = "custom"   // whatever the tool takes
)

// SuspensionState says whether a suspension still wants an answer.
type SuspensionState string

// States of a suspension. Only an open one takes an answer.
const (
	SuspensionOpen     SuspensionState = "open"
	SuspensionAnswered SuspensionState = "answered"
	SuspensionReplaced SuspensionState = "replaced" // its plan changed; the next n is open
	SuspensionClosed   SuspensionState = "closed"   // the run was canceled or failed
	// SuspensionUndecided is a plan submitted where nobody could be asked. It
	// does not suspend the run and may be decided once the run has finished.
	SuspensionUndecided SuspensionState = "undecided"
)

// Suspension is a request to a person, identified in its run by ToolCallID and
// N. It needs no process to stay alive.
type Suspension struct {
	Call       int             `json:"-"` // place of the call among those of its run, from 1
	ToolCallID string          `json:"toolCallId"`
	N          int             `json:"n"` // 1, 2, … per call
	Kind       Kind            `json:"kind"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args,omitempty"`
	Payload    json.RawMessage `json:"suspendPayload"`
	Schema     string          `json:"resumeSchema,omitempty"` // JSON Schema of the answer
	Since      time.Time       `json:"since"`
	State      SuspensionState `json:"state"`
	Answer     *Answer         `json:"answer,omitempty"`
}

// Ref names the suspension within its run: the call's ID, and "#n" beyond the
// first.
func (s Suspension) Ref() string {
	if s.N > 1 {
		return fmt.Sprintf("%s#%d", s.ToolCallID, s.N)
	}
	return s.ToolCallID
}

// answeredBy says who answered an answered suspension, and when.
func (s Suspension) answeredBy() string {
	return fmt.Sprintf("%s was already answered by %s at %s", s.Ref(), s.Answer.By, s.Answer.At.UTC().Format(time.RFC3339))
}

// Answer is what was given for one suspension. By is who says so (see
// Resume.By); nothing authenticates it.
type Answer struct {
	Data json.RawMessage `json:"answer"`
	By   string          `json:"by"`
	Via  string          `json:"via"`
	At   time.Time       `json:"at"`
	// Fresh asks that the model go on with task, answers and plan alone.
	Fresh bool `json:"freshContext,omitempty"`
}

// decision is the action and the words of a decision, as plans, approvals and
// doubts share them.
type decision struct {
	Action   string `json:"action"`
	Feedback string `json:"feedback"`
	Scope    string `json:"scope"`
}

func (a *Answer) decision() decision {
	var d decision
	if a != nil {
		_ = json.Unmarshal(a.Data, &d) // checked and canonical when recorded
	}
	return d
}

// Actions of decisions.
const (
	Approved = "approved"
	Rejected = "rejected"
	Happened = "happened"
	Again    = "again"
	Stop     = "stop"
)

// Scopes of an approval.
const (
	ScopeOnce = "once"
	ScopeRun  = "run"
)

// ApprovalDecision is the answer to a suspension of kind KindApproval. Scope
// "run" also grants the rule the suspension offers to the rest of the run.
type ApprovalDecision struct {
	Action   string `json:"action"` // "approved" or "rejected"
	Feedback string `json:"feedback,omitempty"`
	Scope    string `json:"scope,omitempty"` // "once" (default) or "run"
}

// ApprovalRequest is the suspend payload of kind KindApproval.
type ApprovalRequest struct {
	Reason string `json:"reason,omitempty"`
	Rule   string `json:"rule,omitempty"` // what scope "run" would grant
	Digest string `json:"digest"`         // of tool name and arguments
}

// DoubtDecision is the answer to a suspension of kind KindInDoubt: the call
// "happened", run it "again", or "stop" the run.
type DoubtDecision struct {
	Action string `json:"action"`
}

// Doubt is the suspend payload of kind KindInDoubt.
type Doubt struct {
	Message string    `json:"message"`
	Started time.Time `json:"started"`
}
