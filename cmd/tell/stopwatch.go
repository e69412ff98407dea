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
	last  time.Time // of the newest result
}

// see notes a record.
func (w *stopwatch) see(e agent.Event) {
	if e.At.IsZero() {
		return
	}
	if w.began == nil {
		w.began = map[string]time.Time{}
	}
	switch e.Type {
	case agent.ToolCallRequested, agent.ToolCallStarted:
		shown(e, func(p agent.CallPayload) { w.began[p.ToolCallID] = e.At })
	case agent.ToolCallSuspended, agent.ToolCallApproval, agent.ToolCallResumed:
		shown(e, func(p agent.CallPayload) { delete(w.began, p.ToolCallID) })
	}
}

// stop returns how long the call of a result took, "" if that is not known.
func (w *stopwatch) stop(at time.Time, p agent.ResultPayload) string {
	began, ok := w.began[p.ToolCallID]
	if len(p.Result.Changes) > 0 && w.last.After(began) {
		began = w.last // calls that change something run one after the other
	}
	delete(w.began, p.ToolCallID)
	if !at.IsZero() {
		w.last = at
	}
	if ms, exact := p.Result.Details["durationMs"].(float64); exact && ms >= 0 {
		return text.Took(time.Duration(ms) * time.Millisecond)
	}
	if !ok || at.IsZero() {
		return ""
	}
	return text.Took(at.Sub(began))
}
