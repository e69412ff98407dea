package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

type doctorOptions struct{ Online bool }

const doctorLong = `Check what runs depend on: the configuration, each value with its origin, the
database, the keys of providers (their names alone), the models that are
configured, what confines commands, and the terminal. Nothing is changed.

Nothing is asked over a network either, unless --online is given: then each
configured model, or where none is configured one for each key that is set, gets
one tiny request that it has to answer by calling a tool.

A check that fails makes the exit code 1; a warning does not.`

func newDoctorCmd(w *wiring) *cobra.Command {
	opts := &doctorOptions{}
	c := &cobra.Command{
		Use: "doctor", Short: "Check what runs depend on", Long: doctorLong,
		Example: "  agent doctor\n  agent doctor --online\n  agent doctor --output json",
		Args:    argsOf(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return doctorRun(cmd.Context(), w, opts) },
	}
	c.Flags().BoolVar(&opts.Online, "online", false, "also ask each configured model for one tiny reply, which may cost a fraction of a cent")
	return c
}

// States of checks.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail"
)

// check is one thing doctor looked at. Detail and Hint may hold what files and
// servers said.
type check struct {
	Section string `json:"section"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Detail  string `json:"detail"`
	Hint    string `json:"hint"` // next step; "" for none
}

func passed(name, format string, args ...any) check {
	return check{Name: name, Status: checkOK, Detail: fmt.Sprintf(format, args...)}
}

func warned(name, hint, format string, args ...any) check {
	return check{Name: name, Status: checkWarn, Hint: hint, Detail: fmt.Sprintf(format, args...)}
}

func failed(name, hint, format string, args ...any) check {
	return check{Name: name, Status: checkFail, Hint: hint, Detail: fmt.Sprintf(format, args...)}
}

// examination is the JSON of doctor.
type examination struct {
	OK     bool    `json:"ok"` // no check failed
	Checks []check `json:"checks"`
}

func doctorRun(ctx context.Context, w *wiring, opts *doctorOptions) error {
	ctx, stop := stoppable(ctx, w)
	defer stop()
	x := &examination{OK: true, Checks: []check{}}
	x.add(w, "program", w.programChecks())
	cfg, checks, err := w.configChecks()
	if err != nil {
		return err
	}
	x.add(w, "configuration", checks)
	x.add(w, "database", w.databaseChecks(ctx))
	known := w.modelOptions(cfg)
	x.add(w, "models", w.modelChecks(cfg, known))
	x.add(w, "sandbox", sandboxChecks(sandbox.New(w.sandboxConfig()).Report()))
	x.add(w, "terminal", w.terminalChecks(cfg))
	if opts.Online {
		x.add(w, "online", w.onlineChecks(ctx, cfg, known))
	}
	if ctx.Err() != nil {
		return interruptedEarly(ctx, context.Cause(ctx))
	}
	if err := w.showExamination(x); err != nil {
		return err
	}
	if !x.OK {
		return exit.With(exit.Failure)
	}
	return nil
}

// add takes the checks of a section in, without the values of secrets.
func (x *examination) add(w *wiring, section string, checks []check) {
	for _, c := range checks {
		c.Section = section
		shown := masked(w.io, w.g, exit.Hintf(errors.New(c.Detail), "%s", c.Hint))
		c.Detail, c.Hint = shown.Error(), exit.Hint(shown)
		x.Checks = append(x.Checks, c)
		x.OK = x.OK && c.Status != checkFail
	}
}

func (w *wiring) showExamination(x *examination) error {
	switch w.g.Output {
	case outputJSON:
		return printJSON(w.io.Out, x)
	case outputJSONL:
		return printList(w, "checks", x.Checks)
	}
	on := newScreen(w.io, w.g, w.io.Out, w.io.OutTTY)
	section := ""
	for _, c := range x.Checks {
		if w.g.Quiet && c.Status == checkOK {
			continue
		}
		if c.Section != section {
			on.Line(on.Look.Strong(c.Section))
		}
		section = c.Section
		on.Line("  ", statusInk(on.Look, c.Status), "  ", fmt.Sprintf("%-12s", text.Field(c.Name, 40)), "  ", text.Field(c.Detail, 400))
		for hint := range strings.Lines(c.Hint) {
			on.Line("        ", on.Look.Ours(text.Field(hint, 300)))
		}
	}
	on.Line(summaryOf(x.Checks))
	return on.Flush()
}

func statusInk(look screen.Palette, status string) screen.Ink {
	padded := fmt.Sprintf("%-4s", status)
	switch status {
	case checkFail:
		return look.Bad(padded)
	case checkWarn:
		return look.Warn(padded)
	}
	return look.Good(padded)
}

func summaryOf(checks []check) string {
	count := func(status string) int {
		return len(slices.DeleteFunc(slices.Clone(checks), func(c check) bool { return c.Status != status }))
	}
	return fmt.Sprintf("%d ok, %d warned, %d failed", count(checkOK), count(checkWarn), count(checkFail))
}

// programChecks say which program this is, for reports of faults.
func (w *wiring) programChecks() []check {
	v := readVersion()
	checks := []check{passed("version", "%s %s %s", v.Version, v.Go, v.Platform)}
	if id := w.io.Env("AGENT_RUN_ID"); id != "" {
		checks = append(checks, warned("run", "answer and start runs from another terminal", "this is a command of run %s: it cannot answer, start or trust anything", id))
	}
	return checks
}

// configChecks list what is set and where. A configuration that cannot be used
// is one failed check, and the rest goes on without it.
func (w *wiring) configChecks() (*config.Config, []check, error) {
	workspace, err := w.workspace()
	if err != nil {
		return nil, nil, err
	}
	cfg, err := w.configuration(workspace, false)
	if err != nil {
		var checks []check
		for line := range strings.Lines(err.Error()) {
			checks = append(checks, failed("fault", "", "%s", strings.TrimSuffix(line, "\n")))
		}
		return &config.Config{}, checks, nil
	}
	checks := []check{passed("your file", "%s", fileNote(cfg.User)), passed("project", "%s", strings.TrimPrefix(projectNote(cfg), "project's file: "))}
	builtin := 0
	for _, s := range cfg.Settings() {
		if s.Origin.Source == config.SourceBuiltIn && !w.g.Verbose {
			builtin++
			continue
		}
		checks = append(checks, passed(s.Key, "%s (%s)", s.Text(), s.From))
	}
	if builtin > 0 {
		checks = append(checks, passed("built-in", "%d more settings are as they are built in; agent config lists them", builtin))
	}
	for _, line := range append(warningsOf(cfg), cfg.IgnoredLine()) {
		if line != "" {
			checks = append(checks, warned("warning", "", "%s", line))
		}
	}
	return cfg, checks, nil
}
