package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ResumeStream answers a suspension and goes on with the run. answer is a
// string, a []string, a PlanDecision, an ApprovalDecision, a DoubtDecision, or
// a json.RawMessage with any of these. It is checked before the suspension is
// consumed: a wrong one is ErrInvalidAnswer and changes nothing. While other
// suspensions stay open the answer is only recorded.
//
// Of two answers to one suspension the first wins and the other is
// ErrAlreadyAnswered; an equal one that names its suspension (ToolCallID)
// succeeds. ErrAmbiguous: several are open and none is named. ErrPlanChanged:
// the plan is not the one that was shown; what is open now is yielded. The
// last plan of a finished run may be decided too, if nobody did.
func (a *Agent) ResumeStream(ctx context.Context, answer any, r Resume) *Stream {
	return a.resumption(ctx, r.RunID, func(ctx context.Context, yield func(Event) bool) (*State, error) {
		return a.answer(ctx, answer, r, false, yield)
	})
}

// Answer records an answer as ResumeStream does, without going on: after the
// last one the run is paused, PauseDetached, and Continue goes on with it.
func (a *Agent) Answer(ctx context.Context, answer any, r Resume) (*State, error) {
	return a.answer(ctx, answer, r, true, func(Event) bool { return true })
}

func (a *Agent) answer(ctx context.Context, answer any, r Resume, detach bool, yield func(Event) bool) (*State, error) {
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("%w: not JSON: %w", ErrInvalidAnswer, err)
	}
	g := given{data: data, named: r.ToolCallID != "", detach: detach}
	return retryConflict(func() (*State, error) {
		j, err := a.awaiting(ctx, r)
		if err != nil {
			return a.lost(j, g, r, err)
		}
		d := a.drive(j, r, yield)
		s, err := d.target(r)
		if err != nil {
			return d.st, err
		}
		// Whoever loses a race must hear what became of this very request.
		r.ToolCallID, r.N = s.ToolCallID, s.N
		return d.take(ctx, s, g, r)
	})
}

// given is an answer on its way: as it came, whether it named its suspension,
// and whether the run is only to be told.
type given struct {
	data   json.RawMessage
	named  bool
	detach bool
}

// lost makes the error of an answer to a run that is busy: if what it is for
// was answered meanwhile, that is what its giver has to know.
func (a *Agent) lost(j *journal, g given, r Resume, err error) (*State, error) {
	if j == nil {
		return nil, err
	}
	ended := errors.Is(err, ErrBusy) || errors.Is(err, ErrRunEnded)
	var busy *BusyError
	if r.ToolCallID == "" && errors.As(err, &busy) {
		busy.Last = j.st.lastAnswered()
	}
	if s, ok := j.st.Suspension(r.ToolCallID, r.N); ok && ended && s.State == SuspensionAnswered {
		d := a.drive(j, r, nil)
		return j.st, d.repeated(s, g, r)
	}
	return j.st, err
}

// awaiting opens a run for an answer. If its process died, what that left in
// doubt is recorded first, so that it can be answered.
func (a *Agent) awaiting(ctx context.Context, r Resume) (*journal, error) {
	j, snap, err := a.claimable(ctx, r)
	if err != nil || j.st.Run.Status != StatusRunning {
		return j, err
	}
	d := a.drive(j, r, func(Event) bool { return true })
	for _, c := range d.st.doubtful() {
		o := d.prepare(c).known
		if o.suspend == nil {
			continue
		}
		if len(d.staged) == 0 {
			d.stageResume(Resume{By: r.By, Via: r.Via}, snap)
		}
		if err := d.stageSuspension(c, *o.suspend, ""); err != nil {
			return j, err
		}
	}
	if len(d.staged) == 0 && r.ToolCallID != "" {
		return j, nil // what is named may have its answer
	}
	if len(d.staged) == 0 {
		return j, fmt.Errorf("%w: run %s was interrupted and nothing is open; continue it", ErrNotSuspended, r.RunID)
	}
	if _, err := d.commit(ctx, false, r.TakeOver); err != nil {
		return j, err
	}
	j, _, err = a.open(ctx, r.RunID)
	return j, err
}

