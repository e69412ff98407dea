package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// A reader that panics at the very first event gives the run up too.
func TestAgent_ReaderPanicsAtFirstEvent(t *testing.T) {
	t.Parallel()
	for _, at := range []agent.EventType{agent.Start, agent.StepStart, agent.ToolCallResumed} {
		t.Run(string(at), func(t *testing.T) {
			r := newRig(t, []any{calls(ask("q", "Which?")), says("done")})
			s := r.StreamTask(t.Context(), agent.Task{Prompt: "x"})
			if at == agent.ToolCallResumed {
				drain(t, s)
				s = r.ResumeStream(t.Context(), "a", agent.Resume{RunID: s.RunID()})
			}
			func() {
				defer func() { _ = recover() }()
				for e := range s.Events() {
					if e.Type == at {
						panic("reader")
					}
				}
			}()
			if snap := r.load(s.RunID()); snap.Owner != nil {
				t.Fatalf("status %s, still owned by %v", snap.Status, snap.Owner)
			}
		})
	}
}

// metOnce lets the first loads of a run wait for each other, so that several
// requests are decided on one and the same journal.
type metOnce struct {
	*runstore.MemoryStore
	mu   *sync.Mutex
	left *int
	open chan struct{}
}

func (m metOnce) Load(ctx context.Context, id string) (agent.Snapshot, error) {
	snap, err := m.MemoryStore.Load(ctx, id)
	m.mu.Lock()
	*m.left--
	if *m.left == 0 {
		close(m.open)
	}
	wait := *m.left >= 0
	m.mu.Unlock()
	if wait {
		<-m.open
	}
	return snap, err
}

func TestAgent_TwoContinues(t *testing.T) {
	t.Parallel()
	hold := tool("hold", agent.EffectOnce, func(context.Context, agent.Call) (agent.Result, error) {
		return agent.Result{}, nil
	})
	r := newRig(t, []any{calls(call("a", "hold", `{}`)), says("two")}, hold)
	shared := r.cfg.Store.(*runstore.MemoryStore)
	d := r.start(agent.Task{Limits: agent.Limits{MaxSteps: 1}}).wantStatus(agent.StatusPaused)
	left := 2
	m := metOnce{shared, &sync.Mutex{}, &left, make(chan struct{})}
	r.rebuild(func(c *agent.Config) { c.Store = m })
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i := range 2 {
		wg.Go(func() {
			errs[i] = drain(t, r.Continue(t.Context(), agent.Resume{RunID: d.runID, Limits: &agent.Limits{MaxSteps: 9}})).err
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && agent.Code(err) == "" {
			t.Errorf("loser sees: %v (conflict %t)", err, errors.Is(err, agent.ErrConflict))
		}
	}
}

// Equal answers at one instant of the clock, through one store handle: one of
// them drives the run, and the effect happens once.
func TestAgent_EqualAnswersOneHandleConstantClock(t *testing.T) {
	t.Parallel()
	act := tool("act", agent.EffectOnce, func(context.Context, agent.Call) (agent.Result, error) {
		return agent.Result{Content: "acted"}, nil
	})
	r := newRig(t, []any{calls(call("a", "act", `{}`)), says("done")}, act)
	shared := r.cfg.Store.(*runstore.MemoryStore)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r.rebuild(func(c *agent.Config) { c.Permission = askAll{}; c.Now = func() time.Time { return at } })
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	left := 2
	r.rebuild(func(c *agent.Config) { c.Store = metOnce{shared, &sync.Mutex{}, &left, make(chan struct{})} })
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			drain(t, r.ResumeStream(t.Context(), agent.ApprovalDecision{Action: "approved"}, agent.Resume{RunID: d.runID}))
		})
	}
	wg.Wait()
	if n := act.calls.Load(); n != 1 {
		t.Errorf("the once effect happened %d times", n)
	}
}

