//go:build unix

package hook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/hook"
)

func TestMain(m *testing.M) {
	if code, ok := hook.Child(os.Args, os.Stdin, os.Environ()); ok {
		syscall.Exit(code) // os.Exit takes a second with the race detector
	}
	os.Exit(m.Run())
}

func here(t *testing.T, command string) hook.Hook {
	t.Helper()
	return hook.Hook{Command: command, Dir: t.TempDir(), Environ: []string{"PATH=" + os.Getenv("PATH"), "MARK=yes"}, Timeout: time.Minute}
}

// TestHook_Ask objects with the hook's words, and wherever the hook gives no
// clear yes.
func TestHook_Ask(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"true":                              "",
		"exit 0":                            "",
		"echo no":                           "",
		`grep -q '"toolName":"shell"'`:      "",
		`read -r line && test -n "$line"`:   "",
		`test "$MARK" = yes`:                "",
		`test -z "$HOME"`:                   "",
		"false":                             "the hook objects (exit status 1)",
		`echo "not on Fridays" >&2; exit 3`: "not on Fridays",
		"no-such-command-at-all":            "not found",
		"kill -9 $$":                        "the hook objects (signal: killed)",
		`printf '\n\033[31mred\nmore' >&2; exit 1`: "red",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			err := here(t, command).Ask(t.Context(), map[string]string{"toolName": "shell"})
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("not one clean line: %q", err)
			}
		})
	}
}

func TestHook_Ask_endsInTime(t *testing.T) {
	t.Parallel()
	h := here(t, "sleep 60 & wait")
	h.Timeout = 50 * time.Millisecond
	began := time.Now()
	if err := h.Ask(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "did not answer within 50ms") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if err := here(t, "sleep 60").Ask(ctx, nil); !errors.Is(err, stopped) {
		t.Errorf("got %v, want the cause", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

// TestHook_Ask_leftBehind: what a hook leaves in the background with its stderr
// is told in words, and ended; with another stderr it is the hook's own affair.
func TestHook_Ask_leftBehind(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"sleep 60 &":                                   "the hook ended, but left a process",
		"sleep 60 & exit 3":                            "the hook objects (exit status 3)",
		"sleep 60 & echo not today >&2; exit 1":        "not today",
		"(sleep 60; true) & kill -9 $$":                "the hook objects (signal: killed)",
		"sleep 60 & yes no | head -c 99999 >&2; false": "no",
	} {
		h := here(t, "mkfifo held; exec 3<>held; "+command)
		err := h.Ask(t.Context(), nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", command, err, want)
		}
		waitUnread(t, filepath.Join(h.Dir, "held"))
	}
	for command, denied := range map[string]bool{"exit 0": false, "exit 1": true} {
		h := here(t, "(until test -e go; do sleep 0.01; done; echo >late) </dev/null >/dev/null 2>&1 & "+command)
		if err := h.Ask(t.Context(), nil); (err != nil) != denied {
			t.Errorf("%s beside a process that holds nothing: %v", command, err)
		}
		if err := os.WriteFile(filepath.Join(h.Dir, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		waitFor(t, filepath.Join(h.Dir, "late"))
	}
}

// waitUnread waits until no process has the pipe of that name open.
func waitUnread(t *testing.T, path string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(30 * time.Second)
	for {
		held, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, syscall.ENXIO) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		held.Close()
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s is still held", path)
		}
	}
}

func TestHook_Ask_largeEventUnread(t *testing.T) {
	t.Parallel()
	if err := here(t, "exit 0").Ask(t.Context(), strings.Repeat("x", 1<<20)); err != nil {
		t.Errorf("a hook that reads nothing objects: %v", err)
	}
}

// TestHook_Tell waits for nothing: the hook ends after the call returned.
func TestHook_Tell(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := here(t, "until test -e go; do sleep 0.01; done; cat >got.tmp; mv got.tmp got")
	big := strings.Repeat("x", 1<<20)
	if err := h.Tell(self, big); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.Dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := waitFor(t, filepath.Join(h.Dir, "got"))
	if got != `"`+big+"\"\n" {
		t.Errorf("the hook got %d bytes", len(got))
	}
	if err := h.Tell(filepath.Join(h.Dir, "missing"), nil); err == nil {
		t.Error("a keeper that is not there was started")
	}
}

func waitFor(t *testing.T, path string) string {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(30 * time.Second)
	for {
		if data, err := os.ReadFile(path); err == nil {
			return string(data)
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("no file %s", path)
		}
	}
}
