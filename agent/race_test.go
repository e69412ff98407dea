package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Of many answers at once one wins, the others learn who and when.
func TestAgent_ConcurrentAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q", "Which?")), says("done")})
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	const n = 20
	got := make([]drained, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			got[i] = drain(t, r.ResumeStream(t.Context(), fmt.Sprint("answer ", i), agent.Resume{RunID: id, ToolCallID: "q", By: fmt.Sprint("person ", i)}))
		})
	}
	wg.Wait()
	winner := ""
	for _, d := range got {
		if d.err == nil {
			winner += payload[agent.ResumedPayload](t, d.events, agent.ToolCallResumed).By
		}
	}
	for _, d := range got {
		if d.err == nil {
			continue
		}
		var answered *agent.AnsweredError
		if !errors.As(d.err, &answered) || answered.Suspension.Answer.By != winner || answered.Suspension.Answer.At.IsZero() {
			t.Fatalf("error %v, winner %q", d.err, winner)
		}
	}
	if !strings.HasPrefix(winner, "person ") {
		t.Fatalf("winner %q", winner)
	}
	if res := results(t, r.load(id).Events); len(res) != 1 {
		t.Fatalf("results %v", res)
	}
}

func TestAgent_RepeatedAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q", "Which?", "Red", "Blue")), says("done")})
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	named := agent.Resume{RunID: id, ToolCallID: "q"}
	r.resume("Red", named).wantStatus(agent.StatusFinished)
	d := r.resume("red", named).wantStatus(agent.StatusFinished)
	if len(d.events) != 0 {
		t.Fatalf("events %s", d.types())
	}
	r.resume("Blue", named).wantErr(agent.ErrAlreadyAnswered)
	r.resume("Red", agent.Resume{RunID: id}).wantErr(agent.ErrRunEnded)
	r.resume("Red", agent.Resume{RunID: id, ToolCallID: "nope"}).wantErr(agent.ErrUnknownToolCall)
	r.resume("Red", agent.Resume{RunID: "nope"}).wantErr(agent.ErrRunNotFound)
}

// driven is a run whose tool holds it until released.
func driven(t *testing.T, alter ...func(*agent.Config)) (r *rig, id string, release func(), ended <-chan drained) {
	t.Helper()
	working, free := make(chan struct{}), make(chan struct{})
	hold := tool("hold", agent.EffectOnce, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		close(working)
		select {
		case <-free:
			return agent.Result{Content: "held"}, nil
		case <-ctx.Done():
			return agent.Result{Content: "half"}, ctx.Err()
		}
	})
	r = newRig(t, []any{calls(call("h", "hold", `{}`)), calls(ask("q", "Go on?")), says("done")}, hold)
	for _, a := range alter {
		r.rebuild(a)
	}
	s := r.StreamTask(t.Context(), agent.Task{Prompt: "Hold", Workspace: r.workspace})
	done := make(chan drained, 1)
	go func() { done <- drain(t, s) }()
	<-working
	return r, s.RunID(), sync.OnceFunc(func() { close(free) }), done
}

func TestAgent_BusyRun(t *testing.T) {
	t.Parallel()
	r, id, release, ended := driven(t)
	defer release()
	for name, s := range map[string]*agent.Stream{
		"answer":   r.ResumeStream(t.Context(), "x", agent.Resume{RunID: id}),
		"continue": r.Continue(t.Context(), agent.Resume{RunID: id}),
		"message":  r.Send(t.Context(), "hello", agent.Resume{RunID: id}),
	} {
		var busy *agent.BusyError
		if d := drain(t, s); !errors.As(d.err, &busy) || busy.Owner.ID == "" || busy.Owner.Since.IsZero() {
			t.Errorf("%s: error %v", name, d.err)
		}
	}
	release()
	d := <-ended
	d.wantStatus(agent.StatusSuspended)
}

func TestAgent_TakeOverFencesTheOwner(t *testing.T) {
	t.Parallel()
	r, id, _, ended := driven(t)
	d := drain(t, r.Continue(t.Context(), agent.Resume{RunID: id, TakeOver: true, By: "ann"}))
	d.wantStatus(agent.StatusSuspended) // the call is in doubt: the old process may have done it
	if open := d.state.Open(); len(open) != 1 || open[0].Kind != agent.KindInDoubt {
		t.Fatalf("open %+v", open)
	}
	if p := payload[agent.ResumePayload](t, d.events, agent.Resumed); !p.TakeOver || p.Previous == "" {
		t.Fatalf("resume %+v", p)
	}
	old := <-ended
	old.wantErr(agent.ErrFenced)
	if res := results(t, r.load(id).Events); len(res) != 0 {
		t.Fatalf("the fenced owner wrote %v", res)
	}
}

// deletedRuns is a store whose runs are gone for whoever asks of their epoch.
type deletedRuns struct{ agent.Store }

func (deletedRuns) Epoch(context.Context, string) (int64, error) { return 0, agent.ErrRunNotFound }

func TestAgent_DeletionFencesTheOwner(t *testing.T) {
	t.Parallel()
	_, _, _, ended := driven(t, func(c *agent.Config) { c.Store = deletedRuns{c.Store} })
	old := <-ended
	old.wantErr(agent.ErrFenced)
}