// An answer whose process died after recording it can be repeated.
func TestAgent_RepeatedAnswerAfterDeath(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q", "Which?")), says("done")})
	shared := r.cfg.Store.(*runstore.MemoryStore)
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	r.rebuild(func(c *agent.Config) { c.Store = &mortal{MemoryStore: shared.Handle(), left: 0, after: true} })
	r.resume("Red", agent.Resume{RunID: id, ToolCallID: "q"}).wantErr(errKilled)
	r.rebuild(func(c *agent.Config) { c.Store = shared.Handle() })
	if d := r.resume("Red", agent.Resume{RunID: id, ToolCallID: "q"}); d.err != nil {
		t.Errorf("repeated equal answer: %v", d.err)
	}
	if d := r.resume("Blue", agent.Resume{RunID: id, ToolCallID: "q"}); !errors.Is(d.err, agent.ErrAlreadyAnswered) {
		t.Errorf("other answer: %v", d.err)
	}
}

// Call IDs that differ only in bytes JSON cannot hold.
func TestAgent_InvalidUTF8IDs(t *testing.T) {
	t.Parallel()
	look := tool("look", agent.EffectReadOnly, nil)
	r := newRig(t, []any{calls(call("\xff", "look", `{}`), call("\xfe", "look", `{}`)), says("done")}, look)
	d := r.start(agent.Task{})
	if d.err != nil {
		t.Error(d.err)
	}
}

// What a tool gives and JSON cannot hold is an error result.
func TestAgent_Unmarshalable(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(context.Context, agent.Call) (agent.Result, error){
		"suspend payload": func(_ context.Context, c agent.Call) (agent.Result, error) { return c.Suspend(math.NaN()) },
		"details": func(context.Context, agent.Call) (agent.Result, error) {
			return agent.Result{Content: "x", Details: map[string]any{"ratio": math.NaN()}}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, []any{calls(ask("q", "Which?"), call("l", "look", `{}`)), says("done")}, tool("look", agent.EffectReadOnly, do))
			d := r.start(agent.Task{})
			if d.err != nil {
				t.Errorf("stream: %v; State says %s, store %s", d.err, d.state.Run.Status, r.load(d.runID).Status)
			}
			d = drain(t, r.Continue(t.Context(), agent.Resume{RunID: d.runID}))
			if d.err != nil {
				t.Errorf("continued: %v", d.err)
			}
		})
	}
	t.Run("plan payload of another shape", func(t *testing.T) {
		p := tool("look", agent.EffectReadOnly, func(_ context.Context, c agent.Call) (agent.Result, error) { return c.Suspend("not a plan") })
		p.def.Asks = agent.KindPlan
		r := newRig(t, []any{calls(call("l", "look", `{}`)), says("done")}, p)
		d := r.start(agent.Task{})
		if d.err != nil {
			t.Errorf("stream: %v", d.err)
		}
	})
}

// A call that acted and then asked is not in doubt when its step is stopped:
// doubt is for deaths.
func TestAgent_StoppedAfterSuspend(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	deploy := tool("deploy", agent.EffectOnce, func(_ context.Context, c agent.Call) (agent.Result, error) {
		if len(c.Suspensions) == 0 {
			return c.Suspend(map[string]string{"which": "env"})
		}
		return agent.Result{Content: "deployed"}, nil
	})
	stop := tool("stop", agent.EffectOnce, func(ctx context.Context, c agent.Call) (agent.Result, error) {
		cancel()
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	r := newRig(t, []any{calls(call("d", "deploy", `{}`), call("s", "stop", `{}`)), says("done")}, deploy, stop)
	s := r.StreamTask(ctx, agent.Task{Prompt: "x"})
	drain(t, s)
	d := drain(t, r.Continue(t.Context(), agent.Resume{RunID: s.RunID()}))
	if open := d.state.Open(); len(open) != 1 || open[0].Kind != agent.KindCustom {
		t.Errorf("open %+v", open)
	}
}

// A call in flight stays in doubt when its tool is gone.
func TestAgent_InFlightToolGone(t *testing.T) {
	t.Parallel()
	r, id, _ := doubtRun(t)
	r.other = true // its tool is gone
	r.rebuild(func(c *agent.Config) {
		c.Tools, c.Modes = []agent.Tool{tools.AskUser()}, nil
		c.Modes = onlyModes("plan", "build")
	})
	drain(t, r.Continue(t.Context(), agent.Resume{RunID: id})).wantStatus(agent.StatusSuspended)
	if got := results(t, r.load(id).Events)["a"]; got != "" {
		t.Errorf("told the model: %s", got)
	}
}

// A doubt that nobody could be asked about is not told as a call not made.
func TestAgent_FailOnDoubt(t *testing.T) {
	t.Parallel()
	r, id, _ := doubtRun(t)
	d := drain(t, r.Continue(t.Context(), agent.Resume{RunID: id, OnQuestion: agent.OnQuestionFail})).wantStatus(agent.StatusFailed)
	wantContains(t, results(t, r.load(id).Events)["a"], "unknown")
	if denied := d.state.Denied(); len(denied) != 0 {
		t.Fatalf("denied %+v: the call may have been made", denied)
	}
}

// A late rejection without a word does not drive the run on.
func TestAgent_LateRejectionWithOverride(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(submit("p", planPath)), says("done"), says("must not be asked")})
	r.write(planPath, "# T\n\nB\n")
	d := r.start(agent.Task{OnQuestion: agent.OnQuestionFallback}).wantStatus(agent.StatusFinished)
	d = r.resume(agent.PlanDecision{Action: "rejected"}, agent.Resume{RunID: d.runID, Limits: &agent.Limits{MaxSteps: 50}})
	d.wantStatus(agent.StatusFinished)
	if n := len(r.model.requests()); n != 2 {
		t.Errorf("model was asked %d times", n)
	}
}

