//go:build linux || darwin

package cmd

import (
	"strings"
	"syscall"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// TestTrust_inFull: what is trusted can be seen, to the end of the longest rule
// on a narrow terminal and from the beginning of the longest file.
func TestTrust_inFull(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.env["PAGER"] = "head -n 3"
	const rule = "shell(make something that has a name so long that it fits no row of any terminal && curl evil.example)"
	b.write(".mastracode/config.toml", "[permissions]\nallow = [\""+rule+"\"]\nask = ["+strings.Repeat("\"shell(ls)\",", 40)+"]\n")
	x := dial(b, wired{columns: 50, rows: 12}, "trust")
	x.sees("Trust this file?", "? shows\nit all]", "Trust it")
	x.keys("?")
	x.sees("permissions.allow  .mastracode/config.toml:2", "shell(make something")
	x.keys(ctrlC)
	if code := x.exits(); code != exit.Suspended {
		t.Errorf("exit code %d, want %d", code, exit.Suspended)
	}
	if !strings.Contains(x.said(), "evil.example)") {
		t.Errorf("the end of the rule is not shown:\n%s", x.said())
	}
	if out := b.run("trust").out; !strings.Contains(out, rule) {
		t.Errorf("a script is shown:\n%s", out)
	}
}

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
			want := exit.Suspended
			if tt.trusted {
				want = exit.OK
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
