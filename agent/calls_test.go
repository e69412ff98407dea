package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestAgent_CallsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	bad := tool("panics", agent.EffectReadOnly, func(context.Context, agent.Call) (agent.Result, error) { panic("boom") })
	fails := tool("fails", agent.EffectReadOnly, func(context.Context, agent.Call) (agent.Result, error) {
		return agent.Result{Content: "half"}, errors.New("disk on fire")
	})
	r := newRig(t, []any{
		calls(
			call("a", "fly", `{}`),
			call("b", "ask_user", `{"question": "unfinished`),
			call("c", "ask_user", `[1]`),
			call("d", "panics", `{}`),
			call("e", "fails", ``),
			call("e", "ask_user", `{"question":""}`),
			call("", "fly", `{}`),
		),
		calls(call("a", "fly", `{}`)),
		says("done"),
	}, bad, fails)
	d := r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	got := results(t, r.load(d.runID).Events)
	for id, want := range map[string]string{
		"a": `"fly" is not available in mode "plan". Available tools: ask_user, submit_plan, panics, fails`,
		"b": "not a JSON object", "c": "not a JSON object", "d": "panicked: boom", "e": "disk on fire\nhalf",
		"e-2": "question", "a-2": "fly",
	} {
		wantContains(t, got[id], want)
	}
	if len(got) != 8 {
		t.Fatalf("results %v", got)
	}
	// What the model reads pairs every call with its result, in call order.
	msgs := r.model.requests()[1].Messages
	said, outs := msgs[len(msgs)-2].ToolCalls, msgs[len(msgs)-1].Outputs
	for i, c := range said {
		if outs[i].CallID != c.ID || !outs[i].IsError {
			t.Fatalf("call %+v, output %+v", c, outs[i])
		}
	}
}

// Parallel questions are both open and answered in any order.
func TestAgent_SeveralSuspensionsInOneStep(t *testing.T) {
	t.Parallel()
	reader := tool("read", agent.EffectReadOnly, nil)
	r := newRig(t, []any{calls(ask("q1", "One?"), call("r", "read", `{}`), ask("q2", "Two?")), says("done")}, reader)
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	if got, want := d.types(), "start step-start message tool-call tool-call tool-call tool-result tool-call-suspended tool-call-suspended"; got != want {
		t.Fatalf("events %s", got)
	}
	id := d.runID
	amb := r.resume("x", agent.Resume{RunID: id}).wantErr(agent.ErrAmbiguous)
	wantContains(t, amb.err.Error(), "q1, q2")
	d = r.resume("second", agent.Resume{RunID: id, ToolCallID: "q2"}).wantStatus(agent.StatusSuspended)
	if d.types() != "tool-call-resumed" || r.load(id).Owner != nil {
		t.Fatalf("events %s", d.types())
	}
	d = r.resume("first", agent.Resume{RunID: id}).wantStatus(agent.StatusFinished)
	if got, want := d.types(), "tool-call-resumed tool-result tool-result step-finish step-start text-delta message step-finish finish"; got != want {
		t.Fatalf("events %s", got)
	}
	outs := r.model.requests()[1].Messages[2].Outputs
	if outs[0].Content != "User answered: first" || outs[1].Content != "read done" || outs[2].Content != "User answered: second" {
		t.Fatalf("outputs %+v", outs)
	}
	if reader.calls.Load() != 1 {
		t.Fatalf("read ran %d times", reader.calls.Load())
	}
}

func TestAgent_SuspensionsThatFollowEachOther(t *testing.T) {
	t.Parallel()
	wizard := tool("wizard", agent.EffectReadOnly, func(_ context.Context, c agent.Call) (agent.Result, error) {
		if len(c.Suspensions) < 3 {
			return c.Suspend(map[string]int{"page": len(c.Suspensions) + 1})
		}
		var all []string
		for _, s := range c.Suspensions {
			all = append(all, string(s.Answer.Data))
		}
		return agent.Result{Content: strings.Join(all, " ")}, nil
	})
	r := newRig(t, []any{calls(call("w", "wizard", `{}`)), says("done")}, wizard)
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	for i, answer := range []any{map[string]int{"a": 1}, []int{2}, json.RawMessage(`"three"`)} {
		open := d.state.Open()
		if len(open) != 1 || open[0].N != i+1 || open[0].Kind != agent.KindCustom {
			t.Fatalf("open %+v", open)
		}
		d = r.resume(answer, agent.Resume{RunID: d.runID, ToolCallID: "w", N: i + 1})
	}
	d.wantStatus(agent.StatusFinished)
	if got := results(t, r.load(d.runID).Events)["w"]; got != `{"a":1} [2] "three"` {
		t.Fatalf("result %s", got)
	}
	r.resume("x", agent.Resume{RunID: d.runID, ToolCallID: "w", N: 4}).wantErr(agent.ErrUnknownToolCall)
}

func TestAgent_SecondPlanOfAStep(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(submit("p1", planPath), submit("p2", planPath)), says("done")})
	r.write(planPath, "# T\n\nB\n")
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	if open := d.state.Open(); len(open) != 1 || open[0].ToolCallID != "p1" {
		t.Fatalf("open %+v", open)
	}
	wantContains(t, results(t, r.load(d.runID).Events)["p2"], "one plan")
}

// askAll asks about every call and offers a rule.
type askAll struct{}

