// Package exit says how a command ends: its exit code, and errors that know
// their code and the next step.
package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Exit codes. They are an interface; Help is their documentation.
const (
	OK        = 0
	Failure   = 1
	Usage     = 2
	Suspended = 3
	Paused    = 4
	Conflict  = 5
	Denied    = 6
)

// Help is the documentation of the codes.
const Help = `Exit codes of every command:

  0  done: the run finished, or what was asked for was recorded or shown
  1  failed: the run failed or is canceled, or the database cannot be used
  2  usage or refused answer: unknown or contradictory flags, no such run, an
     ambiguous ID, an unknown call, an answer that is not allowed, no model.
     Nothing was consumed
  3  suspended: the run waits for you; what is open and the commands that
     answer it were printed
  4  paused: a limit, a fault of the model's provider, or a run whose process
     died; "agent resume ID" continues it
  5  conflict: another process drives the run, it was answered already, waits
     for nothing, has ended, its plan or files changed, its idempotency key
     is another task's, or an import is here already. Nothing was changed
  6  finished, but calls were denied because nobody could be asked

  129, 130, 143  stopped by SIGHUP, SIGINT or SIGTERM; the run is paused

In a script that ends at the first error (set -e) keep the code:

  rc=0; agent run "Fix the flaky test" || rc=$?`

// ofStatus is the one table from status to exit code.
func ofStatus(s agent.Status) int {
	switch s {
	case agent.StatusFinished:
		return OK
	case agent.StatusSuspended:
		return Suspended
	case agent.StatusPaused, agent.StatusInterrupted:
		return Paused
	case agent.StatusRunning:
		return Conflict
	case agent.StatusFailed, agent.StatusCanceled:
		return Failure
	}
	return Failure
}

// OfState is the exit code of a command that left a run as st is.
func OfState(st *agent.State, status agent.Status) int {
	if status != agent.StatusFinished {
		return ofStatus(status)
	}
	for _, d := range st.Denied() {
		if d.Cause == agent.DeniedNobody {
			return Denied
		}
	}
	return OK
}

// SignalError is why a context ended: the process was told to stop.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "stopped by signal: " + e.Signal.String() }

// StoppedBy returns the signal that ended ctx, nil if none did.
func StoppedBy(ctx context.Context) os.Signal {
	var s *SignalError
	if errors.As(context.Cause(ctx), &s) {
		return s.Signal
	}
	return nil
}

// OfSignal is what shells expect of a process that a signal ended.
func OfSignal(sig os.Signal) int {
	if n, ok := sig.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return Failure
}

// Of is the one table from error to exit code, by the error's own code.
func Of(err error) int {
	switch ErrorCode(err) {
	case CodeUsage, CodeConfig, "invalid_export", "run_not_found", "ambiguous", "unknown_tool_call", "invalid_answer",
		"tool_missing", "mode_missing", "model_missing":
		return Usage
	case "busy", "already_answered", "not_suspended", "plan_changed", "run_ended", "fenced", "key_used", "run_exists", "files_changed":
		return Conflict
	case agent.CodeProvider:
		return Paused
	}
	return Failure
}

// reported is an exit code whose reason has been shown.
type reported struct{ code int }

func (r *reported) Error() string { return fmt.Sprintf("exit status %d", r.code) }

// With ends a command that has shown its result.
func With(code int) error {
	if code == OK {
		return nil
	}
	return &reported{code: code}
}

// Reported is the code of an error that With made: there is nothing left to say.
func Reported(err error) (code int, ok bool) {
	var r *reported
	if !errors.As(err, &r) {
		return 0, false
	}
	return r.code, true
}
