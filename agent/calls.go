package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// outcome is what became of one call in this round: a record that settles it,
// a request to a person, or neither when the drive was stopped.
type outcome struct {
	result   *Result
	fallback bool
	denied   *DeniedPayload
	suspend  *suspension
}

// suspension is a request to a person that is not recorded yet.
type suspension struct {
	kind    Kind
	payload any
	schema  json.RawMessage
}

func (o outcome) none() bool { return o.result == nil && o.denied == nil && o.suspend == nil }

func failed(format string, args ...any) outcome {
	r := ErrorResult(fmt.Sprintf(format, args...))
	return outcome{result: &r}
}

// work is a call with what is to be done about it: run is nil when the outcome
// is known already.
type work struct {
	call   *call
	known  outcome
	run    func(ctx context.Context, output func(string)) outcome
	effect Effect
	asks   bool // does nothing but ask a person
	// intent says what the call is about to change; nil if the tool does not say.
	intent func(ctx context.Context) ([]FileChange, [][]byte)
	// gate is Config.Gate for the call; nil where it passes.
	gate func(ctx context.Context) error
	// unasked is what the call does where nobody can be asked and no answer is
	// at hand; nil where it may ask anyway.
	unasked func(ctx context.Context) outcome
}

// runCalls settles the calls of the open step, or suspends the run. Read-only
// calls that follow each other run in parallel, others alone and in order;
// what they give is recorded in call order, requests to a person last and all
// at once.
func (d *drive) runCalls(ctx context.Context) (done bool, err error) {
	var asked []asking
	var batch []work
	for _, c := range d.st.step.calls {
		if c.settled() {
			continue
		}
		w := d.prepare(c)
		if w.run != nil && w.effect != EffectReadOnly {
			if asked, err = d.runBatch(ctx, batch, asked); err != nil || d.stopped(ctx) {
				return d.stopCalls(ctx, asked, err)
			}
			batch = nil
			if d.gated(ctx, &w) {
				batch = append(batch, w)
				continue
			}
			if asked, err = d.runAlone(ctx, w, asked); err != nil || d.stopped(ctx) {
				return d.stopCalls(ctx, asked, err)
			}
			continue
		}
		d.gated(ctx, &w)
		batch = append(batch, w)
	}
	if asked, err = d.runBatch(ctx, batch, asked); err != nil || d.stopped(ctx) {
		return d.stopCalls(ctx, asked, err)
	}
	if len(asked) == 0 {
		return false, nil
	}
	return true, d.suspend(ctx, asked)
}

// gated asks the gate about a call that would be made, and reports whether it
// is not: because the gate denies it, or the drive was stopped meanwhile.
func (d *drive) gated(ctx context.Context, w *work) bool {
	if w.run == nil || w.gate == nil {
		return false
	}
	err := w.gate(ctx)
	if err == nil {
		return false
	}
	*w = work{call: w.call}
	if !d.stopped(ctx) {
		w.known.denied = &DeniedPayload{Reason: err.Error(), Cause: DeniedByPolicy}
	}
	return true
}

// stopCalls ends a drive in the middle of a step. Requests to people are asked
// again when it goes on, unless a call acted before it asked: forgotten, it
// would be in doubt.
func (d *drive) stopCalls(ctx context.Context, asked []asking, err error) (bool, error) {
	acted := slices.ContainsFunc(asked, func(a asking) bool { return a.call.inFlight })
	switch {
	case err != nil:
		return true, err
	case acted && !errors.Is(context.Cause(ctx), ErrFenced):
		return true, d.suspend(ctx, asked)
	}
	return true, d.stop(ctx)
}

// asking is a call that waits for a person.
type asking struct {
	call *call
	suspension
}

// runAlone runs a call that has an effect. That it starts, and what it is about
// to change, is durable first.
func (d *drive) runAlone(ctx context.Context, w work, asked []asking) ([]asking, error) {
	starts := StartedPayload{ToolCallID: w.call.ID}
	if w.intent != nil {
		var blobs [][]byte
		starts.Changes, blobs = w.intent(ctx)
		d.keep(blobs...)
	}
	if w.effect == EffectOnce || starts.Changes != nil {
		d.started[w.call.ID] = true
		d.stage(ToolCallStarted, starts)
		if err := d.flush(ctx, true); err != nil {
			return asked, err
		}
		if d.stopped(ctx) { // nothing has happened yet
			r := ErrorResult(d.interrupted(ctx))
			return d.settle(ctx, []work{{call: w.call}}, []outcome{{result: &r}}, asked)
		}
	}
	asked, err := d.settle(ctx, []work{w}, d.execute(ctx, []work{w}), asked)
	return asked, errors.Join(err, d.flush(ctx, true)) // an effect is written down at once
}

// runBatch runs calls without an effect. What was staged before is committed
// first, unless the calls only ask, which takes no time; what they give is
// committed together with what comes next.
func (d *drive) runBatch(ctx context.Context, batch []work, asked []asking) ([]asking, error) {
	if slices.ContainsFunc(batch, func(w work) bool { return w.run != nil && !w.asks }) {
		if err := d.flush(ctx, true); err != nil || d.stopped(ctx) {
			return asked, err
		}
	}
	return d.settle(ctx, batch, d.execute(ctx, batch), asked)
}