// The plan of a canceled run is not open any more.
func TestAgent_CancelLeavesPlanOpen(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(submit("p", planPath)), says("done")})
	r.write(planPath, "# T\n\nB\n")
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	if _, err := r.Cancel(t.Context(), agent.Resume{RunID: d.runID}); err != nil {
		t.Fatal(err)
	}
	plans, err := r.cfg.Store.(*runstore.MemoryStore).Plans(t.Context(), runstore.PlanQuery{RunID: d.runID})
	if err != nil || plans[0].Decision == agent.PlanOpen {
		t.Errorf("plan of a canceled run is %+v, %v", plans[0].Decision, err)
	}
}

// Two plans of a submit_plan without a reader are two rows of the store.
func TestAgent_BarePlansCollide(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(submit("p", planPath)), calls(submit("p2", planPath)), says("done")})
	r.rebuild(func(c *agent.Config) { c.Tools[1] = tools.SubmitPlan(nil) })
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	d = r.resume(agent.PlanDecision{Action: "rejected", Feedback: "no"}, agent.Resume{RunID: d.runID}).wantStatus(agent.StatusSuspended)
	plans, _ := r.cfg.Store.(*runstore.MemoryStore).Plans(t.Context(), runstore.PlanQuery{RunID: d.runID})
	if len(plans) != len(d.state.Plans()) {
		t.Errorf("store has %d plans, fold %d", len(plans), len(d.state.Plans()))
	}
}

// What is overridden on a suspended run is recorded.
func TestAgent_OverridesOnSuspended(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q", "Which?")), says("done")})
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	dir := t.TempDir()
	res := agent.Resume{RunID: id, Workspace: dir, Limits: &agent.Limits{MaxSteps: 7}}
	drain(t, r.Send(t.Context(), "hi", res)).wantStatus(agent.StatusSuspended)
	if run := r.load(id).Run; run.Workspace != dir || run.Limits.MaxSteps != 7 {
		t.Errorf("send: workspace %q limits %+v", run.Workspace, run.Limits)
	}
	drain(t, r.Continue(t.Context(), res)).wantStatus(agent.StatusSuspended)
	if run := r.load(id).Run; run.Workspace != dir || run.Limits.MaxSteps != 7 {
		t.Errorf("continue: workspace %q limits %+v", run.Workspace, run.Limits)
	}
}

// Output after a tool returned is dropped.
func TestAgent_OutputAfterReturn(t *testing.T) {
	t.Parallel()
	returned, freed := make(chan struct{}), make(chan struct{})
	late := tool("late", agent.EffectReadOnly, func(_ context.Context, c agent.Call) (agent.Result, error) {
		go func() {
			<-returned
			c.Output("late")
			close(freed)
		}()
		return agent.Result{Content: "x"}, nil
	})
	r := newRig(t, []any{calls(call("l", "late", `{}`)), says("done")}, late)
	r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	close(returned)
	select {
	case <-freed:
	case <-time.After(time.Second):
		t.Error("Output after return blocks for ever")
	}
}

