package exit

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

func TestOfStatus(t *testing.T) {
	t.Parallel()
	for status, want := range map[agent.Status]int{
		agent.StatusFinished: 0, agent.StatusFailed: 1, agent.StatusCanceled: 1, agent.StatusSuspended: 3,
		agent.StatusPaused: 4, agent.StatusInterrupted: 4, agent.StatusRunning: 5,
	} {
		if got := ofStatus(status); got != want {
			t.Errorf("%s: exit code %d, want %d", status, got, want)
		}
	}
}

func TestErrorCode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		code string
		exit int
	}{
		{agent.ErrRunNotFound, "run_not_found", 2},
		{&agent.AmbiguousError{}, "ambiguous", 2},
		{agent.ErrUnknownToolCall, "unknown_tool_call", 2},
		{agent.ErrInvalidAnswer, "invalid_answer", 2},
		{agent.ErrModelMissing, "model_missing", 2},
		{agent.ErrModeMissing, "mode_missing", 2},
		{agent.ErrToolMissing, "tool_missing", 2},
		{&agent.BusyError{}, "busy", 5},
		{&agent.AnsweredError{}, "already_answered", 5},
		{agent.ErrNotSuspended, "not_suspended", 5},
		{&agent.PlanChangedError{}, "plan_changed", 5},
		{agent.ErrRunEnded, "run_ended", 5},
		{agent.ErrFenced, "fenced", 5},
		{&agent.ProviderError{}, "provider", 4},
		{Usagef("x"), "usage", 2},
		{Hintf(Usagef("x"), "do y"), "usage", 2},
		{Configf("x"), "config", 2},
		{&runstore.Error{}, "store", 1},
		{errors.New("x"), "internal", 1},
	}
	for _, tt := range tests {
		err := fmt.Errorf("wrapped: %w", tt.err)
		if code := ErrorCode(err); code != tt.code || Of(err) != tt.exit {
			t.Errorf("%v: code %s, exit %d, want %s, %d", tt.err, code, Of(err), tt.code, tt.exit)
		}
	}
}

func TestOfSignal(t *testing.T) {
	t.Parallel()
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		if got := OfSignal(sig); got != want {
			t.Errorf("%s: %d, want %d", sig, got, want)
		}
	}
}