func TestAgent_CancelOfADrivenRun(t *testing.T) {
	t.Parallel()
	r, id, _, ended := driven(t)
	st, err := r.Cancel(t.Context(), agent.Resume{RunID: id, By: "ann"})
	if err != nil || st.Run.Status != agent.StatusCanceled {
		t.Fatalf("%+v, %v", st, err)
	}
	old := <-ended
	old.wantErr(agent.ErrFenced)
	snap := r.load(id)
	if snap.Owner != nil || snap.Status != agent.StatusCanceled || len(results(t, snap.Events)) != 1 {
		t.Fatalf("run %+v", snap.Run)
	}
	for _, err := range []error{
		drain(t, r.Continue(t.Context(), agent.Resume{RunID: id})).err,
		drain(t, r.Send(t.Context(), "x", agent.Resume{RunID: id})).err,
		r.resume("x", agent.Resume{RunID: id}).err,
		second(r.Cancel(t.Context(), agent.Resume{RunID: id})),
	} {
		if !errors.Is(err, agent.ErrRunEnded) {
			t.Errorf("error %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAgent_CancelOfASuspendedRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q1", "One?"), ask("q2", "Two?"))})
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	if _, err := r.Cancel(t.Context(), agent.Resume{RunID: id}); err != nil {
		t.Fatal(err)
	}
	snap := r.load(id)
	if len(snap.Open) != 0 || len(results(t, snap.Events)) != 2 {
		t.Fatalf("open %+v", snap.Open)
	}
	r.resume("x", agent.Resume{RunID: id, ToolCallID: "q1"}).wantErr(agent.ErrRunEnded)
}

func TestAgent_MessageOnASuspendedRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q", "Which?")), says("done")})
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	d := drain(t, r.Send(t.Context(), "by the way", agent.Resume{RunID: id, By: "ann"})).wantStatus(agent.StatusSuspended)
	if d.types() != "user-message" {
		t.Fatalf("events %s", d.types())
	}
	r.resume("Red", agent.Resume{RunID: id}).wantStatus(agent.StatusFinished)
	msgs := r.model.requests()[1].Messages
	if n := len(msgs); msgs[n-1].Text != "by the way" || msgs[n-2].Outputs[0].Content != "User answered: Red" {
		t.Fatalf("messages %+v", msgs)
	}
}

func TestAgent_SendInAnotherMode(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{says("one"), says("two")})
	id := r.start(agent.Task{}).wantStatus(agent.StatusFinished).runID
	d := drain(t, r.Send(t.Context(), "now build", agent.Resume{RunID: id, Mode: "build", By: "ann"})).wantStatus(agent.StatusFinished)
	if p := payload[agent.ModeChangedPayload](t, d.events, agent.ModeChanged); p.ModeID != "build" || p.By != "ann" {
		t.Fatalf("mode %+v", p)
	}
	drain(t, r.Send(t.Context(), "x", agent.Resume{RunID: id, Mode: "fly"})).wantErr(agent.ErrModeMissing)
	drain(t, r.Send(t.Context(), " ", agent.Resume{RunID: id})).wantErr(agent.ErrInvalidAnswer)
}

func TestAgent_DetachedAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q1", "One?"), ask("q2", "Two?")), says("done")})
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	st, err := r.Answer(t.Context(), "1", agent.Resume{RunID: id, ToolCallID: "q1"})
	if err != nil || st.Run.Status != agent.StatusSuspended {
		t.Fatalf("%+v, %v", st, err)
	}
	st, err = r.Answer(t.Context(), "2", agent.Resume{RunID: id})
	if err != nil || st.Run.Status != agent.StatusPaused || st.Run.Reason != agent.PauseDetached {
		t.Fatalf("%+v, %v", st, err)
	}
	r.resume("3", agent.Resume{RunID: id}).wantErr(agent.ErrNotSuspended)
	drain(t, r.Continue(t.Context(), agent.Resume{RunID: id})).wantStatus(agent.StatusFinished)
}

// Nothing is consumed when the run could not go on with the answer.
func TestAgent_MissingPartsOnResume(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T) (*rig, string) {
		r := newRig(t, []any{calls(submit("p", planPath)), says("done")})
		r.write(planPath, "# T\n\nB\n")
		return r, r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	}
	approve := agent.PlanDecision{Action: "approved"}
	for name, tt := range map[string]struct {
		change func(*agent.Config)
		want   error
	}{
		"tool":             {func(c *agent.Config) { c.Tools, c.Modes = c.Tools[:1], onlyModes("plan", "build") }, agent.ErrToolMissing},
		"mode":             {func(c *agent.Config) { c.Modes = onlyModes("build") }, agent.ErrModeMissing},
		"tool of the mode": {func(c *agent.Config) { c.Modes = noTools{onlyModes("plan", "build")} }, agent.ErrToolMissing},
		"target mode":      {func(c *agent.Config) { c.Modes = onlyModes("plan") }, agent.ErrModeMissing},
		"model":            {func(c *agent.Config) { c.Model = nil }, agent.ErrModelMissing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, id := setup(t)
			whole := r.cfg
			r.rebuild(tt.change)
			r.resume(approve, agent.Resume{RunID: id}).wantErr(tt.want)
			r.rebuild(func(c *agent.Config) { *c = whole })
			r.resume(approve, agent.Resume{RunID: id}).wantStatus(agent.StatusFinished)
		})
	}
}

// noTools gives its modes no tools.
type noTools struct{ onlyModesPolicy }

func (noTools) Tools(string) []string { return nil }

// onlyModesPolicy knows the modes it is given; plans lead to build.
type onlyModesPolicy []string

func onlyModes(ids ...string) onlyModesPolicy { return ids }

func (p onlyModesPolicy) Default() agent.Mode { return agent.Mode{ID: p[0]} }

func (p onlyModesPolicy) Mode(id string) (agent.Mode, bool) {
	for _, m := range p {
		if m == id {
			return agent.Mode{ID: id}, true
		}
	}
	return agent.Mode{}, false
}

func (onlyModesPolicy) Tools(string) []string { return []string{"ask_user", "submit_plan"} }

func (onlyModesPolicy) AfterApproval(string) string { return "build" }
