package cmd

import (
	"fmt"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
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
		return took(time.Duration(ms) * time.Millisecond)
	}
	if !ok || at.IsZero() {
		return ""
	}
	return took(at.Sub(began))
}

// took is a duration as a person reads it.
func took(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute && d%time.Second == 0:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// waitText says when something happens after a wait.
func waitText(d time.Duration) string {
	d = d.Round(100 * time.Millisecond)
	switch {
	case d <= 0:
		return "at once"
	case d < time.Second:
		return fmt.Sprintf("in %.1fs", d.Seconds())
	}
	return "in " + took(d)
}

// size is a number of bytes as a person reads it.
func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
}
