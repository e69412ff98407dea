package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// resumption is a stream over a run that exists.
func (a *Agent) resumption(ctx context.Context, runID string, do func(ctx context.Context, yield func(Event) bool) (*State, error)) *Stream {
	return &Stream{runID: runID, ctx: ctx, drive: do}
}

// Continue goes on with a run that is paused, interrupted or failed, from the
// record it ended with. On a suspended run it yields what is open once more
// and ends. A finished run is ErrRunEnded (see Send), a running one ErrBusy.
func (a *Agent) Continue(ctx context.Context, r Resume) *Stream {
	return a.resumption(ctx, r.RunID, func(ctx context.Context, yield func(Event) bool) (*State, error) {
		return retryConflict(func() (*State, error) { return a.goOn(ctx, r, yield) })
	})
}

func (a *Agent) goOn(ctx context.Context, r Resume, yield func(Event) bool) (*State, error) {
	j, snap, err := a.claimable(ctx, r)
	if err != nil {
		return nil, err
	}
	d := a.drive(j, r, yield)
	suspended := d.st.Run.Status == StatusSuspended
	switch {
	case suspended && !r.overrides():
		return d.st, d.reoffer(snap.Events)
	case d.st.Run.Status == StatusFinished:
		return d.st, fmt.Errorf("%w: run %s is finished; send a message to go on", ErrRunEnded, r.RunID)
	}
	if err := d.ready(r); err != nil {
		return d.st, err
	}
	d.stageResume(r, snap)
	if !suspended {
		return d.claim(ctx, r)
	}
	if err := d.flush(ctx, false); err != nil {
		return d.st, err
	}
	return d.st, d.reoffer(snap.Events)
}

// claimable opens a run that somebody wants to go on with. A canceled one is
// ErrRunEnded, one whose owner lives ErrBusy unless it is to be taken over; the
// journal comes with these errors too.
func (a *Agent) claimable(ctx context.Context, r Resume) (*journal, Snapshot, error) {
	j, snap, err := a.open(ctx, r.RunID)
	switch {
	case err != nil:
		return nil, snap, err
	case j.st.Run.Status == StatusCanceled:
		return j, snap, fmt.Errorf("%w: run %s was canceled", ErrRunEnded, r.RunID)
	case snap.Owner != nil && snap.Alive && !r.TakeOver:
		return j, snap, &BusyError{RunID: r.RunID, Owner: *snap.Owner}
	}
	return j, snap, nil
}

// reoffer yields the records that announced what is open.
func (d *drive) reoffer(events []Event) error {
	open := map[string]bool{}
	for _, s := range d.st.Open() {
		open[s.Ref()] = true
	}
	for _, e := range events {
		if e.Type != ToolCallSuspended && e.Type != ToolCallApproval {
			continue
		}
		p, err := Decode[SuspendedPayload](e)
		if err != nil {
			return err
		}
		if open[Suspension{ToolCallID: p.ToolCallID, N: p.N}.Ref()] {
			d.emit(d.st.GiveOut(e))
		}
	}
	return nil
}

// ready checks, before anything is written, that the run can go on with this
// agent: its mode, the model, and the tools of its open calls exist.
func (d *drive) ready(r Resume) error {
	if r.Model != "" {
		m, err := d.model(r.Model)
		if err != nil {
			return err
		}
		d.models[m.ID()] = m
	}
	for _, id := range d.modeIDs(r) {
		mode, err := d.a.mode(id)
		if err != nil {
			return err
		}
		if r.Model == "" {
			if _, err := d.model(d.a.modelID(d.st, mode)); err != nil {
				return err
			}
		}
	}
	return d.toolsExist()
}

func (d *drive) modeIDs(r Resume) []string {
	ids := []string{d.st.Run.Mode}
	if r.Mode != "" {
		ids = append(ids, r.Mode)
	}
	if d.st.step != nil {
		ids = append(ids, d.st.step.mode)
	}
	return ids
}

// toolsExist checks the tools of calls that were waiting for a person: their
// calls were accepted, so they must be finished by the same tools.
func (d *drive) toolsExist() error {
	if d.st.step == nil {
		return nil
	}
	allowed := d.a.modes.Tools(d.st.step.mode)
	for _, c := range d.st.step.calls {
		if c.settled() || len(c.suspensions) == 0 {
			continue
		}
		if d.a.tools[c.Name] == nil || !slices.Contains(allowed, c.Name) {
			return fmt.Errorf("%w: %q, which tool call %s of run %s needs in mode %q", ErrToolMissing, c.Name, c.ID, d.st.Run.ID, d.st.step.mode)
		}
	}
	return nil
}

