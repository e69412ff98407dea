package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// A call that was stopped in order is told to the model, not in doubt.
func TestAgent_ContextEndsInATool(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	act := tool("act", agent.EffectOnce, func(ctx context.Context, c agent.Call) (agent.Result, error) {
		c.Output("working")
		<-ctx.Done()
		return agent.Result{Content: "half of it"}, ctx.Err()
	})
	r := newRig(t, []any{calls(ask("q", "Which?"), call("a", "act", `{}`)), says("done")}, act)
	var last *agent.State
	s := r.StreamTask(ctx, agent.Task{Prompt: "x", Workspace: r.workspace})
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == agent.ToolOutputText {
			cancel(errors.New("interrupt"))
		}
	}
	last = s.State()
	if last.Run.Status != agent.StatusPaused || last.Run.Reason != agent.PauseStopped || r.load(s.RunID()).Owner != nil {
		t.Fatalf("run %+v", last.Run)
	}
	if got := results(t, r.load(s.RunID()).Events)["a"]; got != "interrupted by the user\nhalf of it" {
		t.Fatalf("result %q", got)
	}
	d := drain(t, r.Continue(t.Context(), agent.Resume{RunID: s.RunID()})).wantStatus(agent.StatusSuspended)
	if got := d.types(); got != "resume tool-call-suspended" {
		t.Fatalf("events %s", got)
	}
}

func TestAgent_ReaderLeaves(t *testing.T) {
	t.Parallel()
	for _, at := range []agent.EventType{agent.Start, agent.StepStart, agent.TextDelta, agent.ToolCallRequested, agent.ToolOutputText, agent.ToolResult, agent.ToolCallSuspended, agent.StepFinish} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			look := tool("look", agent.EffectReadOnly, func(_ context.Context, c agent.Call) (agent.Result, error) {
				c.Output("looking")
				return agent.Result{Content: "seen"}, nil
			})
			r := newRig(t, []any{agent.Reply{Text: "Hm.", ToolCalls: []agent.ToolCall{call("l", "look", `{}`)}}, calls(ask("q", "Which?")), says("done")}, look)
			s := r.StreamTask(t.Context(), agent.Task{Prompt: "x", Workspace: r.workspace})
			for e := range s.Events() {
				if e.Type == at {
					break
				}
			}
			snap := r.load(s.RunID())
			if snap.Owner != nil || snap.Current() != agent.StatusPaused && snap.Current() != agent.StatusSuspended {
				t.Fatalf("run %+v owner %v", snap.Run, snap.Owner)
			}
			if snap.Status == agent.StatusPaused {
				drain(t, r.Continue(t.Context(), agent.Resume{RunID: s.RunID()})).wantStatus(agent.StatusSuspended)
			}
			r.resume("x", agent.Resume{RunID: s.RunID()}).wantStatus(agent.StatusFinished)
		})
	}
}

func TestAgent_ReaderPanics(t *testing.T) {
	t.Parallel()
	for _, at := range []agent.EventType{agent.Start, agent.StepStart, agent.ToolCallSuspended} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			readerPanics(t, at)
		})
	}
}

func readerPanics(t *testing.T, at agent.EventType) {
	t.Helper()
	r := newRig(t, []any{calls(ask("q", "Which?")), says("done")})
	s := r.StreamTask(t.Context(), agent.Task{Prompt: "x"})
	func() {
		defer func() { _ = recover() }()
		for e := range s.Events() {
			if e.Type == at {
				panic("reader")
			}
		}
	}()
	if snap := r.load(s.RunID()); snap.Status == agent.StatusRunning || snap.Owner != nil {
		t.Fatalf("run %+v owner %v", snap.Run, snap.Owner)
	}
	drain(t, r.Continue(t.Context(), agent.Resume{RunID: s.RunID()})).wantStatus(agent.StatusSuspended)
}

func TestStream_SingleUseAndLazy(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{says("done")})
	s := r.StreamTask(t.Context(), agent.Task{Prompt: "x"})
	if _, err := r.cfg.Store.Load(t.Context(), s.RunID()); !errors.Is(err, agent.ErrRunNotFound) {
		t.Fatalf("the stream did something before it was ranged: %v", err)
	}
	var text strings.Builder
	for part := range s.TextStream() {
		text.WriteString(part)
	}
	if text.String() != "done" || s.Err() != nil {
		t.Fatalf("text %q, %v", text.String(), s.Err())
	}
	if d := drain(t, s); d.err == nil {
		t.Fatal("a stream was ranged twice")
	}
	for _, task := range []agent.Task{{}, {Prompt: " \n"}, {Prompt: "x", Mode: "fly"}, {Prompt: "x", Model: "none"}} {
		s := r.StreamTask(t.Context(), task)
		if d := drain(t, s); d.err == nil {
			t.Errorf("task %+v was started", task)
		}
		if _, err := r.cfg.Store.Load(t.Context(), s.RunID()); !errors.Is(err, agent.ErrRunNotFound) {
			t.Errorf("task %+v was stored", task)
		}
	}
}

