//go:build linux || darwin

package cmd

import (
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// TestRun_broadWorkspace: in a home directory a person is asked first; whatever
// they press but the one choice, nothing is started.
func TestRun_broadWorkspace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer func(*teletype)
		want   int
		runs   int
	}{
		{"enter", func(x *teletype) { x.keys(enter) }, exit.Usage, 0},
		{"interrupt", func(x *teletype) { x.keys(ctrlC) }, exit.Usage, 0},
		{"picked", func(x *teletype) {
			x.move(down)
			x.keys(enter)
			x.asks("Your next message?")
			x.keys(ctrlD) // no next message
		}, exit.OK, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			b.env["HOME"] = b.dir
			x := dial(b, wired{columns: 80, ahead: down + enter}, "run", "--model", b.asks("list_files", dict{}), "Do it")
			x.sees("your home directory", "Work here?", listReady)
			tt.answer(x)
			if got := x.exits(); got != tt.want {
				t.Errorf("exit code %d, want %d:\n%s", got, tt.want, x.screen())
			}
			if listed := b.run("list", "--all", "--output", "jsonl").out; strings.Count(listed, `"runId"`) != tt.runs {
				t.Errorf("want %d runs, stored are %s", tt.runs, listed)
			}
		})
	}
}