// stageResume records that the run goes on, and with what overridden.
func (d *drive) stageResume(r Resume, snap Snapshot) {
	p := ResumePayload{By: r.By, Via: via(r.Via), Thinking: r.Thinking, Limits: r.Limits, Workspace: r.Workspace, Project: r.Project}
	if r.Workspace != "" && r.Project == "" {
		p.Project = r.Workspace
	}
	if r.Model != "" {
		if m, err := d.model(r.Model); err == nil { // ready has opened it
			p.Model = m.ID()
		}
	}
	if snap.Owner != nil {
		p.TakeOver, p.Previous = snap.Alive, snap.Owner.String()
	}
	d.stage(Resumed, p)
}

// overrides reports whether r changes anything that holds from now on.
func (r Resume) overrides() bool {
	return r.Model != "" || r.Thinking != "" || r.Limits != nil || r.Workspace != ""
}

// claim commits what is staged, takes the run and drives it.
func (d *drive) claim(ctx context.Context, r Resume) (*State, error) {
	d.survey(ctx, SurveyBegin)
	events, err := d.commit(ctx, true, r.TakeOver)
	if err != nil {
		return d.st, err
	}
	err = d.run(ctx, events)
	return d.st, err
}

// Send gives the run the person's next message, in r.Mode if that is set, and
// goes on. On a suspended run it is only recorded, and delivered after the
// results of that step.
func (a *Agent) Send(ctx context.Context, text string, r Resume) *Stream {
	return a.resumption(ctx, r.RunID, func(ctx context.Context, yield func(Event) bool) (*State, error) {
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("%w: the message is empty", ErrInvalidAnswer)
		}
		return retryConflict(func() (*State, error) { return a.send(ctx, text, r, yield) })
	})
}

func (a *Agent) send(ctx context.Context, text string, r Resume, yield func(Event) bool) (*State, error) {
	j, snap, err := a.claimable(ctx, r)
	if err != nil {
		return nil, err
	}
	d := a.drive(j, r, yield)
	if err := d.ready(r); err != nil {
		return d.st, err
	}
	suspended := d.st.Run.Status == StatusSuspended
	if r.overrides() || !suspended && d.st.Run.Status != StatusFinished {
		d.stageResume(r, snap)
	}
	d.stage(UserMessage, UserMessagePayload{Text: text, By: r.By, Via: via(r.Via)})
	if r.Mode != "" {
		d.stageMode(r.Mode, r.By)
	}
	if !suspended {
		return d.claim(ctx, r)
	}
	return d.st, d.flush(ctx, false)
}

// conflictRetries bounds how often a request is decided again because the
// journal moved on. Each round lost means that somebody else's was recorded.
const conflictRetries = 100

func retryConflict(do func() (*State, error)) (*State, error) {
	for range conflictRetries {
		st, err := do()
		if !errors.Is(err, ErrConflict) || errors.Is(err, ErrFenced) {
			return st, err
		}
	}
	return nil, fmt.Errorf("%w: others kept writing to the run", ErrBusy)
}

// Cancel ends a run for good: what is open is closed, and a process that
// drives it is fenced and stops within about a second. A run that has ended
// is ErrRunEnded, unless its last plan is undecided.
func (a *Agent) Cancel(ctx context.Context, r Resume) (*State, error) {
	return retryConflict(func() (*State, error) {
		j, _, err := a.open(ctx, r.RunID)
		if err != nil {
			return nil, err
		}
		if run := j.st.Run; run.Status == StatusCanceled || run.Status == StatusFinished && !run.Undecided {
			return j.st, fmt.Errorf("%w: run %s is %s", ErrRunEnded, run.ID, run.Status)
		}
		j.stageCancel(r)
		_, err = j.commit(ctx, false, true)
		return j.st, err
	})
}

// stageCancel closes every open call and the run.
func (j *journal) stageCancel(r Resume) {
	if j.st.step != nil {
		for _, c := range j.st.step.calls {
			if !c.settled() {
				j.stage(ToolOutputDenied, DeniedPayload{
					CallPayload: CallPayload{ToolCallID: c.ID, ToolName: c.Name},
					Reason:      "the run was canceled", Cause: DeniedCanceled,
				})
			}
		}
	}
	message := "canceled"
	if r.By != "" {
		message += " by " + r.By
	}
	j.stage(Abort, ErrorPayload{Code: CodeCanceled, Message: message, By: r.By})
}

// Open returns what waits for a person in a run, in call order.
func (a *Agent) Open(ctx context.Context, runID string) ([]Suspension, error) {
	j, _, err := a.open(ctx, runID)
	if err != nil {
		return nil, err
	}
	return j.st.Open(), nil
}
