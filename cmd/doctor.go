package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/doctor"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/alert"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
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

func doctorRun(ctx context.Context, w *wiring, opts *doctorOptions) error {
	ctx, stop := stoppable(ctx, w)
	defer stop()
	x := doctor.New()
	add := func(section string, checks []doctor.Check) {
		x.Add(section, checks, w.g.masker(w.io, w.g.keys).MaskString)
	}
	add("program", w.programChecks())
	cfg, checks, err := w.configChecks()
	if err != nil {
		return err
	}
	add("configuration", checks)
	add("database", w.databaseChecks(ctx))
	known := w.modelOptions(cfg)
	add("models", doctor.Models(cfg, known))
	add("sandbox", doctor.Sandbox(sandbox.New(w.sandboxConfig()).Report()))
	add("terminal", w.terminalChecks(cfg))
	if opts.Online {
		add("online", doctor.Online(ctx, w.modelsToAsk(ctx, cfg), known, w.io.Now))
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

func (w *wiring) showExamination(x *doctor.Examination) error {
	switch w.g.Output {
	case outputJSON:
		return printJSON(w.io.Out, x)
	case outputJSONL:
		return printList(w, "checks", x.Checks)
	}
	return x.Show(newScreen(w.io, w.g, w.io.Out, w.io.OutTTY), w.g.Quiet)
}

// programChecks say which program this is, for reports of faults.
func (w *wiring) programChecks() []doctor.Check {
	v := readVersion()
	checks := []doctor.Check{doctor.Passed("version", "%s %s %s", v.Version, v.Go, v.Platform)}
	if id := w.io.Env("AGENT_RUN_ID"); id != "" {
		checks = append(checks, doctor.Warned("run", "answer and start runs from another terminal", "this is a command of run %s: it cannot answer, start or trust anything", id))
	}
	return checks
}

// configChecks list what is set and where. A configuration that cannot be used
// is one failed check, and the rest goes on without it.
func (w *wiring) configChecks() (*config.Config, []doctor.Check, error) {
	workspace, err := w.workspace()
	if err != nil {
		return nil, nil, err
	}
	cfg, err := w.configuration(workspace, false)
	if err != nil {
		var checks []doctor.Check
		for line := range strings.Lines(err.Error()) {
			checks = append(checks, doctor.Failed("fault", "", "%s", strings.TrimSuffix(line, "\n")))
		}
		return &config.Config{}, checks, nil
	}
	checks := []doctor.Check{doctor.Passed("your file", "%s", fileNote(cfg.User)), doctor.Passed("project", "%s", strings.TrimPrefix(projectNote(cfg), "project's file: "))}
	builtin := 0
	for _, s := range cfg.Settings() {
		if s.Origin.Source == config.SourceBuiltIn && !w.g.Verbose {
			builtin++
			continue
		}
		checks = append(checks, doctor.Passed(s.Key, "%s (%s)", s.Text(), s.From))
	}
	if builtin > 0 {
		checks = append(checks, doctor.Passed("built-in", "%d more settings are as they are built in; agent config lists them", builtin))
	}
	for _, line := range append(warningsOf(cfg), cfg.IgnoredLine()) {
		if line != "" {
			checks = append(checks, doctor.Warned("warning", "", "%s", line))
		}
	}
	return cfg, checks, nil
}

func (w *wiring) databaseChecks(ctx context.Context) []doctor.Check {
	path, err := w.dbPath()
	if err != nil {
		return []doctor.Check{doctor.Failed("path", exit.Hint(err), "%v", err)}
	}
	return doctor.Database(ctx, path)
}

// modelsToAsk are the configured models, or where there is none one for each key
// that is set.
func (w *wiring) modelsToAsk(ctx context.Context, cfg *config.Config) []string {
	ids := doctor.Configured(cfg)
	if len(ids) > 0 {
		return ids
	}
	for _, o := range w.findModels(ctx).Offers {
		ids = append(ids, o.ID)
	}
	return ids
}

// terminalChecks say what the command meets, and how a person is called back.
func (w *wiring) terminalChecks(cfg *config.Config) []doctor.Check {
	t := doctor.Terminal{
		Term: w.io.Env("TERM"), CI: w.io.Set("CI"), Asks: w.io.Console != nil, Colours: newPalette(w.io, w.g, w.io.OutTTY).On,
	}
	for _, s := range []struct {
		name string
		tty  bool
	}{{"stdin", w.io.InTTY}, {"stdout", w.io.OutTTY}, {"stderr", w.io.ErrTTY}} {
		if s.tty {
			t.Streams = append(t.Streams, s.name)
		}
	}
	if w.io.Columns != nil {
		t.Columns = w.io.Columns()
	}
	return append(t.Checks(), w.notifyCheck(cfg.Notify.Value))
}

// notifyCheck says how a person is called back.
func (w *wiring) notifyCheck(notify string) doctor.Check {
	call := w.caller(notify)
	switch {
	case notify == "" || notify == notifyOff:
		return doctor.Passed("notify", "off")
	case !w.io.LeftAlone(time.Time{}):
		return doctor.Passed("notify", "%s, but nobody is called here: stderr is no terminal that takes it, or CI is set", notify)
	case notify == "desktop" && call == alert.Call{}:
		return doctor.Warned("notify", "use a terminal that shows notifications, or install notify-send", "desktop: nothing is known that shows notifications here, so it is %s", call)
	}
	return doctor.Passed("notify", "%s: %s", notify, call)
}
