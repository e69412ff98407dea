package cmd

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
	want := map[string]string{"a": "2s", "b": "1s", "q": "", "s": "1.5s", "x": "12ms"}
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

func TestTook(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0ms", 0: "0ms", 1999 * time.Microsecond: "1ms", time.Second: "1s", 1240 * time.Millisecond: "1.2s",
		59_990 * time.Millisecond: "59.9s", time.Minute: "1m00s", 125 * time.Second: "2m05s", time.Hour: "1h00m", 26*time.Hour + 3*time.Minute: "26h03m",
	} {
		if got := took(d); got != want {
			t.Errorf("%s is %s, want %s", d, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1234: "1.2 kB", 2_500_000: "2.5 MB"} {
		if got := size(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestWaitText(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{
		0: "at once", 20 * time.Millisecond: "at once", 421 * time.Millisecond: "in 0.4s", 999 * time.Millisecond: "in 1s",
		1234 * time.Millisecond: "in 1.2s", 3 * time.Second: "in 3s", 90 * time.Second: "in 1m30s",
	} {
		if got := waitText(wait); got != want {
			t.Errorf("waitText(%s) = %q, want %q", wait, got, want)
		}
	}
}
