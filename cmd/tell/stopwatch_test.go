package tell

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestStopwatch(t *testing.T) {
	t.Parallel()
	d := &told{t: t, at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	a, b := callOf("a", "read_file", `{}`), callOf("b", "write_file", `{}`)
	d.tell(0, agent.ToolCallRequested, a)
	d.tell(0, agent.ToolCallRequested, b)
	d.tell(2*time.Second, agent.ToolResult, agent.ResultPayload{CallPayload: a})
	d.tell(time.Second, agent.ToolResult, agent.ResultPayload{CallPayload: b, Result: agent.Result{Changes: []agent.FileChange{{}}}})
	d.tell(0, agent.ToolCallRequested, callOf("q", "ask_user", `{}`))
	d.tell(0, agent.ToolCallSuspended, agent.SuspendedPayload{CallPayload: agent.CallPayload{ToolCallID: "q"}})
	d.tell(time.Hour, agent.ToolCallResumed, agent.ResumedPayload{CallPayload: agent.CallPayload{ToolCallID: "q"}})
	d.tell(time.Second, agent.ToolResult, agent.ResultPayload{CallPayload: callOf("q", "ask_user", `{}`)})
	d.tell(0, agent.ToolCallApproval, agent.SuspendedPayload{CallPayload: agent.CallPayload{ToolCallID: "s"}})
	d.tell(time.Hour, agent.ToolCallResumed, agent.ResumedPayload{CallPayload: agent.CallPayload{ToolCallID: "s"}})
	d.tell(0, agent.ToolCallStarted, agent.CallPayload{ToolCallID: "s"})
	d.tell(1500*time.Millisecond, agent.ToolResult, agent.ResultPayload{CallPayload: callOf("s", "shell", `{}`)})
	d.tell(time.Hour, agent.ToolResult, agent.ResultPayload{CallPayload: callOf("x", "shell", `{}`), Result: agent.Result{Details: map[string]any{"durationMs": 12}}})
	d.tell(0, agent.ToolCallRequested, callOf("t", "shell", `{}`))
	d.tell(0, agent.ToolCallRequested, callOf("r", "read_file", `{}`))
	d.tell(0, agent.ToolCallStarted, agent.CallPayload{ToolCallID: "t"})
	d.tell(20*time.Second, agent.ToolResult, agent.ResultPayload{CallPayload: callOf("t", "shell", `{}`)})
	d.tell(time.Second, agent.ToolResult, agent.ResultPayload{CallPayload: callOf("r", "read_file", `{}`)})
	want := map[string]string{"a": "2s", "b": "1s", "q": "", "s": "1.5s", "x": "12ms", "t": "20s", "r": "1s"}
	var w stopwatch
	for _, e := range d.events {
		w.see(e)
		if e.Type != agent.ToolResult {
			continue
		}
		var p agent.ResultPayload
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			t.Fatal(err)
		}
		if got := w.stop(e.At, p); got != want[p.ToolCallID] {
			t.Errorf("%s took %q, want %q", p.ToolCallID, got, want[p.ToolCallID])
		}
	}
}