func TestAgent_Limits(t *testing.T) {
	t.Parallel()
	look := tool("look", agent.EffectReadOnly, nil)
	r := newRig(t, []any{calls(call("a", "look", `{}`)), calls(call("b", "look", `{}`)), says("done")}, look)
	d := r.start(agent.Task{Limits: agent.Limits{MaxSteps: 1}}).wantStatus(agent.StatusPaused)
	if d.state.Run.Reason != agent.PauseLimit || d.state.Run.FinishReason != agent.FinishMaxSteps {
		t.Fatalf("run %+v", d.state.Run)
	}
	d = drain(t, r.Continue(t.Context(), agent.Resume{RunID: d.runID})).wantStatus(agent.StatusPaused)
	if len(r.model.requests()) != 1 {
		t.Fatal("the limit does not hold over resumptions")
	}
	drain(t, r.Continue(t.Context(), agent.Resume{RunID: d.runID, Limits: &agent.Limits{MaxSteps: 9}})).wantStatus(agent.StatusFinished)
}

func TestAgent_Timeout(t *testing.T) {
	t.Parallel()
	wait := tool("wait", agent.EffectOnce, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	r := newRig(t, []any{calls(call("w", "wait", `{}`)), says("done")}, wait)
	// Long enough for the call to have begun, on a machine that does a dozen other things too.
	d := r.start(agent.Task{Limits: agent.Limits{Timeout: agent.Duration(time.Second)}}).wantStatus(agent.StatusPaused)
	if d.state.Run.Reason != agent.PauseLimit || d.state.Run.FinishReason != agent.FinishTimeout {
		t.Fatalf("run %+v", d.state.Run)
	}
	wantContains(t, results(t, r.load(d.runID).Events)["w"], "time limit")
}

// Driven time leaves out what a person took to answer.
func TestState_DrivenTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := newRig(t, []any{calls(ask("q", "Which?")), says("done")})
	r.rebuild(func(c *agent.Config) {
		c.Now = func() time.Time { now = now.Add(time.Second); return now }
	})
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	first := time.Duration(d.state.Run.Driven)
	now = now.Add(48 * time.Hour)
	d = r.resume("x", agent.Resume{RunID: d.runID}).wantStatus(agent.StatusFinished)
	if total := time.Duration(d.state.Run.Driven); first != 4*time.Second || total != 10*time.Second {
		t.Fatalf("driven %s, then %s", first, total)
	}
}

// TestAgent_ProviderFaults: those that pass are tried again, others pause the run.
func TestAgent_ProviderFaults(t *testing.T) {
	t.Parallel()
	fault := func(status int, times int, then agent.Reply) func(agent.Request) (agent.Reply, error) {
		return func(req agent.Request) (agent.Reply, error) {
			if req.Faults < times {
				return agent.Reply{}, &agent.ProviderError{Status: status, Message: "no", Hint: "pay", Retryable: agent.RetryableStatus(status)}
			}
			return then, nil
		}
	}
	retry := func(c *agent.Config) {
		c.Retry = agent.Retry{MaxElapsed: time.Minute, First: time.Millisecond, Max: time.Millisecond}
	}
	t.Run("retried", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, []any{fault(529, 3, says("done"))})
		r.rebuild(retry)
		d := r.start(agent.Task{}).wantStatus(agent.StatusFinished)
		if n := strings.Count(d.types(), "retry"); n != 3 {
			t.Fatalf("%d retries", n)
		}
	})
	t.Run("given up", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, []any{fault(503, 1, says("done"))})
		d := r.start(agent.Task{}).wantStatus(agent.StatusPaused)
		e := d.state.Run.Error
		if d.state.Run.Reason != agent.PauseProvider || e == nil || !e.Retryable || e.Code != "provider" {
			t.Fatalf("run %+v", d.state.Run)
		}
		d = drain(t, r.Continue(t.Context(), agent.Resume{RunID: d.runID})).wantStatus(agent.StatusFinished)
		if d.state.Run.Error != nil || strings.Contains(d.types(), "step-start") {
			t.Fatalf("events %s, error %+v", d.types(), d.state.Run.Error)
		}
	})
	t.Run("not retried", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, []any{fault(401, 9, says("done"))})
		r.rebuild(retry)
		d := r.start(agent.Task{}).wantStatus(agent.StatusPaused)
		if e := d.state.Run.Error; e.Retryable || e.Hint != "pay" || strings.Contains(d.types(), "retry") {
			t.Fatalf("error %+v, events %s", e, d.types())
		}
	})
	t.Run("cut stream", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, []any{func(agent.Request) (agent.Reply, error) {
			return agent.Reply{}, &agent.ProviderError{Message: "reset", Retryable: true}
		}})
		r.start(agent.Task{}).wantStatus(agent.StatusPaused)
	})
	t.Run("no turn left", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, nil)
		d := r.start(agent.Task{}).wantStatus(agent.StatusFailed)
		wantContains(t, d.state.Run.Error.Message, "no turn 1")
	})
	t.Run("empty replies", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, []any{says(""), says(" "), says("\n"), says("late")})
		d := r.start(agent.Task{}).wantStatus(agent.StatusFailed)
		wantContains(t, d.state.Run.Error.Message, "3 empty replies")
	})
}

