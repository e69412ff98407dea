package agent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

var errKilled = errors.New("killed")

// mortal is the store of a process that is killed at its commit number left:
// before it reaches the disk, or right after, before the process learns of it.
type mortal struct {
	*runstore.MemoryStore
	left  int
	after bool
	dead  bool
}

func (m *mortal) Commit(ctx context.Context, c agent.Change) (int64, error) {
	if m.dead {
		return 0, errKilled
	}
	if m.left--; m.left >= 0 {
		return m.MemoryStore.Commit(ctx, c)
	}
	var err error
	if m.after {
		_, err = m.MemoryStore.Commit(ctx, c)
	}
	m.dead = true
	return 0, errors.Join(errKilled, err, m.Close())
}

func (m *mortal) Load(ctx context.Context, id string) (agent.Snapshot, error) {
	if m.dead {
		return agent.Snapshot{}, errKilled
	}
	return m.MemoryStore.Load(ctx, id)
}

// crashScenario is a run and the person who answers it.
type crashScenario struct {
	name  string
	turns func(r **rig) []any
	// tools make the effects that must not happen twice.
	tools func() []agent.Tool
	// answer answers what is open.
	answer func(s agent.Suspension, done *probe) any
	// window is the model's; 0: not known.
	window int64
}

func crashScenarios() []crashScenario {
	decide := func(s agent.Suspension, act *probe) any {
		switch s.Kind {
		case agent.KindPlan:
			var sub agent.PlanSubmission
			if sub, _ = agent.Decode[agent.PlanSubmission](agent.Event{Payload: s.Payload}); sub.Title == "First" {
				return agent.PlanDecision{Action: "rejected", Feedback: "shorter"}
			}
			return agent.PlanDecision{Action: "approved"}
		case agent.KindApproval:
			return agent.ApprovalDecision{Action: "approved"}
		case agent.KindInDoubt: // the person looks whether it happened
			if act.calls.Load() > 0 {
				return agent.DoubtDecision{Action: "happened"}
			}
			return agent.DoubtDecision{Action: "again"}
		}
		if s.ToolCallID == "q" {
			return "Red"
		}
		return "answer to " + s.ToolCallID
	}
	act := func() []agent.Tool {
		return []agent.Tool{
			tool("make", agent.EffectOnce, nil),
			tool("look", agent.EffectReadOnly, nil),
			tool("put", agent.EffectIdempotent, nil),
		}
	}
	return []crashScenario{
		{name: "main job", turns: mainJob, tools: act, answer: decide},
		{name: "mixed step", tools: act, answer: decide, turns: func(**rig) []any {
			return []any{
				calls(ask("q1", "One?"), call("l", "look", `{}`), call("m", "make", `{}`), call("p", "put", `{}`), ask("q2", "Two?"), call("x", "fly", `{}`)),
				says("done"),
			}
		}},
		{name: "long run", tools: act, answer: decide, window: 9_000, turns: func(r **rig) []any {
			turns := chatty(r)
			return append(turns[:len(turns)-1], calls(call("m", "make", `{}`)), says("done"))
		}},
	}
}

// After every commit of every scenario: killed, taken up by another process,
// the same end, each effect at most once, every call exactly one result.
func TestCrash_AtEveryRecord(t *testing.T) {
	t.Parallel()
	for _, sc := range crashScenarios() {
		for _, permission := range []agent.Permissions{nil, askMake{}} {
			whole := sc.live(t, permission, 1<<30, false)
			for _, after := range []bool{false, true} {
				for k := range whole.commits {
					t.Run(fmt.Sprintf("%s/asking %t/commit %d landed %t", sc.name, permission != nil, k+1, after), func(t *testing.T) {
						t.Parallel()
						got := sc.live(t, permission, k, after)
						if got.lost {
							return // nothing was acknowledged
						}
						whole.compare(t, got)
					})
				}
			}
		}
	}
}

// askMake asks about the tool that acts only once.
type askMake struct{}

func (askMake) Decide(p agent.PermissionRequest) agent.Verdict {
	if p.Tool.Name == "make" {
		return agent.Verdict{Action: agent.ActionAsk}
	}
	return agent.Verdict{Action: agent.ActionAllow}
}

// life is what came of a run that was killed at one commit.
type life struct {
	commits int
	lost    bool // killed before anything was stored
	run     agent.Run
	results map[string]string
	asked   map[string]int // suspensions by call and kind
	made    int32
}

// live lets a run be killed at commit k of its first process, and finishes it
// in a second one.
func (sc crashScenario) live(t *testing.T, permission agent.Permissions, k int, after bool) life {
	t.Helper()
	extra := sc.tools()
	act := extra[0].(*probe)
	r := newRig(t, nil, extra...)
	r.model.turns = sc.turns(&r)
	shared := r.cfg.Store.(*runstore.MemoryStore)
	first := &mortal{MemoryStore: shared.Handle(), left: k, after: after}
	r.rebuild(small(sc.window))
	r.rebuild(func(c *agent.Config) { c.Store, c.Permission = first, permission })
	d := r.start(agent.Task{Prompt: "Make it"})
	err := d.err
	if err == nil {
		err = sc.finish(t, r, d.runID, act)
	}
	if err != nil {
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		r.rebuild(func(c *agent.Config) { c.Store = shared.Handle() })
		if _, err := r.cfg.Store.Load(t.Context(), d.runID); errors.Is(err, agent.ErrRunNotFound) {
			return life{lost: true}
		}
		if err := sc.finish(t, r, d.runID, act); err != nil {
			t.Fatal(err)
		}
	}
	snap := r.load(d.runID)
	l := life{commits: 1<<30 - first.left, run: snap.Run, results: results(t, snap.Events), asked: map[string]int{}, made: act.calls.Load()}
	for _, e := range snap.Events {
		if e.Type == agent.ToolCallSuspended || e.Type == agent.ToolCallApproval {
			p, _ := agent.Decode[agent.SuspendedPayload](e)
			l.asked[p.ToolCallID+" "+string(p.Kind)]++
		}
	}
	return l
}

// finish answers and continues until the run is finished.
func (sc crashScenario) finish(t *testing.T, r *rig, id string, act *probe) error {
	t.Helper()
	for range 40 {
		snap, err := r.cfg.Store.Load(context.Background(), id)
		if err != nil {
			return err
		}
		var d drained
		switch snap.Current() {
		case agent.StatusFinished:
			return nil
		case agent.StatusSuspended:
			s := snap.Open[0]
			d = r.resume(sc.answer(s, act), agent.Resume{RunID: id, ToolCallID: s.ToolCallID, N: s.N})
		default:
			d = drain(t, r.Continue(t.Context(), agent.Resume{RunID: id}))
		}
		if d.err != nil {
			return d.err
		}
	}
	return fmt.Errorf("run %s does not come to an end: %+v", id, r.load(id).Run)
}

func (l life) compare(t *testing.T, got life) {
	t.Helper()
	if got.run.Text != l.run.Text || got.run.Mode != l.run.Mode || got.run.FinishReason != l.run.FinishReason {
		t.Errorf("run %+v, want %+v", got.run, l.run)
	}
	if got.made != 1 {
		t.Errorf("the effect happened %d times", got.made)
	}
	for id, want := range l.results {
		if have, ok := got.results[id]; !ok || have != want && id[0] != 'm' {
			t.Errorf("result of %s: %q, want %q", id, have, want)
		}
	}
	if len(got.results) != len(l.results) {
		t.Errorf("results %v, want %v", got.results, l.results)
	}
	for what, n := range got.asked {
		if n > 1 {
			t.Errorf("asked %d times: %s", n, what)
		}
	}
}
