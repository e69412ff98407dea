package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// TestConfig_Gate asks about each call that would be made, in their order, and
// makes none that it denies.
func TestConfig_Gate(t *testing.T) {
	t.Parallel()
	var asked []string
	read, write := tool("read", agent.EffectReadOnly, nil), tool("write", agent.EffectOnce, nil)
	r := newRig(t, []any{
		calls(call("a", "read", `{"n":1}`), call("b", "write", `{}`), ask("q", "Which?"), call("c", "read", `{}`), call("d", "write", `{}`), call("e", "none", `{}`)),
		says("Done."),
	}, read, write)
	r.rebuild(func(c *agent.Config) {
		c.Gate = func(_ context.Context, def agent.Definition, call agent.Call) error {
			asked = append(asked, call.ID+" "+def.Name+" "+string(call.Args))
			if call.ID == "b" || call.ID == "c" {
				return errors.New("not " + call.ID)
			}
			return nil
		}
	})
	d := r.start(agent.Task{OnQuestion: agent.OnQuestionFallback}).wantStatus(agent.StatusFinished)
	want := []string{`a read {"n":1}`, "b write {}", "c read {}", "d write {}"}
	if len(asked) != len(want) {
		t.Fatalf("asked about %q", asked)
	}
	for i, w := range want {
		if asked[i] != w {
			t.Errorf("asked about %q, want %q", asked[i], w)
		}
	}
	denied := d.state.Denied()
	if len(denied) != 2 || denied[0].ToolCallID != "b" || denied[0].Reason != "not b" || denied[0].Cause != agent.DeniedByPolicy || denied[1].ToolCallID != "c" {
		t.Errorf("denied %+v", denied)
	}
	if read.calls.Load() != 1 || write.calls.Load() != 1 {
		t.Errorf("read ran %d times, write %d times", read.calls.Load(), write.calls.Load())
	}
}

// TestConfig_Gate_stopped denies nothing because the drive was stopped while
// it was asked: the call is made when the run goes on.
func TestConfig_Gate_stopped(t *testing.T) {
	t.Parallel()
	write := tool("write", agent.EffectOnce, nil)
	r := newRig(t, []any{calls(call("a", "write", `{}`)), says("Done.")}, write)
	ctx, cancel := context.WithCancel(t.Context())
	first := true
	r.rebuild(func(c *agent.Config) {
		c.Gate = func(ctx context.Context, _ agent.Definition, _ agent.Call) error {
			if first {
				first = false
				cancel()
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
	})
	d := drain(t, r.StreamTask(ctx, agent.Task{Prompt: "Do it", Workspace: r.workspace})).wantStatus(agent.StatusPaused)
	end := drain(t, r.Continue(t.Context(), agent.Resume{RunID: d.runID})).wantStatus(agent.StatusFinished)
	if len(end.state.Denied()) != 0 || write.calls.Load() != 1 {
		t.Errorf("denied %+v, ran %d times", end.state.Denied(), write.calls.Load())
	}
}
