package cmd

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
)

// TestObey sends signals through the channel: real ones would stop the tests
// that run beside this one.
func TestObey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		signals []os.Signal
		apart   time.Duration
		cause   os.Signal
		exited  []int
	}{
		{"one interrupt", []os.Signal{syscall.SIGINT}, 0, syscall.SIGINT, nil},
		{"two within a second", []os.Signal{syscall.SIGINT, syscall.SIGINT}, time.Second, syscall.SIGINT, []int{130}},
		{"two further apart", []os.Signal{syscall.SIGINT, syscall.SIGINT}, time.Second + 1, syscall.SIGINT, nil},
		{"the first is the cause", []os.Signal{syscall.SIGTERM, syscall.SIGINT}, 0, syscall.SIGTERM, nil},
		{"hang-up", []os.Signal{syscall.SIGHUP, syscall.SIGHUP}, 0, syscall.SIGHUP, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
			var exited []int
			io := &iostreams.Streams{
				Now:  func() time.Time { now = now.Add(tt.apart); return now },
				Exit: func(code int) { exited = append(exited, code) },
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			signals, done, over := make(chan os.Signal), make(chan struct{}), make(chan struct{})
			go func() { defer close(over); obey(signals, done, &wiring{io: io, g: &globals{}}, cancel) }()
			for _, sig := range tt.signals {
				signals <- sig
			}
			close(done)
			<-over
			var cause *exit.SignalError
			if !errors.As(context.Cause(ctx), &cause) || cause.Signal != tt.cause {
				t.Errorf("cause %v, want %v", context.Cause(ctx), tt.cause)
			}
			if len(exited) != len(tt.exited) || len(exited) > 0 && exited[0] != tt.exited[0] {
				t.Errorf("exited %v, want %v", exited, tt.exited)
			}
		})
	}
}