// A tool whose goroutine ends has its one result all the same.
func TestAgent_ToolGoexit(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	quit := tool("quit", agent.EffectOnce, func(context.Context, agent.Call) (agent.Result, error) {
		runtime.Goexit()
		return agent.Result{}, nil
	})
	r := newRig(t, []any{calls(call("l", "quit", `{}`)), says("done")}, quit)
	drain(t, r.StreamTask(ctx, agent.Task{Prompt: "x"}))
	if n := quit.calls.Load(); n != 1 {
		t.Errorf("once tool was called %d times", n)
	}
}

// A plan's payload may be echoed, revision and all.
func TestAgent_SchemaVersusCheck(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(submit("p", planPath)), says("done")})
	r.write(planPath, "# T\n\nB\n")
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	d = r.resume(json.RawMessage(`{"action":"approved","revision":1}`), agent.Resume{RunID: d.runID})
	if d.err != nil {
		t.Errorf("%v", d.err)
	}
}

// A clock that goes backwards takes no driven time away.
func TestAgent_NowBackwards(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := newRig(t, []any{says("done")})
	r.rebuild(func(c *agent.Config) { c.Now = func() time.Time { now = now.Add(-time.Hour); return now } })
	d := r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	if d.state.Run.Driven < 0 {
		t.Errorf("driven %s", d.state.Run.Driven)
	}
}

// Driven time is that of the journal, not of a monotonic clock.
func TestState_DrivenIsThatOfTheJournal(t *testing.T) {
	t.Parallel()
	bad := 0
	for range 50 {
		r := newRig(t, []any{says("done")})
		d := r.start(agent.Task{}).wantStatus(agent.StatusFinished)
		snap := r.load(d.runID)
		st, err := agent.Fold(snap.Events)
		if err != nil {
			t.Fatal(err)
		}
		if st.Run.Driven != snap.Driven {
			bad++
		}
	}
	if bad > 0 {
		t.Errorf("%d of 50: driven differs", bad)
	}
}

// An ID that repeats is told as such.
func TestAgent_NewIDRepeats(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{says("done"), says("two")})
	r.rebuild(func(c *agent.Config) { c.NewID = func() string { return "same" } })
	r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	r.start(agent.Task{Prompt: "other"}).wantErr(agent.ErrBusy)
}

// Of a plan shown twice the last decision counts.
func TestAgent_ApprovedThenRejected(t *testing.T) {
	t.Parallel()
	p := tool("look", agent.EffectReadOnly, func(_ context.Context, c agent.Call) (agent.Result, error) {
		if len(c.Suspensions) < 2 {
			return c.Suspend(agent.PlanSubmission{Path: "a.md", Digest: agent.Digest([]byte("x")), Source: []byte("x")})
		}
		return agent.Result{Content: "rejected"}, nil
	})
	p.def.Asks = agent.KindPlan
	r := newRig(t, []any{calls(call("l", "look", `{}`)), says("done")}, p)
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	d = r.resume(agent.PlanDecision{Action: "approved"}, agent.Resume{RunID: d.runID}).wantStatus(agent.StatusSuspended)
	d = r.resume(agent.PlanDecision{Action: "rejected", Feedback: "no"}, agent.Resume{RunID: d.runID})
	if d.state.Run.Mode != "plan" {
		t.Errorf("mode %s after the newest revision was rejected", d.state.Run.Mode)
	}
}

// A context that has ended starts nothing.
func TestAgent_EndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := newRig(t, []any{says("done")})
	d := drain(t, r.StreamTask(ctx, agent.Task{Prompt: "x"})).wantErr(context.Canceled)
	if _, err := r.cfg.Store.Load(t.Context(), d.runID); !errors.Is(err, agent.ErrRunNotFound) {
		t.Fatalf("something was stored: %v", err)
	}
}

// What is open is listed in call order by the store too.
func TestAgent_OpenInCallOrder(t *testing.T) {
	t.Parallel()
	wizard := tool("wizard", agent.EffectOnce, func(_ context.Context, c agent.Call) (agent.Result, error) {
		return c.Suspend(map[string]int{"page": 1})
	})
	r := newRig(t, []any{calls(ask("q", "Which?"), call("w", "wizard", `{}`)), says("done")}, wizard)
	shared := r.cfg.Store.(*runstore.MemoryStore)
	r.rebuild(func(c *agent.Config) { c.Store = &mortal{MemoryStore: shared.Handle(), left: 2} })
	id := r.start(agent.Task{}).wantErr(errKilled).runID
	r.rebuild(func(c *agent.Config) { c.Store = shared.Handle() })
	r.resume(agent.DoubtDecision{Action: "again"}, agent.Resume{RunID: id}).wantStatus(agent.StatusSuspended)
	open, _ := r.Open(t.Context(), id)
	stored := r.load(id).Open
	if open[0].Ref() != stored[0].Ref() {
		t.Errorf("Open says %s first, the store %s", open[0].Ref(), stored[0].Ref())
	}
}

