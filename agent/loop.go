package agent

import (
	"context"
	"errors"
	"time"
)

// drive is one process going on with one run. All of it happens in the
// goroutine of the caller; only tools at work have goroutines of their own.
type drive struct {
	journal
	models     map[string]Model // opened for this drive
	onQuestion OnQuestion
	expected   Expected
	yield      func(Event) bool
	left       bool            // the reader broke off
	started    map[string]bool // calls this process started
	faults     int             // provider faults met in this drive since the last reply
	room       room
	surveyed   bool // this drive has looked at the workspace
	worked     bool // since then a tool did more than ask a person
	cancel     context.CancelCauseFunc
}

// errLeft ends the context of a drive whose reader broke off.
var errLeft = errors.New("the reader left")

// errTimeout ends the context of a drive whose run used up its driven time.
var errTimeout = errors.New("the run's time limit was reached")

func (a *Agent) drive(j *journal, r Resume, yield func(Event) bool) *drive {
	return &drive{
		journal: *j, onQuestion: r.OnQuestion, expected: r.Expected, yield: yield,
		models: map[string]Model{}, started: map[string]bool{}, room: newRoom(),
	}
}

// flush commits what is staged, then yields it.
func (d *drive) flush(ctx context.Context, own bool) error {
	events, err := d.commit(ctx, own, false)
	if err != nil {
		return err
	}
	d.emit(events...)
	return nil
}

func (d *drive) emit(events ...Event) {
	for _, e := range events {
		if d.left || d.yield(e) {
			continue
		}
		d.left = true
		if d.cancel != nil {
			d.cancel(errLeft)
		}
	}
}

// show yields an event that is not recorded.
func (d *drive) show(t EventType, payload any) {
	if e, err := d.a.event(d.st.Run.ID, t, payload); err == nil {
		d.emit(e)
	}
}

// run yields the records that made this process the run's owner, and drives it
// until it ends, waits for somebody, or cannot go on. However run returns, and even when the reader
// panics, the run is not owned any more, unless the store itself failed.
func (d *drive) run(ctx context.Context, first []Event) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.cancel = cancel
	defer func() {
		if d.epoch == 0 || errors.Is(err, ErrFenced) {
			return
		}
		d.left = true // nobody reads any more
		if salvage := d.salvage(ctx); salvage != nil {
			d.a.cfg.Logger.Error("give up run", "run", d.st.Run.ID, "error", salvage)
		}
	}()
	defer d.watch(ctx, cancel)()
	d.emit(first...)
	for {
		if done, err := d.turn(ctx); done || err != nil {
			return err
		}
	}
}

// turn does the next thing there is to do.
func (d *drive) turn(ctx context.Context) (done bool, err error) {
	switch {
	case d.stopped(ctx):
		return true, d.stop(ctx)
	case d.st.step != nil && d.st.step.replied && !d.st.callsSettled():
		return d.runCalls(ctx)
	case d.st.step != nil && d.st.step.replied:
		return d.finishStep(ctx)
	}
	return d.ask(ctx)
}

func (st *State) callsSettled() bool {
	for _, c := range st.step.calls {
		if !c.settled() {
			return false
		}
	}
	return true
}

// stopped reports whether the drive should end where it is.
func (d *drive) stopped(ctx context.Context) bool { return d.left || ctx.Err() != nil }

// stop leaves the run paused, in order.
func (d *drive) stop(ctx context.Context) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, ErrFenced):
		return cause
	case errors.Is(cause, errTimeout):
		return d.pause(ctx, PausePayload{Reason: PauseLimit, Message: errTimeout.Error(), FinishReason: FinishTimeout})
	case cause != nil:
		return d.pause(ctx, PausePayload{Reason: PauseStopped, Message: cause.Error()})
	}
	return d.pause(ctx, PausePayload{Reason: PauseStopped, Message: errLeft.Error()})
}

func (d *drive) pause(ctx context.Context, p PausePayload) error {
	d.survey(ctx, SurveyEnd)
	d.stage(Pause, p)
	return d.flush(ctx, false)
}

// fail ends the run as failed.
func (d *drive) fail(ctx context.Context, code, message string) error {
	d.survey(ctx, SurveyEnd)
	d.stage(Failure, ErrorPayload{Code: code, Message: message})
	return d.flush(ctx, false)
}

// salvage gives up a run whose drive ended out of order. The state may hold
// records that were never committed, so it starts from the store.
func (d *drive) salvage(ctx context.Context) error {
	epoch := d.epoch
	j, snap, err := d.a.open(context.WithoutCancel(ctx), d.st.Run.ID)
	if err != nil {
		return err
	}
	if snap.Epoch != epoch || snap.Owner == nil {
		return nil
	}
	j.epoch = epoch
	j.stage(Pause, PausePayload{Reason: PauseStopped, Message: "the drive ended out of order"})
	_, err = j.commit(ctx, false, false)
	d.journal = *j
	return err
}

// watch ends the drive's context when another process takes the run over, and
// when the run's driven time is used up. The returned function ends the watch
// and waits for it.
func (d *drive) watch(ctx context.Context, cancel context.CancelCauseFunc) (end func()) {
	left := time.Duration(-1)
	if t := d.st.Run.Limits.Timeout; t > 0 {
		left = max(time.Duration(t-d.st.Run.Driven), 0)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	runID, epoch := d.st.Run.ID, d.epoch
	go func() {
		defer close(done)
		d.a.watch(ctx, cancel, runID, epoch, left, stop)
	}()
	return func() {
		close(stop)
		<-done
	}
}

func (a *Agent) watch(ctx context.Context, cancel context.CancelCauseFunc, runID string, epoch int64, left time.Duration, stop <-chan struct{}) {
	tick := time.NewTicker(a.epochEvery)
	defer tick.Stop()
	var timeout <-chan time.Time
	if left >= 0 {
		t := time.NewTimer(left)
		defer t.Stop()
		timeout = t.C
	}
	for {
		select {
		case <-stop:
			return
		case <-timeout:
			cancel(errTimeout)
		case <-tick.C:
			now, err := a.cfg.Store.Epoch(context.WithoutCancel(ctx), runID)
			if err == nil && now != epoch || errors.Is(err, ErrRunNotFound) {
				cancel(ErrFenced)
				return
			}
		}
	}
}
