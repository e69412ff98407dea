package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

const configLong = `Show the configuration that holds in this workspace, each value with its origin:
a file with its line, a variable, a flag, or "built-in".

The environment wins over your file, your file over the project's, and that over
what is built in. Lists of all sources hold together. What the project's file
may not set is listed as ignored; "agent trust" lets more of it in.`

func newConfigCmd(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "Show the configuration and where it comes from", Long: configLong,
		Example: "  agent config\n  agent config --output json",
		Args:    argsOf(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return configRun(w) },
	}
}

// shownConfig is the JSON of config.
type shownConfig struct {
	User     string           `json:"user"`
	Project  shownProject     `json:"project"`
	Settings []config.Setting `json:"settings"`
	Ignored  []config.Ignored `json:"ignored"`
	Warnings []string         `json:"warnings"`
}

// shownProject is the project's file; digest is "" where there is none.
type shownProject struct {
	Root    string `json:"root"`
	Path    string `json:"path"`
	Digest  string `json:"digest"`
	Trusted bool   `json:"trusted"`
}

func newShownConfig(cfg *config.Config) shownConfig {
	c := shownConfig{
		User: cfg.User, Project: newShownProject(cfg), Settings: cfg.Settings(),
		Ignored: append([]config.Ignored{}, cfg.Ignored...), Warnings: []string{},
	}
	c.Warnings = append(c.Warnings, warningsOf(cfg)...)
	return c
}

func newShownProject(cfg *config.Config) shownProject {
	p := cfg.Project
	return shownProject{Root: p.Root, Path: config.ProjectPath, Digest: p.Digest, Trusted: p.Trusted}
}

func configRun(w *wiring) error {
	workspace, err := w.workspace()
	if err != nil {
		return err
	}
	cfg, err := w.configuration(workspace, false)
	if err != nil {
		return err
	}
	switch w.g.Output {
	case outputJSON:
		return printJSON(w.io.Out, newShownConfig(cfg))
	case outputJSONL:
		return printList(w, "settings", cfg.Settings())
	}
	w.tell("your file: " + fileNote(cfg.User))
	w.tell(projectNote(cfg))
	if err := w.printSettings(cfg.Settings(), 60); err != nil {
		return err
	}
	if err := w.printIgnored(cfg.Ignored); err != nil {
		return err
	}
	for _, line := range warningsOf(cfg) {
		w.tell("warning: " + line)
	}
	return nil
}

func fileNote(path string) string {
	switch {
	case path == "":
		return "none, neither XDG_CONFIG_HOME nor HOME is set"
	case !file.Exists(path):
		return text.Line(path) + " (does not exist; agent init writes one)"
	}
	return text.Line(path)
}

func projectNote(cfg *config.Config) string {
	p := cfg.Project
	switch {
	case p.Digest == "":
		return "project's file: none"
	case p.Trusted:
		return fmt.Sprintf("project's file: %s in %s (trusted)", config.ProjectPath, text.Line(p.Root))
	}
	return fmt.Sprintf("project's file: %s in %s (not trusted)", config.ProjectPath, text.Line(p.Root))
}

// printSettings prints settings as a table, of which a value takes at most so
// many cells.
func (w *wiring) printSettings(settings []config.Setting, widest int) error {
	t := screen.Table{Head: []string{"KEY", "VALUE", "ORIGIN"}, Widest: []int{60, widest, 200}}
	for _, s := range settings {
		t.Add(s.Key, s.Text(), s.From)
	}
	return w.printTable(&t)
}

func (w *wiring) printIgnored(ignored []config.Ignored) error {
	if len(ignored) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w.io.Out); err != nil {
		return err
	}
	t := screen.Table{Head: []string{"IGNORED", "LINE", "WHY"}, Widest: []int{60, 6, 120}}
	for _, i := range ignored {
		t.Add(i.Key, fmt.Sprint(i.Line), ignoredWhy(i))
	}
	return w.printTable(&t)
}

// ignoredWhy says why a setting of the project's file does not hold, and what
// would change it.
func ignoredWhy(i config.Ignored) string {
	why := "the project's file is not trusted: agent trust"
	if i.Never {
		why = "never taken from a project"
	}
	if i.Reason != "" {
		why += "; " + i.Reason
	}
	return why
}