func TestAgent_ModelOfAStep(t *testing.T) {
	t.Parallel()
	other := &played{id: "other", turns: []any{says("from the other")}}
	r := newRig(t, []any{says("from the default")})
	r.rebuild(func(c *agent.Config) {
		c.Models = func(id string) (agent.Model, error) {
			if id == "other" {
				return other, nil
			}
			return nil, errors.New("no such thing")
		}
	})
	d := r.start(agent.Task{Model: "other"}).wantStatus(agent.StatusFinished)
	if d.state.Run.Pinned != "other" || d.state.Run.Text != "from the other" {
		t.Fatalf("run %+v", d.state.Run)
	}
	r.start(agent.Task{Model: "nothing"}).wantErr(agent.ErrModelMissing)
	d = r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	other.turns = append(other.turns, says("again"))
	d = drain(t, r.Send(t.Context(), "more", agent.Resume{RunID: d.runID, Model: "other"})).wantStatus(agent.StatusFinished)
	if d.state.Run.Pinned != "other" {
		t.Fatalf("run %+v", d.state.Run)
	}
}

// doubtRun is a run whose process was killed while its call was at work.
func doubtRun(t *testing.T) (r *rig, id string, act *probe) {
	t.Helper()
	act = tool("act", agent.EffectOnce, nil)
	r = newRig(t, []any{calls(call("a", "act", `{}`)), says("done")}, act)
	shared := r.cfg.Store.(*runstore.MemoryStore)
	r.rebuild(func(c *agent.Config) { c.Store = &mortal{MemoryStore: shared.Handle(), left: 2} })
	d := r.start(agent.Task{}).wantErr(errKilled)
	r.rebuild(func(c *agent.Config) { c.Store = shared.Handle() })
	if snap := r.load(d.runID); snap.Current() != agent.StatusInterrupted || act.calls.Load() != 1 {
		t.Fatalf("run is %s after %d calls", snap.Current(), act.calls.Load())
	}
	return r, d.runID, act
}

func TestAgent_InDoubt(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]struct {
		status agent.Status
		calls  int32
		result string
	}{
		"happened": {agent.StatusFinished, 1, "The user confirmed"},
		"again":    {agent.StatusFinished, 2, "act done"},
		"stop":     {agent.StatusCanceled, 1, "denied: the run was canceled"},
	} {
		for _, continued := range []bool{false, true} {
			t.Run(action, func(t *testing.T) {
				t.Parallel()
				r, id, act := doubtRun(t)
				if continued { // else the answer settles the dead run by itself
					d := drain(t, r.Continue(t.Context(), agent.Resume{RunID: id})).wantStatus(agent.StatusSuspended)
					if d.types() != "resume tool-call-suspended" {
						t.Fatalf("events %s", d.types())
					}
				}
				r.resume(json.RawMessage(`{"action":"maybe"}`), agent.Resume{RunID: id}).wantErr(agent.ErrInvalidAnswer)
				r.resume(agent.DoubtDecision{Action: action}, agent.Resume{RunID: id}).wantStatus(want.status)
				if act.calls.Load() != want.calls {
					t.Fatalf("%d calls", act.calls.Load())
				}
				wantContains(t, results(t, r.load(id).Events)["a"], want.result)
			})
		}
	}
	t.Run("fallback", func(t *testing.T) {
		t.Parallel()
		r, id, act := doubtRun(t)
		drain(t, r.Continue(t.Context(), agent.Resume{RunID: id, OnQuestion: agent.OnQuestionFallback})).wantStatus(agent.StatusFinished)
		wantContains(t, results(t, r.load(id).Events)["a"], "unknown")
		if act.calls.Load() != 1 {
			t.Fatalf("%d calls", act.calls.Load())
		}
	})
}

func TestAgent_AnswerToAnInterruptedRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{says("done")})
	shared := r.cfg.Store.(*runstore.MemoryStore)
	r.rebuild(func(c *agent.Config) { c.Store = &mortal{MemoryStore: shared.Handle(), left: 1} })
	d := r.start(agent.Task{}).wantErr(errKilled)
	r.rebuild(func(c *agent.Config) { c.Store = shared.Handle() })
	r.resume("x", agent.Resume{RunID: d.runID}).wantErr(agent.ErrNotSuspended)
	drain(t, r.Continue(t.Context(), agent.Resume{RunID: d.runID})).wantStatus(agent.StatusFinished)
}

func TestAgent_Context(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{says("done")})
	d := r.start(agent.Task{Prompt: "Do it", Context: []agent.ContextFile{{Path: "AGENTS.md", Text: "one"}, {Path: "a/AGENTS.md", Text: "two"}}}).wantStatus(agent.StatusFinished)
	if got := d.types(); !strings.HasPrefix(got, "start context context step-start") {
		t.Fatalf("events %s", got)
	}
	var said []string
	for _, m := range r.model.requests()[0].Messages {
		said = append(said, m.Text)
	}
	if got := strings.Join(said, ", "); got != "one, two, Do it" {
		t.Fatalf("messages %s", got)
	}
}