// take checks an answer against what it is for and records it. The last one
// claims the run in the same transaction, and the run goes on.
func (d *drive) take(ctx context.Context, s Suspension, g given, r Resume) (*State, error) {
	if s.State == SuspensionAnswered {
		return d.st, d.repeated(s, g, r)
	}
	canonical, err := d.check(s, g.data, r)
	if err != nil {
		return d.st, err
	}
	decided := (&Answer{Data: canonical}).decision()
	if r.FreshContext && (s.Kind != KindPlan || decided.Action != Approved) {
		return d.st, fmt.Errorf("%w to %s: a fresh context goes with the approval of a plan alone", ErrInvalidAnswer, s.Ref())
	}
	if err := d.readyFor(s, canonical, r); err != nil {
		return d.st, err
	}
	if err := d.review(ctx, s, canonical, r); err != nil {
		return d.st, err
	}
	d.stage(ToolCallResumed, ResumedPayload{
		CallPayload: CallPayload{ToolCallID: s.ToolCallID, ToolName: s.ToolName},
		N:           s.N, Answer: canonical, FreshContext: r.FreshContext, By: r.By, Via: via(r.Via),
	})
	switch {
	case s.Kind == KindInDoubt && decided.Action == Stop:
		d.stageCancel(r)
		return d.st, d.flush(ctx, false)
	case s.State == SuspensionUndecided:
		if err := d.stageLate(ctx, s, decided, r); err != nil {
			return d.st, err
		}
	case s.Kind == KindApproval && decided.Scope == ScopeRun:
		d.stage(Grant, GrantPayload{Rule: offeredRule(s), By: r.By, Via: via(r.Via)})
	}
	if r.overrides() && d.st.Run.Status != StatusFinished {
		d.stageResume(r, Snapshot{})
	}
	if d.st.Run.Status != StatusRunning {
		return d.st, d.flush(ctx, false) // others are open, or nothing is to be done
	}
	if g.detach {
		d.stage(Pause, PausePayload{Reason: PauseDetached, Message: "everything is answered; continue the run"})
		return d.st, d.flush(ctx, false)
	}
	return d.claim(ctx, r)
}

// target finds the suspension an answer is for.
func (d *drive) target(r Resume) (Suspension, error) {
	run := d.st.Run
	if r.ToolCallID != "" {
		return d.named(r)
	}
	open := d.st.Open()
	switch {
	case len(open) == 1:
		return open[0], nil
	case len(open) > 1:
		return Suspension{}, &AmbiguousError{RunID: run.ID, Open: open}
	}
	if s, ok := d.st.Undecided(); ok {
		return s, nil
	}
	last := ""
	if s := d.st.lastAnswered(); s != nil {
		last = "; " + s.answeredBy()
	}
	if run.Status == StatusFinished {
		return Suspension{}, fmt.Errorf("%w: run %s is finished%s", ErrRunEnded, run.ID, last)
	}
	return Suspension{}, fmt.Errorf("%w: nothing is open in run %s, it is %s%s", ErrNotSuspended, run.ID, run.Status, last)
}

func (d *drive) named(r Resume) (Suspension, error) {
	s, ok := d.st.Suspension(r.ToolCallID, r.N)
	if !ok {
		return s, fmt.Errorf("%w: run %s has no request %s", ErrUnknownToolCall, r.RunID,
			Suspension{ToolCallID: r.ToolCallID, N: r.N}.Ref())
	}
	switch s.State {
	case SuspensionReplaced:
		return s, d.changed(s, "a later revision is open")
	case SuspensionClosed:
		return s, &AnsweredError{RunID: r.RunID, Suspension: s}
	case SuspensionUndecided:
		if late, ok := d.st.Undecided(); !ok || late.Ref() != s.Ref() {
			return s, fmt.Errorf("%w: run %s went on without a decision on %s", ErrRunEnded, r.RunID, s.Ref())
		}
	}
	return s, nil
}

// repeated deals with an answer to what is answered: an equal one that names
// its suspension changes nothing and succeeds.
func (d *drive) repeated(s Suspension, g given, r Resume) error {
	canonical, err := d.check(s, g.data, r)
	if err == nil && g.named && bytes.Equal(canonical, s.Answer.Data) {
		return nil
	}
	return &AnsweredError{RunID: r.RunID, Suspension: s}
}

