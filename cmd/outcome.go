package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
)

// outcome is where a command left a run, and why it stopped if it was not the
// run's own doing.
type outcome struct {
	state  *agent.State
	status agent.Status // as the store knows it, so that a dead owner shows
	err    error
	code   int
	prefix []string
	shown  tell.Plans
	diff   string // between the plan that was decided on and the one that is open
	events []agent.Event
}

func (o outcome) report() report.Final {
	r := report.Of(o.state, o.status, o.prefix)
	if o.err != nil {
		return r.Failed(o.err, o.code)
	}
	r.ExitCode = o.code
	return r
}

// loadRun folds a run's journal and tells its status apart from that of a run
// whose process died.
func loadRun(ctx context.Context, store agent.Store, runID string) (*agent.State, agent.Snapshot, error) {
	snap, err := store.Load(ctx, runID)
	if err != nil {
		return nil, snap, fmt.Errorf("load run %s: %w", runID, err)
	}
	st, err := agent.Fold(snap.Events)
	return st, snap, err
}

// outcomeOf reads a run as it stands now. cause is what the command failed
// with, nil if it did what it was asked. left is how a drive of this command
// left the run, nil if there was none: if another process has taken it up
// since, that is what is told, for it was this command's doing.
func outcomeOf(ctx context.Context, store agent.Store, runID string, prefix []string, left *agent.State, cause error) (outcome, error) {
	calm := context.WithoutCancel(ctx) // what is left is to be told even after a signal
	st, snap, err := loadRun(calm, store, runID)
	if errors.Is(err, agent.ErrRunNotFound) && cause == nil && left != nil { // deleted since
		st, snap.Run, err = left, left.Run, nil
	}
	switch {
	case errors.Is(err, agent.ErrRunNotFound) && errors.Is(cause, agent.ErrFenced):
		return outcome{}, fmt.Errorf("%w: run %s was deleted meanwhile", agent.ErrFenced, runID)
	case err != nil && cause != nil:
		return outcome{}, cause
	case err != nil:
		return outcome{}, err
	}
	driven := cause == nil && left != nil && snap.Current() == agent.StatusRunning
	if driven {
		st, snap.Run, snap.Events = left, left.Run, snap.Events[:left.Run.Seq]
	}
	prefix = placed(prefix, st.Run)
	o := outcome{state: st, status: snap.Current(), prefix: prefix, shown: sourcesOf(calm, store, st), events: snap.Events}
	o.err, o.code = cause, exit.OfState(st, o.status)
	switch {
	case cause != nil:
		o.code, o.err = explain(st, snap, cause)
		o.err = next.Hinted(o.err, st, prefix)
	case driven && st.Run.Status == agent.StatusRunning:
		o.code = exit.OK // a repeated answer: it was recorded before, and the run goes on
	}
	if sig := exit.StoppedBy(ctx); sig != nil && leftBySignal(o) {
		o.code, o.err = exit.OfSignal(sig), nil // no fault of the run or of ours
	}
	return o, nil
}

// leftBySignal reports whether a signal that came is why the command ended.
func leftBySignal(o outcome) bool {
	var s *exit.SignalError
	if errors.As(o.err, &s) {
		return true
	}
	return o.err == nil && o.status == agent.StatusPaused && o.state.Run.Reason == agent.PauseStopped
}

// explain turns what a drive failed with into what a person needs to know.
func explain(st *agent.State, snap agent.Snapshot, err error) (int, error) {
	switch fenced := errors.Is(err, agent.ErrFenced); {
	case fenced && st.Run.Status == agent.StatusCanceled:
		return exit.Failure, fmt.Errorf("run %s was canceled: %w", st.Run.ID, &canceledError{st.Run.Error})
	case fenced && snap.Owner != nil:
		err = fmt.Errorf("%w: run %s was taken over by %s at %s", agent.ErrFenced, st.Run.ID, snap.Owner, snap.Owner.Since.UTC().Format(time.RFC3339))
	case fenced:
		err = fmt.Errorf("%w: another process took run %s over", agent.ErrFenced, st.Run.ID)
	}
	return exit.Of(err), err
}

// canceledError says how a run was canceled under a command's hands.
type canceledError struct{ cause *agent.RunError }

// ErrorCode is that of canceled runs.
func (e *canceledError) ErrorCode() string { return agent.CodeCanceled }

func (e *canceledError) Error() string {
	if e.cause == nil {
		return "by another process"
	}
	return e.cause.Message
}
