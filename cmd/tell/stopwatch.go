package tell

import (
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// stopwatch tells from the times of records how long calls took. Waiting for a
// person is not counted.
type stopwatch struct {
	began map[string]time.Time
	last  time.Time       // of the newest result
	alone time.Time       // of the newest result of a call that no other ran beside
	lone  map[string]bool // calls of that kind, known from their start
}

// see notes a record.
func (w *stopwatch) see(e agent.Event) {
	if e.At.IsZero() {
		return
	}
	if w.began == nil {
		w.began, w.lone = map[string]time.Time{}, map[string]bool{}
	}
	switch e.Type {
	case agent.ToolCallRequested, agent.ToolCallStarted:
		shown(e, func(p agent.CallPayload) {
			w.began[p.ToolCallID], w.lone[p.ToolCallID] = e.At, e.Type == agent.ToolCallStarted
		})
	case agent.ToolCallSuspended, agent.ToolCallApproval, agent.ToolCallResumed:
		shown(e, func(p agent.CallPayload) { delete(w.began, p.ToolCallID) })
	}
}

// stop returns how long the call of a result took, "" if that is not known.
func (w *stopwatch) stop(at time.Time, p agent.ResultPayload) string {
	began, ok := w.began[p.ToolCallID]
	alone := len(p.Result.Changes) > 0 || w.lone[p.ToolCallID] // calls that change something run one after the other
	after := w.alone
	if alone {
		after = w.last
	}
	if after.After(began) {
		began = after
	}
	delete(w.began, p.ToolCallID)
	if !at.IsZero() {
		w.last = at
		if alone {
			w.alone = at
		}
	}
	if ms, exact := p.Result.Details["durationMs"].(float64); exact && ms >= 0 {
		return text.Took(time.Duration(ms) * time.Millisecond)
	}
	if !ok || at.IsZero() {
		return ""
	}
	return text.Took(at.Sub(began))
}
