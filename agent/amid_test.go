package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// A drive can be stopped amid the calls of a step: at the call "stop". What was
// settled stays so, what a call that acted asks is asked, and the rest is made
// when the run goes on. The rig replays each of these journals.
func TestAgent_StoppedAmidCalls(t *testing.T) {
	t.Parallel()
	deploys := []agent.ToolCall{ask("q", "Which?"), call("stop", "deploy", `{}`)}
	deployed := []agent.ToolCall{ask("q", "Which?"), call("d", "deploy", `{}`)}
	const (
		suspended = "tool-call-started tool-call-suspended tool-call-suspended"
		failed    = "tool-call-started tool-output-denied tool-output-denied error"
	)
	fail := agent.Task{OnQuestion: agent.OnQuestionFail}
	for name, c := range map[string]struct {
		task  agent.Task
		calls []agent.ToolCall
		gated bool // it is at the gate that the call stops the drive
		want  string
	}{
		"at the last":               {calls: deploys, want: suspended},
		"before a question":         {calls: append(deploys, ask("q2", "Why?")), want: suspended},
		"before a look":             {calls: append(deploys, call("l", "look", `{}`)), want: suspended},
		"before an effect":          {calls: append(deploys, call("m", "make", `{}`)), want: suspended},
		"in a look":                 {calls: append(deployed, call("stop", "look", `{}`), call("m", "make", `{}`)), want: suspended},
		"failing, at the last":      {task: fail, calls: deploys, want: failed},
		"failing, before a look":    {task: fail, calls: append(deploys, call("l", "look", `{}`)), want: failed},
		"failing, before an effect": {task: fail, calls: append(deploys, call("m", "make", `{}`)), want: failed},
		"failing, in a look": {
			task: fail, calls: append(deployed, call("stop", "look", `{}`), call("f", "fly", `{}`)),
			want: "tool-call-started tool-result tool-output-denied tool-output-denied error",
		},
		"in a look, before an unknown tool": {
			calls: []agent.ToolCall{call("stop", "look", `{}`), call("f", "fly", `{}`)}, want: "tool-result pause",
		},
		"at the gate, before an unknown tool": {
			calls: []agent.ToolCall{call("stop", "make", `{}`), call("f", "fly", `{}`)}, gated: true, want: "tool-result pause",
		},
		"after a request and one that met nobody": {
			task:  agent.Task{OnQuestion: agent.OnQuestionFallback, Expected: func(s agent.Suspension) bool { return s.ToolCallID == "q" }},
			calls: []agent.ToolCall{ask("q", "Which?"), ask("q2", "Why?"), call("stop", "make", `{}`)},
			want:  "tool-result tool-call-started tool-result pause",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := stopRig(t, c.calls, c.gated, cancel)
			c.task.Prompt, c.task.Workspace = "Do it", r.workspace
			d := drain(t, r.StreamTask(ctx, c.task))
			if got := sinceCalls(r.load(d.runID).Events); got != c.want || d.err != nil {
				t.Errorf("the drive ended with %s (%v), want %s", got, d.err, c.want)
			}
		})
	}
}

// stopRig is an agent whose call "stop" ends the drive.
func stopRig(t *testing.T, step []agent.ToolCall, gated bool, cancel context.CancelFunc) *rig {
	t.Helper()
	stop := func(c agent.Call) {
		if c.ID == "stop" {
			cancel()
		}
	}
	r := newRig(t, []any{calls(step...), says("done")},
		tool("deploy", agent.EffectOnce, func(_ context.Context, c agent.Call) (agent.Result, error) {
			stop(c)
			return c.Suspend("where to")
		}),
		tool("make", agent.EffectOnce, func(_ context.Context, c agent.Call) (agent.Result, error) {
			stop(c)
			return agent.Result{Content: "made"}, nil
		}),
		tool("look", agent.EffectReadOnly, func(ctx context.Context, c agent.Call) (agent.Result, error) {
			stop(c)
			return agent.Result{Content: "seen"}, ctx.Err()
		}))
	if gated {
		r.rebuild(func(c *agent.Config) {
			c.Gate = func(ctx context.Context, _ agent.Definition, c agent.Call) error {
				stop(c)
				return ctx.Err()
			}
		})
	}
	return r
}

// sinceCalls is the types of the records after the last calls were asked for.
func sinceCalls(events []agent.Event) string {
	all := drained{events: events}.types()
	return strings.TrimSpace(all[strings.LastIndex(all, "tool-call ")+len("tool-call "):])
}

// A drive may be stopped before anything new came of the calls it went on with.
func TestAgent_StoppedAfterADoubt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := stopRig(t, []agent.ToolCall{call("m", "make", `{}`), call("stop", "look", `{}`)}, false, cancel)
	shared := r.cfg.Store.(*runstore.MemoryStore)
	r.rebuild(func(c *agent.Config) { c.Store = &mortal{MemoryStore: shared.Handle(), left: 2} })
	id := r.start(agent.Task{}).wantErr(errKilled).runID
	r.rebuild(func(c *agent.Config) { c.Store = shared.Handle() })
	drain(t, r.Continue(ctx, agent.Resume{RunID: id, OnQuestion: agent.OnQuestionFail})).wantStatus(agent.StatusFailed)
	if got := sinceCalls(r.load(id).Events); got != "tool-call-started resume tool-result error" {
		t.Errorf("the drive ended with %s", got)
	}
}
