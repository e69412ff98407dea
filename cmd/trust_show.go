package cmd

import (
	"fmt"

	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// whole is the width of a column that shows all there is: nobody trusts the end
// of a rule that they could not see.
const whole = 1 << 20

// showProject prints what a project's file does once it is trusted, where nobody
// is asked.
func (w *wiring) showProject(cfg *config.Config, settings []config.Setting) error {
	if w.io.OutTTY {
		on := newScreen(w.io, w.g, w.io.Out, true)
		tellProject(on, cfg, settings)
		return on.Flush()
	}
	for _, p := range cfg.Warnings {
		w.tell("warning: " + p.Error())
	}
	if len(settings) == 0 {
		w.tell(setsNothing)
	} else if err := w.printSettings(settings, whole); err != nil {
		return err
	}
	if err := w.printIgnored(cfg.Ignored); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w.io.Out)
	return err
}

const setsNothing = config.ProjectPath + " sets nothing that trust would let in"

// tellProject is showProject for a person: every value in full, whatever the
// width of the terminal.
func tellProject(on *screen.Screen, cfg *config.Config, settings []config.Setting) {
	for _, p := range cfg.Warnings {
		on.Line("warning: ", p.Error())
	}
	if len(settings) == 0 {
		on.Line(setsNothing)
	}
	for i, s := range settings {
		if i == 0 || settings[i-1].Key != s.Key {
			on.Heading(text.Field(s.Key, whole), "  ", text.Field(s.From, whole))
		}
		on.SetOff(text.Line(s.Text()))
	}
	if len(cfg.Ignored) > 0 {
		on.Heading("ignored")
	}
	for _, i := range cfg.Ignored {
		on.Line("  ", text.Field(i.Key, whole), ", line ", i.Line, ": ", ignoredWhy(i))
	}
}
