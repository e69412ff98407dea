//go:build linux || darwin

package cmd

import (
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// TestResume_names: before a finished run asks for the next message it says
// which run that is; "latest" is not always the one meant.
func TestResume_names(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.write("say.yaml", "turns: [{text: Done.}]\n")
	b.run("run", "--model", "script:say.yaml", "--title", "Tidy up", "Do it")
	r, _ := b.report("show", "latest")
	x := dial(b, wired{columns: 80}, "resume", "latest")
	x.asks("Your next message?")
	if name := "run …" + shortID(r.RunID) + ": Tidy up"; !strings.Contains(x.screen(), name) {
		t.Errorf("%q is not on the screen:\n%s", name, x.screen())
	}
	x.keys(ctrlD)
	if got := x.exits(); got != exit.OK {
		t.Errorf("exit code %d:\n%s", got, x.screen())
	}
}
