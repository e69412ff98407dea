package cmd

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// Exit codes. They are an interface; exitCodesText is their documentation.
const (
	exitOK        = 0
	exitFailure   = 1
	exitUsage     = 2
	exitSuspended = 3
	exitPaused    = 4
	exitConflict  = 5
	exitDenied    = 6
)

// Codes of errors that are none of package agent's.
const (
	codeUsage    = "usage"
	codeConfig   = "config"
	codeStore    = "store"
	codeInternal = "internal"
)

// exitOfStatus is the one table from status to exit code.
func exitOfStatus(s agent.Status) int {
	switch s {
	case agent.StatusFinished:
		return exitOK
	case agent.StatusSuspended:
		return exitSuspended
	case agent.StatusPaused, agent.StatusInterrupted:
		return exitPaused
	case agent.StatusRunning:
		return exitConflict
	case agent.StatusFailed, agent.StatusCanceled:
		return exitFailure
	}
	return exitFailure
}

// exitOfCode is the one table from error code to exit code.
func exitOfCode(code string) int {
	switch code {
	case codeUsage, codeConfig, "invalid_export", "run_not_found", "ambiguous", "unknown_tool_call", "invalid_answer",
		"tool_missing", "mode_missing", "model_missing":
		return exitUsage
	case "busy", "already_answered", "not_suspended", "plan_changed", "run_ended", "fenced", "key_used", "run_exists", "files_changed":
		return exitConflict
	case agent.CodeProvider:
		return exitPaused
	}
	return exitFailure
}

// exitOfSignal is what shells expect of a process that a signal ended.
func exitOfSignal(sig os.Signal) int {
	if n, ok := sig.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return exitFailure
}

// exitOfState is the exit code of a command that left a run as st is.
func exitOfState(st *agent.State, status agent.Status) int {
	if status != agent.StatusFinished {
		return exitOfStatus(status)
	}
	for _, d := range st.Denied() {
		if d.Cause == agent.DeniedNobody {
			return exitDenied
		}
	}
	return exitOK
}

// usageError is a command line that asks for nothing that could be done.
type usageError struct {
	message string
	code    string
}

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return usageCoded(codeUsage, format, args...)
}

// usageCoded is a usage error that has a word of its own in JSON.
func usageCoded(code, format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...), code: code}
}

func configf(format string, args ...any) error {
	return usageCoded(codeConfig, format, args...)
}

// hintedError is an error that knows the next step.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }

// hintf adds the next step to err.
func hintf(err error, format string, args ...any) error {
	return &hintedError{err: err, hint: fmt.Sprintf(format, args...)}
}

// codeOf is the word for err in JSON.
func codeOf(err error) string {
	if code := agent.Code(err); code != "" {
		return code
	}
	var u *usageError
	var c *canceledError
	switch {
	case errors.As(err, &u):
		return u.code
	case errors.As(err, &c):
		return agent.CodeCanceled
	}
	if errors.Is(err, runstore.ErrStore) {
		return codeStore
	}
	return codeInternal
}

// hintOf is the next step err knows of, "" if none.
func hintOf(err error) string {
	var m *maskedError
	if errors.As(err, &m) {
		return m.hint
	}
	var h *hintedError
	if errors.As(err, &h) {
		return h.hint
	}
	var p *agent.ProviderError
	if errors.As(err, &p) {
		return p.Hint
	}
	return ""
}

// reported is an exit code whose reason has been shown. A nil err is no fault.
type reported struct{ code int }

func (r *reported) Error() string { return fmt.Sprintf("exit status %d", r.code) }

// exitWith ends a command whose result is on stdout.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return &reported{code: code}
}

const exitCodesText = `Exit codes of every command:

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

  129, 130, 143  stopped by SIGHUP, SIGINT or SIGTERM; the run is paused`

func newExitCodesTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "The exit codes of agent", Long: exitCodesText}
}
