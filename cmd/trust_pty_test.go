//go:build linux || darwin

package cmd

import (
	"strings"
	"syscall"
	"testing"
)

// TestTrust_terminal: at a terminal trust is an explicit pick; whatever else is
// pressed, nothing is trusted.
func TestTrust_terminal(t *testing.T) {
	t.Parallel()
	const question = "Trust this file?"
	leave := func(keys string) func(*teletype) { return func(x *teletype) { x.keys(keys) } }
	tests := []struct {
		name    string
		answer  func(*teletype)
		trusted bool
	}{
		{"enter", leave(enter), false},
		{"interrupt", leave(ctrlC), false},
		{"end of file", leave(ctrlD), false},
		{"a paste of several lines", leave("\x1b[200~Trust it\r\nyes\r\n\x1b[201~" + ctrlC), false},
		{"SIGTERM", func(x *teletype) { x.signal(syscall.SIGTERM) }, false},
		{"picked", func(x *teletype) { x.move(down); x.keys(enter) }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			b.write(".mastracode/config.toml", "onQuestion = \"fallback\"\n")
			x := dial(b, wired{columns: 80, ahead: down + enter}, "trust")
			x.sees("onQuestion", question, listReady)
			tt.answer(x)
			want := exitSuspended
			if tt.trusted {
				want = exitOK
			}
			if got := x.exits(); got != want {
				t.Errorf("exit code %d, want %d:\n%s", got, want, x.screen())
			}
			if listed := b.run("trust", "--list").out; strings.Contains(listed, b.dir) != tt.trusted {
				t.Errorf("trusted: %q", listed)
			}
		})
	}
}
