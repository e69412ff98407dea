package cmd

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/alert"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
)

// sandboxChecks put a report into words: what holds, what does not, and why no
// better engine is used.
func sandboxChecks(r sandbox.Report) []check {
	engine := passed("engine", "%s", strings.TrimSpace(r.Engine+" "+r.Detail))
	if r.Engine == sandbox.None {
		engine = warned("engine", "", "nothing confines commands")
	}
	if runtime.GOOS == "linux" && r.Engine != sandbox.Bubblewrap {
		engine.Hint = "install bubblewrap with your system's package manager"
	}
	checks := []check{engine}
	for _, words := range r.Enforced {
		checks = append(checks, passed("enforced", "%s", words))
	}
	for _, words := range r.NotEnforced {
		checks = append(checks, warned("not enforced", "", "%s", words))
	}
	for _, a := range r.Tried {
		checks = append(checks, warned("tried", "", "%s: %s", a.Engine, a.Reason))
	}
	return checks
}

// terminalChecks say what the command meets and whether a person can be asked.
func (w *wiring) terminalChecks(cfg *config.Config) []check {
	var on []string
	for _, s := range []struct {
		name string
		tty  bool
	}{{"stdin", w.io.InTTY}, {"stdout", w.io.OutTTY}, {"stderr", w.io.ErrTTY}} {
		if s.tty {
			on = append(on, s.name)
		}
	}
	streams := "none of stdin, stdout and stderr is a terminal"
	if len(on) > 0 {
		streams = strings.Join(on, ", ") + " on a terminal"
		if w.io.Columns != nil && w.io.Columns() > 0 {
			streams += fmt.Sprintf(" of %d columns", w.io.Columns())
		}
	}
	prompts := passed("prompts", "you are asked where a question arises")
	switch {
	case w.io.set("CI"):
		prompts = passed("prompts", "CI is set: nobody is asked in modes that cannot write the workspace")
	case w.io.Console == nil:
		prompts = passed("prompts", "nobody can be asked here: a question suspends the run")
	}
	colours := "on"
	if !newPalette(w.io, w.g, w.io.OutTTY).On {
		colours = "off"
	}
	return []check{
		passed("streams", "%s, TERM %q", streams, w.io.Env("TERM")), prompts, passed("colours", "%s", colours),
		w.notifyCheck(cfg.Notify.Value),
	}
}

// notifyCheck says how a person is called back.
func (w *wiring) notifyCheck(notify string) check {
	call := w.caller(notify)
	switch {
	case notify == "" || notify == notifyOff:
		return passed("notify", "off")
	case !w.io.leftAlone(time.Time{}):
		return passed("notify", "%s, but nobody is called here: stderr is no terminal that takes it, or CI is set", notify)
	case notify == "desktop" && call == alert.Call{}:
		return warned("notify", "use a terminal that shows notifications, or install notify-send", "desktop: nothing is known that shows notifications here, so it is %s", call)
	}
	return passed("notify", "%s: %s", notify, call)
}
