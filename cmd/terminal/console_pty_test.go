//go:build linux || darwin

package terminal

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// TestConsole_restore gives the terminal back on ways out that no process of
// the other tests takes: a panic, and an exit that runs no deferred calls.
func TestConsole_restore(t *testing.T) {
	t.Parallel()
	leave := map[string]func(s *sitting){
		"a panic": func(s *sitting) {
			defer func() { _ = recover() }()
			defer s.close()
			panic("in a prompt")
		},
		"an exit at once": func(s *sitting) {
			s.Restore()
			s.close()
		},
		"a context that ends": func(s *sitting) {
			defer s.close()
			if _, err := s.burst(); !errors.Is(err, ErrLeft) {
				t.Errorf("burst: %v, want %v", err, ErrLeft)
			}
		},
	}
	for name, do := range leave {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ptmx, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer ptmx.Close()
			defer tty.Close()
			before, err := modeOf(tty)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			s, err := (&Console{in: tty, out: tty}).sit(ctx)
			if err != nil {
				t.Fatal(err)
			}
			during, err := modeOf(tty)
			if err != nil || during.termios.Lflag&(unix.ECHO|unix.ICANON|unix.ISIG) != 0 {
				t.Fatalf("mode during a prompt: %+v, %v", during, err)
			}
			cancel()
			do(s)
			if after, err := modeOf(tty); err != nil || *after != *before {
				t.Errorf("mode %+v, %v; before: %+v", after, err, before)
			}
			want := markPastes + calmDown
			said := make([]byte, len(want))
			if _, err := io.ReadFull(ptmx, said); err != nil || string(said) != want {
				t.Errorf("the terminal got %q, %v", said, err)
			}
		})
	}
}
