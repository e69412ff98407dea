package cmd

import (
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/alert"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// notifyOff is the value of notify that calls nobody.
const notifyOff = "off"

// caller is how notify, as configured, calls a person.
func (w *wiring) caller(notify string) alert.Call {
	if notify != "desktop" {
		return alert.Call{}
	}
	return alert.Desk{OS: runtime.GOOS, Env: w.io.Env, Find: exec.LookPath}.Desktop()
}

// alert calls a person who was left alone back to the terminal, as notify says,
// to look at a run.
func (w *wiring) alert(cfg *config.Config, run agent.Run, since time.Time) {
	notify, words := cfg.Notify.Value, alertWords(run)
	if notify == "" || notify == notifyOff || words == "" || !w.io.LeftAlone(since) {
		return
	}
	call := w.caller(notify)
	body := text.Field(run.Title, 100) + " (" + filepath.Base(run.Workspace) + ")"
	argv := call.Command(words, body)
	if argv == nil {
		_, _ = io.WriteString(w.io.Err, call.Written(words, body)) // stderr has nowhere to report its own faults
		return
	}
	if err := w.tellHook(cfg, text.ShellJoin(argv), run, nil); err != nil {
		w.tell("warning: notify: " + err.Error())
	}
}

// alertWords say why a person is called to a run; "" if it is at work.
func alertWords(r agent.Run) string {
	switch {
	case r.Status == agent.StatusSuspended, r.Undecided:
		return "agent waits for you"
	case r.Status == agent.StatusFinished:
		return "agent has finished"
	case r.Status == agent.StatusFailed:
		return "agent has failed"
	case r.Status == agent.StatusPaused:
		return "agent is paused"
	case r.Status == agent.StatusInterrupted:
		return "agent has died"
	case r.Status == agent.StatusCanceled:
		return "agent was canceled"
	}
	return ""
}

// alertWaiter calls a person who waits for a run that another process drove.
// Waiting itself needs no configuration: one that cannot be read spoils nothing.
func (w *wiring) alertWaiter(o outcome, since time.Time) {
	if o.state == nil || o.err != nil || !w.io.LeftAlone(since) {
		return
	}
	cfg, err := w.configurationHere()
	if err != nil {
		w.tell("warning: notify: " + err.Error())
		return
	}
	run := o.state.Run
	run.Status = o.status
	w.alert(cfg, run, since)
}
