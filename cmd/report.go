package cmd

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// report is the final object: the whole answer of a command about one run.
// Its keys are an interface (docs/json.md); arrays are never null.
type report struct {
	Version      int                `json:"version"`
	RunID        string             `json:"runId"`
	Status       agent.Status       `json:"status"`
	Reason       agent.PauseReason  `json:"reason"`
	ExitCode     int                `json:"exitCode"`
	Title        string             `json:"title"`
	Workspace    string             `json:"workspace"`
	Mode         string             `json:"mode"`
	Model        string             `json:"model"`
	Text         string             `json:"text"`
	FinishReason string             `json:"finishReason"`
	Usage        agent.Usage        `json:"usage"`
	UsageByMode  []agent.ModeUsage  `json:"usageByMode"`
	Suspensions  []reportSuspension `json:"suspensions"`
	Denied       []reportDenied     `json:"denied"`
	Unanswered   []reportUnanswered `json:"unanswered"`
	Plan         *reportPlan        `json:"plan"`
	Error        *reportError       `json:"error"`
	Next         []next.Command     `json:"next"`
}

const reportVersion = 1

type reportSuspension struct {
	ToolCallID string          `json:"toolCallId"`
	N          int             `json:"n"`
	Kind       agent.Kind      `json:"kind"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args,omitempty"` // where the call itself is decided on
	Payload    json.RawMessage `json:"suspendPayload"`
	Since      time.Time       `json:"since"`
}

type reportDenied struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Reason     string `json:"reason"`
}

type reportUnanswered struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Content    string `json:"content"`
}

type reportPlan struct {
	Path     string `json:"path"`
	Title    string `json:"title"`
	Digest   string `json:"digest"`
	Revision int    `json:"revision"`
	Decision string `json:"decision"`
	Approved bool   `json:"approved"`
}

type reportError struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint"`
	Retryable bool   `json:"retryable"`
}

// emptyReport is the final object of a command that reached no run.
func emptyReport() report {
	return report{
		Version: reportVersion, UsageByMode: []agent.ModeUsage{}, Suspensions: []reportSuspension{}, Denied: []reportDenied{},
		Unanswered: []reportUnanswered{}, Next: []next.Command{},
	}
}

// newReport makes the final object of a run. status is the run's as the store
// knows it; prefix holds the words every next command begins with.
func newReport(st *agent.State, status agent.Status, prefix []string) report {
	run := st.Run
	r := emptyReport()
	r.RunID, r.Status, r.Reason, r.Title, r.Workspace = run.ID, status, run.Reason, run.Title, run.Workspace
	r.Mode, r.Model, r.Text, r.Usage = run.Mode, run.Model, run.Text, run.Usage
	r.FinishReason = run.FinishReason
	r.UsageByMode = append(r.UsageByMode, st.UsageByMode()...)
	r.ExitCode = exit.OfState(st, status)
	r.Suspensions = reportSuspensions(st.Open())
	for _, d := range st.Denied() {
		r.Denied = append(r.Denied, reportDenied{d.ToolCallID, d.ToolName, d.Reason})
	}
	for _, u := range st.Unanswered() {
		r.Unanswered = append(r.Unanswered, reportUnanswered{u.ToolCallID, u.ToolName, u.Content})
	}
	if plans := st.Plans(); len(plans) > 0 {
		r.Plan = newReportPlan(plans[len(plans)-1])
	}
	if e := run.Error; e != nil {
		r.Error = &reportError{Code: e.Code, Message: e.Message, Hint: e.Hint, Retryable: e.Retryable}
	}
	r.Next = next.Of(st, status, prefix)
	return r
}

func reportSuspensions(open []agent.Suspension) []reportSuspension {
	list := []reportSuspension{}
	for _, s := range open {
		item := reportSuspension{ToolCallID: s.ToolCallID, N: s.N, Kind: s.Kind, ToolName: s.ToolName, Payload: s.Payload, Since: s.Since}
		if s.Kind == agent.KindApproval || s.Kind == agent.KindInDoubt {
			item.Args = s.Args
		}
		list = append(list, item)
	}
	return list
}

func newReportPlan(p agent.Plan) *reportPlan {
	return &reportPlan{
		Path: p.Path, Title: p.Title, Digest: p.Digest, Revision: p.Revision,
		Decision: p.Decision, Approved: p.Decision == agent.PlanApproved,
	}
}

// failed returns r with a fault of the command in place of the run's own.
func (r report) failed(err error, code int) report {
	r.ExitCode, r.Error = code, errorReport(err)
	return r
}

// errorReport is err in JSON. What stands below its first line is for whoever
// wants to know what to do.
func errorReport(err error) *reportError {
	message, more, _ := strings.Cut(err.Error(), "\n")
	hint := strings.Trim(more+"\n"+exit.Hint(err), "\n")
	return &reportError{Code: exit.ErrorCode(err), Message: message, Hint: hint, Retryable: retryable(err)}
}

// retryable reports whether the same command may succeed later.
func retryable(err error) bool {
	return errors.Is(err, agent.ErrBusy) || errors.Is(err, runstore.ErrLocked)
}