// denyMake denies every call, also one that was approved before the rule.
type denyMake struct{}

func (denyMake) Decide(agent.PermissionRequest) agent.Verdict {
	return agent.Verdict{Action: agent.ActionDeny, Reason: "never"}
}

func TestAgent_DenyAfterApproval(t *testing.T) {
	t.Parallel()
	act := tool("act", agent.EffectOnce, nil)
	r := newRig(t, []any{calls(call("a", "act", `{}`)), says("done")}, act)
	r.rebuild(func(c *agent.Config) { c.Permission = askAll{} })
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	if _, err := r.Answer(t.Context(), agent.ApprovalDecision{Action: "approved"}, agent.Resume{RunID: id}); err != nil {
		t.Fatal(err)
	}
	r.rebuild(func(c *agent.Config) { c.Permission = denyMake{} })
	drain(t, r.Continue(t.Context(), agent.Resume{RunID: id}))
	if act.calls.Load() != 0 {
		t.Errorf("a denied call was run")
	}
}

// A whole reply is kept when the drive is stopped as it comes.
func TestAgent_ReplyKeptAtStop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(t, []any{func(agent.Request) (agent.Reply, error) { cancel(); return calls(ask("q", "Which?")), nil }})
	s := r.StreamTask(ctx, agent.Task{Prompt: "x"})
	drain(t, s)
	if run := r.load(s.RunID()).Run; run.Usage.Steps != 1 {
		t.Errorf("the reply is lost: %d steps", run.Usage.Steps)
	}
}

// Call IDs with a '#' cannot pass for references.
func TestAgent_RefsDoNotCollide(t *testing.T) {
	t.Parallel()
	wizard := tool("wizard", agent.EffectReadOnly, func(_ context.Context, c agent.Call) (agent.Result, error) {
		return c.Suspend(map[string]int{"page": 1})
	})
	r := newRig(t, []any{calls(call("a", "wizard", `{}`), call("a#2", "wizard", `{}`)), says("done")}, wizard)
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	refs := map[string]int{}
	for _, s := range d.state.Open() {
		refs[s.Ref()]++
	}
	if len(refs) != 2 || refs["a-2"] != 1 {
		t.Fatalf("open %v", refs)
	}
}

// An answer given where nobody else could be asked is an answer.
func TestAgent_AnswerUnderFallback(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q", "Which?")), says("done")})
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	d = r.resume("Red", agent.Resume{RunID: d.runID, OnQuestion: agent.OnQuestionFallback}).wantStatus(agent.StatusFinished)
	if u := d.state.Unanswered(); len(u) != 0 {
		t.Fatalf("unanswered %+v", u)
	}
}

// Who comes too late without naming a request hears who was first, and when.
func TestAgent_LateAnswerHearsWhoWon(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q", "Which?")), says("done")})
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	r.resume("Red", agent.Resume{RunID: id, By: "ann"}).wantStatus(agent.StatusFinished)
	d := r.resume("Blue", agent.Resume{RunID: id, By: "bob"}).wantErr(agent.ErrRunEnded)
	wantContains(t, d.err.Error(), "q was already answered by ann at 20")
}

// An undecided plan whose path is submitted again is replaced.
func TestAgent_UndecidedPlanIsReplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(submit("p", planPath)), says("It waits."), calls(submit("p", planPath)), says("done")})
	r.write(planPath, "# T\n\nB\n")
	d := r.start(agent.Task{OnQuestion: agent.OnQuestionFallback}).wantStatus(agent.StatusFinished)
	d = drain(t, r.Send(t.Context(), "again", agent.Resume{RunID: d.runID})).wantStatus(agent.StatusSuspended)
	if p := d.state.Plans(); len(p) != 2 || p[0].Decision != agent.PlanReplaced || p[1].Decision != agent.PlanOpen {
		t.Fatalf("plans %+v", p)
	}
}