// check returns the answer in canonical form.
func (d *drive) check(s Suspension, data json.RawMessage, r Resume) (json.RawMessage, error) {
	form, decides := formOf(s.Kind)
	var given map[string]string
	if decides {
		var err error
		if given, err = form.check(data); err != nil {
			return nil, fmt.Errorf("%w to %s: %w", ErrInvalidAnswer, s.Ref(), err)
		}
		if data, err = json.Marshal(given); err != nil {
			return nil, fmt.Errorf("%w to %s: %w", ErrInvalidAnswer, s.Ref(), err)
		}
	}
	if err := d.sameAsShown(s, given, r); err != nil {
		return nil, err
	}
	if given["scope"] == ScopeRun && offeredRule(s) == "" {
		return nil, fmt.Errorf("%w to %s: this call cannot be allowed for the whole run", ErrInvalidAnswer, s.Ref())
	}
	if s.Kind == KindApproval || s.Kind == KindInDoubt {
		return data, nil
	}
	tool, ok := d.a.tools[s.ToolName]
	if !ok {
		return nil, fmt.Errorf("%w: %q, which %s of run %s needs", ErrToolMissing, s.ToolName, s.Ref(), r.RunID)
	}
	if checker, ok := tool.(AnswerChecker); ok {
		canonical, err := checker.CheckAnswer(s, data)
		if err != nil {
			return nil, fmt.Errorf("%w to %s: %w", ErrInvalidAnswer, s.Ref(), err)
		}
		return canonical, nil
	}
	return data, nil
}

// shown is what a plan's or an approval's payload names itself by.
type shown struct {
	Digest string `json:"digest"`
	Plan   string `json:"plan"`
	Rule   string `json:"rule"`
}

func payloadOf(s Suspension) shown {
	var p shown
	_ = json.Unmarshal(s.Payload, &p) // other kinds have no such fields
	return p
}

func offeredRule(s Suspension) string { return payloadOf(s).Rule }

// sameAsShown refuses an answer that names another plan or call than is open.
func (d *drive) sameAsShown(s Suspension, given map[string]string, r Resume) error {
	open := payloadOf(s)
	if digest := r.Digest; digest != "" && digest != open.Digest {
		if s.Kind != KindPlan {
			return fmt.Errorf("%w to %s: digest %s is not that of what is open (%q)", ErrInvalidAnswer, s.Ref(), digest, open.Digest)
		}
		return d.changed(s, fmt.Sprintf("the answer is for %s, open is %s", digest, open.Digest))
	}
	// One that is there and empty is a client's variable that was never set: it
	// names no plan, so it is no approval of this one.
	if digest, ok := given["digest"]; ok && digest != open.Digest {
		return d.changed(s, fmt.Sprintf("the answer is for %q, open is %s", digest, open.Digest))
	}
	if text, ok := given["plan"]; ok && s.Kind == KindPlan && text != open.Plan {
		return d.changed(s, "the answer is for another text")
	}
	return nil
}

// changed makes the error for an answer to something else than is open.
func (d *drive) changed(s Suspension, reason string) *PlanChangedError {
	e := &PlanChangedError{RunID: d.st.Run.ID, Reason: reason}
	if p := d.st.plan(s.ToolCallID, s.N); p != nil {
		e.Was = p.submission()
	}
	if c := d.st.calls[s.ToolCallID]; c != nil {
		if now := c.newest(KindPlan); now != nil && now.Answer == nil {
			if p := d.st.plan(now.ToolCallID, now.N); p != nil {
				sub := p.submission()
				e.Now = &sub
			}
		}
	}
	return e
}

// readyFor checks, before an answer is consumed, that the run can go on with
// it: with an approved plan that means the mode it leads to as well.
func (d *drive) readyFor(s Suspension, canonical json.RawMessage, r Resume) error {
	if s.Kind == KindPlan && (&Answer{Data: canonical}).decision().Action == Approved {
		mode := d.st.Run.Mode
		if d.st.step != nil {
			mode = d.st.step.mode
		}
		r.Mode = d.a.modes.AfterApproval(mode)
	}
	return d.ready(r)
}

// stageLate records what follows from deciding the plan of a finished run: it
// goes on in the target mode, told by a message of the person in the words the
// tool would have used.
func (d *drive) stageLate(ctx context.Context, s Suspension, decided decision, r Resume) error {
	if decided.Action == Rejected && decided.Feedback == "" {
		return nil
	}
	c := d.st.calls[s.ToolCallID]
	res, err := callTool(ctx, d.a.tools[s.ToolName], Call{
		RunID: d.st.Run.ID, ID: c.ID, Args: c.Args, Workspace: d.st.Run.Workspace,
		Suspensions: c.own(), Blob: d.a.cfg.Store.Blob,
		Suspend: func(any) (Result, error) { return Result{}, errors.New("the plan is decided") },
	})
	if err != nil {
		return fmt.Errorf("tell the decision on %s: %w", s.Ref(), err)
	}
	if decided.Action == Approved {
		d.stageMode(d.a.modes.AfterApproval(d.st.Run.Mode), "")
		if r.FreshContext {
			d.stage(Summary, SummaryPayload{})
		}
	}
	d.stage(UserMessage, UserMessagePayload{Text: res.Content, By: r.By, Via: via(r.Via)})
	return nil
}