// settle stages outcomes in call order.
func (d *drive) settle(ctx context.Context, works []work, outcomes []outcome, asked []asking) ([]asking, error) {
	if errors.Is(context.Cause(ctx), ErrFenced) {
		return asked, ErrFenced
	}
	for i, o := range outcomes {
		c := works[i].call
		if o.suspend != nil && works[i].unasked != nil && !d.expects(c, *o.suspend) {
			o = works[i].unasked(ctx)
		}
		switch {
		case o.suspend != nil:
			asked = append(asked, asking{call: c, suspension: *o.suspend})
		case o.denied != nil:
			o.denied.CallPayload = CallPayload{ToolCallID: c.ID, ToolName: c.Name}
			d.stage(ToolOutputDenied, *o.denied)
		case o.result != nil:
			d.stageResult(c, o)
		}
	}
	return asked, d.err
}

func (d *drive) stageResult(c *call, o outcome) {
	r := *o.result
	d.keep(r.Blobs...)
	if sp := r.SubmittedPlan; sp != nil {
		r.SubmittedPlan = d.submitted(c, *sp)
	}
	d.stage(ToolResult, ResultPayload{
		CallPayload: CallPayload{ToolCallID: c.ID, ToolName: c.Name}, Result: r, Fallback: o.fallback,
	})
}

// submitted is what a result may say of a plan: that nobody decided, or what
// the journal holds as the person's decision of this very call.
func (d *drive) submitted(c *call, sp SubmittedPlan) *SubmittedPlan {
	if s := c.newest(KindPlan); s != nil {
		if p := d.st.plan(c.ID, s.N); p != nil && p.DecidedAt != nil {
			return &SubmittedPlan{PlanSubmission: p.submission(), Decision: p.Decision, Feedback: p.Feedback}
		}
		return nil
	}
	if d.a.tools[c.Name].Definition().Asks != KindPlan {
		return nil
	}
	sp.Decision = PlanUndecided
	sp.Revision = d.st.revision(planKey(d.st.Run.Workspace, sp.Path))
	if sp.Source != nil {
		d.keep(sp.Source)
	}
	return &sp
}

// suspend records all requests to people at once, gives the run up, and only
// then announces them.
func (d *drive) suspend(ctx context.Context, asked []asking) error {
	if d.onQuestion == OnQuestionFail {
		met := func(a asking) bool { return d.expects(a.call, a.suspension) }
		if unmet := slices.DeleteFunc(slices.Clone(asked), met); len(unmet) > 0 {
			return d.failAsked(ctx, asked, unmet)
		}
	}
	d.survey(ctx, SurveyEnd)
	for _, a := range asked {
		if err := d.stageSuspension(a.call, a.suspension, ""); err != nil {
			return err
		}
	}
	return d.flush(ctx, false)
}

// stageSuspension announces a request to a person; by is set when a person
// changed what is shown.
func (j *journal) stageSuspension(c *call, s suspension, by string) error {
	if sub, ok := s.payload.(PlanSubmission); ok {
		sub.Revision = j.st.revision(planKey(j.st.Run.Workspace, sub.Path))
		if sub.Source == nil { // a bare tool that read nothing: there is no revision to name
			sub.Revision = 0
		} else {
			j.keep(sub.Source)
		}
		s.payload = sub
	}
	payload, err := json.Marshal(s.payload)
	if err != nil {
		return fmt.Errorf("encode suspend payload of tool call %s: %w", c.ID, err)
	}
	t := ToolCallSuspended
	if s.kind == KindApproval {
		t = ToolCallApproval
	}
	j.stage(t, SuspendedPayload{
		CallPayload: CallPayload{ToolCallID: c.ID, ToolName: c.Name},
		N:           len(c.suspensions) + 1, Kind: s.kind, Payload: payload, Schema: string(s.schema), By: by,
	})
	return nil
}

// failAsked closes what would be asked and fails the run, because of those
// that nobody answers.
func (d *drive) failAsked(ctx context.Context, asked, unmet []asking) error {
	names := make([]string, len(unmet))
	for i, a := range unmet {
		names[i] = a.call.ID + " (" + a.call.Name + ")"
	}
	for _, a := range asked {
		if a.kind == KindInDoubt {
			d.stageResult(a.call, failed(unknownOutcome))
			continue
		}
		d.stage(ToolOutputDenied, DeniedPayload{
			CallPayload: CallPayload{ToolCallID: a.call.ID, ToolName: a.call.Name},
			Reason:      nobody, Cause: DeniedNobody,
		})
	}
	return d.fail(ctx, CodeAsked, "a person was needed and the run must not wait: "+strings.Join(names, ", "))
}

// nobody is the reason of a denial where nobody could be asked.
const nobody = "nobody could be asked"

// finishStep ends the step whose calls are settled. An approved plan moves the
// run to the next mode in the same transaction; one rejected without a word
// ends the turn.
func (d *drive) finishStep(ctx context.Context) (done bool, err error) {
	s := d.st.step
	silent := d.st.rejectedSilently() && len(d.st.queued) == 0
	approved := d.st.approvedPlan()
	if approved != nil {
		d.survey(ctx, SurveyMode)
		d.stageMode(d.a.modes.AfterApproval(s.mode), "")
	}
	reason := FinishToolCalls
	if silent {
		reason = FinishPlanRejected
	}
	d.stage(StepFinish, StepFinishPayload{FinishReason: reason, Usage: s.usage})
	if approved != nil && d.st.wantsFresh(*approved) {
		d.stage(Summary, SummaryPayload{})
	}
	if silent {
		return true, d.finish(ctx, FinishPlanRejected)
	}
	return false, d.err // committed together with what comes next
}

// stageMode moves the run to a mode, unless it is there.
func (j *journal) stageMode(id, by string) {
	if id != j.st.Run.Mode {
		j.stage(ModeChanged, ModeChangedPayload{ModeID: id, PreviousModeID: j.st.Run.Mode, By: by})
	}
}