func (askAll) Decide(p agent.PermissionRequest) agent.Verdict {
	rule := p.Tool.Name + "(*)"
	for _, g := range p.Grants {
		if g == rule {
			return agent.Verdict{Action: agent.ActionAllow}
		}
	}
	return agent.Verdict{Action: agent.ActionAsk, Reason: "it acts", Rule: rule}
}

func TestAgent_Approval(t *testing.T) {
	t.Parallel()
	turns := []any{calls(call("a", "act", `{"x":1}`)), calls(call("b", "act", `{"x":2}`)), says("done")}
	setup := func(t *testing.T) (*rig, *probe) {
		act := tool("act", agent.EffectOnce, nil)
		r := newRig(t, turns, act)
		r.rebuild(func(c *agent.Config) { c.Permission = askAll{} })
		return r, act
	}
	t.Run("once", func(t *testing.T) {
		t.Parallel()
		r, act := setup(t)
		d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
		p := payload[agent.SuspendedPayload](t, d.events, agent.ToolCallApproval)
		if p.Kind != agent.KindApproval || string(p.Args) != `{"x":1}` || act.calls.Load() != 0 {
			t.Fatalf("payload %+v", p)
		}
		d = r.resume(agent.ApprovalDecision{Action: "approved"}, agent.Resume{RunID: d.runID}).wantStatus(agent.StatusSuspended)
		if act.calls.Load() != 1 || d.state.Open()[0].ToolCallID != "b" {
			t.Fatalf("%d calls", act.calls.Load())
		}
		d = r.resume(agent.ApprovalDecision{Action: "rejected", Feedback: "too much"}, agent.Resume{RunID: d.runID}).wantStatus(agent.StatusFinished)
		wantContains(t, results(t, r.load(d.runID).Events)["b"], "too much")
		if act.calls.Load() != 1 || d.state.Denied()[0].Cause != agent.DeniedByPerson {
			t.Fatalf("%d calls, denied %+v", act.calls.Load(), d.state.Denied())
		}
	})
	t.Run("for the run", func(t *testing.T) {
		t.Parallel()
		r, act := setup(t)
		d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
		d = r.resume(agent.ApprovalDecision{Action: "approved", Scope: "run"}, agent.Resume{RunID: d.runID}).wantStatus(agent.StatusFinished)
		if got := d.state.Grants(); len(got) != 1 || got[0] != "act(*)" || act.calls.Load() != 2 {
			t.Fatalf("grants %v, %d calls", got, act.calls.Load())
		}
	})
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		r, act := setup(t)
		d := r.start(agent.Task{OnQuestion: agent.OnQuestionFallback}).wantStatus(agent.StatusFinished)
		denied := d.state.Denied()
		if len(denied) != 2 || denied[0].Reason != "nobody could be asked" || denied[0].Cause != agent.DeniedNobody || act.calls.Load() != 0 {
			t.Fatalf("denied %+v, %d calls", denied, act.calls.Load())
		}
	})
	t.Run("refused answers", func(t *testing.T) {
		t.Parallel()
		r, act := setup(t)
		d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
		for _, raw := range []string{
			`"approved"`, `{}`, `null`, `{"Action":"approved"}`, `{"action":"approved","action":"approved"}`,
			`{"action":"Approved"}`, `{"action":"approved","scope":"always"}`, `{"action":"approved","extra":1}`, `{"action":"approved"`,
		} {
			r.resume(json.RawMessage(raw), agent.Resume{RunID: d.runID}).wantErr(agent.ErrInvalidAnswer)
		}
		if act.calls.Load() != 0 || len(r.load(d.runID).Open) != 1 {
			t.Fatal("a refused answer changed something")
		}
	})
}

func TestAgent_ModePolicyIsEnforced(t *testing.T) {
	t.Parallel()
	hidden := tool("hidden", agent.EffectOnce, nil)
	r := newRig(t, []any{calls(call("h", "hidden", `{}`)), says("done")})
	r.rebuild(func(c *agent.Config) { c.Registered = []agent.Tool{hidden} })
	d := r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	wantContains(t, results(t, r.load(d.runID).Events)["h"], "not available")
	if hidden.calls.Load() != 0 {
		t.Fatal("a tool outside the mode ran")
	}
	for _, def := range r.model.requests()[0].Tools {
		if def.Name == "hidden" {
			t.Fatal("a tool outside the mode was offered")
		}
	}
}

func TestAgent_ReadOnlyCallsRunInParallel(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 3), make(chan struct{})
	meet := tool("meet", agent.EffectReadOnly, func(ctx context.Context, c agent.Call) (agent.Result, error) {
		arrived <- struct{}{}
		if len(arrived) == 3 {
			close(release)
		}
		select {
		case <-release:
			return agent.Result{Content: string(c.Args)}, nil
		case <-ctx.Done():
			return agent.Result{}, ctx.Err()
		}
	})
	r := newRig(t, []any{calls(call("1", "meet", `1`), call("a", "meet", `{"n":1}`), call("b", "meet", `{"n":2}`), call("c", "meet", `{"n":3}`)), says("done")}, meet)
	d := r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	var order []string
	for _, e := range d.events {
		if e.Type == agent.ToolResult {
			p, _ := agent.Decode[agent.ResultPayload](e)
			order = append(order, p.ToolCallID)
		}
	}
	if got := strings.Join(order, " "); got != "1 a b c" {
		t.Fatalf("results in order %s", got)
	}
}
