// Package report makes the final object: the whole answer of a command about one
// run, as JSON.
package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// Final is the final object. Its keys are an interface (docs/json.md); arrays are
// never null.
type Final struct {
	Version      int               `json:"version"`
	RunID        string            `json:"runId"`
	Status       agent.Status      `json:"status"`
	Reason       agent.PauseReason `json:"reason"`
	ExitCode     int               `json:"exitCode"`
	Title        string            `json:"title"`
	Workspace    string            `json:"workspace"`
	Mode         string            `json:"mode"`
	Model        string            `json:"model"`
	Text         string            `json:"text"`
	FinishReason string            `json:"finishReason"`
	Usage        agent.Usage       `json:"usage"`
	UsageByMode  []agent.ModeUsage `json:"usageByMode"`
	Suspensions  []Suspension      `json:"suspensions"`
	Denied       []Denied          `json:"denied"`
	Unanswered   []Unanswered      `json:"unanswered"`
	Plan         *Plan             `json:"plan"`
	Error        *Error            `json:"error"`
	Next         []next.Command    `json:"next"`
}

const version = 1

// Suspension is what waits for a person.
type Suspension struct {
	ToolCallID string          `json:"toolCallId"`
	N          int             `json:"n"`
	Kind       agent.Kind      `json:"kind"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args,omitempty"` // where the call itself is decided on
	Payload    json.RawMessage `json:"suspendPayload"`
	Since      time.Time       `json:"since"`
}

// Denied is a call that was not made.
type Denied struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Reason     string `json:"reason"`
}

// Unanswered is a question that met nobody; Content is what the model read.
type Unanswered struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Content    string `json:"content"`
}

// Plan is the newest revision of a plan.
type Plan struct {
	Path     string `json:"path"`
	Title    string `json:"title"`
	Digest   string `json:"digest"`
	Revision int    `json:"revision"`
	Decision string `json:"decision"`
	Approved bool   `json:"approved"`
}

// Error is why a run or a command failed.
type Error struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint"`
	Retryable bool   `json:"retryable"`
}

// Empty is the final object of a command that reached no run.
func Empty() Final {
	return Final{
		Version: version, UsageByMode: []agent.ModeUsage{}, Suspensions: []Suspension{}, Denied: []Denied{},
		Unanswered: []Unanswered{}, Next: []next.Command{},
	}
}

// Begins recognizes a final object by its first keys.
func Begins(data []byte) bool { return bytes.HasPrefix(data, []byte(`{"version":1,"runId":"`)) }

// Of makes the final object of a run. status is the run's as the store
// knows it; prefix holds the words every next command begins with.
func Of(st *agent.State, status agent.Status, prefix []string) Final {
	run := st.Run
	r := Empty()
	r.RunID, r.Status, r.Reason, r.Title, r.Workspace = run.ID, status, run.Reason, run.Title, run.Workspace
	r.Mode, r.Model, r.Text, r.Usage = run.Mode, run.Model, run.Text, run.Usage
	r.FinishReason = run.FinishReason
	r.UsageByMode = append(r.UsageByMode, st.UsageByMode()...)
	r.ExitCode = exit.OfState(st, status)
	r.Suspensions = Suspensions(st.Open())
	for _, d := range st.Denied() {
		r.Denied = append(r.Denied, Denied{d.ToolCallID, d.ToolName, d.Reason})
	}
	for _, u := range st.Unanswered() {
		r.Unanswered = append(r.Unanswered, Unanswered{u.ToolCallID, u.ToolName, u.Content})
	}
	if plans := st.Plans(); len(plans) > 0 {
		r.Plan = PlanOf(plans[len(plans)-1])
	}
	if e := run.Error; e != nil {
		r.Error = &Error{Code: e.Code, Message: e.Message, Hint: e.Hint, Retryable: e.Retryable}
	}
	r.Next = next.Of(st, status, prefix)
	return r
}

// Suspensions are the open ones of a run; none is an empty list.
func Suspensions(open []agent.Suspension) []Suspension {
	list := []Suspension{}
	for _, s := range open {
		item := Suspension{ToolCallID: s.ToolCallID, N: s.N, Kind: s.Kind, ToolName: s.ToolName, Payload: s.Payload, Since: s.Since}
		if s.Kind == agent.KindApproval || s.Kind == agent.KindInDoubt {
			item.Args = s.Args
		}
		list = append(list, item)
	}
	return list
}

// PlanOf is a plan as it stands there.
func PlanOf(p agent.Plan) *Plan {
	return &Plan{
		Path: p.Path, Title: p.Title, Digest: p.Digest, Revision: p.Revision,
		Decision: p.Decision, Approved: p.Decision == agent.PlanApproved,
	}
}

// Failed returns r with a fault of the command in place of the run's own.
func (r Final) Failed(err error, code int) Final {
	r.ExitCode, r.Error = code, ErrorOf(err)
	return r
}

// ErrorOf is err in JSON. What stands below its first line is for whoever
// wants to know what to do.
func ErrorOf(err error) *Error {
	message, more, _ := strings.Cut(err.Error(), "\n")
	hint := strings.Trim(more+"\n"+exit.Hint(err), "\n")
	return &Error{Code: exit.ErrorCode(err), Message: message, Hint: hint, Retryable: retryable(err)}
}

// retryable reports whether the same command may succeed later.
func retryable(err error) bool {
	return errors.Is(err, agent.ErrBusy) || errors.Is(err, runstore.ErrLocked)
}
