package cmd

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/offer"
	"github.com/seed-3e5a1d81/agent/cmd/starter"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

type initOptions struct{ Project bool }

const initLong = `Write a configuration file in which every setting is explained and commented out,
where there is none yet: yours, or with --project the one of this project. A file
that exists is left as it is.

Before it writes yours it looks for models to begin with: the variables with keys
of providers that are set (their names alone), and an Ollama server on this
machine or at OLLAMA_HOST. On a terminal you choose one, it is tried with one
small request, and the file names it. Elsewhere what was found is printed, with
a command for each.`

func newInitCmd(w *wiring) *cobra.Command {
	opts := &initOptions{}
	c := &cobra.Command{
		Use: "init", Short: "Choose a model and write a configuration file", Long: initLong,
		Example: "  agent init\n  agent init --project",
		Args:    argsOf(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return initRun(cmd.Context(), w, opts) },
	}
	c.Flags().BoolVar(&opts.Project, "project", false, "write .mastracode/config.toml of this project instead of your own file")
	return c
}

// initiated is the JSON of init.
type initiated struct {
	Path    string         `json:"path"`
	Created bool           `json:"created"` // false: it was there
	Model   string         `json:"model"`   // the one the new file names; "" for none
	Keys    []string       `json:"keys"`    // names of variables that are set
	Servers []offer.Server `json:"servers"`
	Next    []next.Command `json:"next"`
}

func initRun(ctx context.Context, w *wiring, opts *initOptions) error {
	if err := refuseInside(w.io, "writing a configuration"); err != nil {
		return err
	}
	ctx, stop := stoppable(ctx, w)
	defer stop()
	found := w.findModels(ctx)
	done, err := w.initiate(ctx, opts, found)
	if errors.Is(err, terminal.ErrLeft) {
		w.tell("nothing was written")
		return exit.With(exit.Suspended)
	}
	done.Created = err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if w.g.machine() {
		return printJSON(w.io.Out, done)
	}
	return w.say(done.words(opts.Project, found))
}

// initiate writes the file. Only who has none yet is asked for a model.
func (w *wiring) initiate(ctx context.Context, opts *initOptions, found offer.Found) (done initiated, err error) {
	done = initiated{Keys: found.Keys, Servers: found.Servers, Next: runsOn(found, w.prefix())}
	if opts.Project {
		workspace, err := w.workspace()
		if err != nil {
			return done, err
		}
		done.Path, err = starter.Project(workspace)
		return done, err
	}
	done.Path = config.UserFile(w.io.Env, runtime.GOOS, "config.toml")
	if done.Path != "" && !file.Exists(done.Path) && w.io.Console != nil && !w.g.machine() {
		for _, line := range found.Words() {
			w.tell(line)
		}
		if done.Model, err = w.chooseModel(ctx, found); err != nil {
			return done, err
		}
	}
	return done, starter.User(done.Path, done.Model)
}

func (i initiated) words(project bool, found offer.Found) string {
	lines := []string{"wrote " + text.Line(i.Path)}
	if !i.Created {
		lines[0] = text.Line(i.Path) + " exists and was left as it is"
	}
	if i.Model == "" {
		lines = append(lines, found.Words()...)
	}
	lines = append(lines, "what holds now, and why: agent config")
	switch {
	case project:
		lines = append(lines, "it holds in full once you trust it: agent trust")
	case i.Model != "":
		lines = append(lines, `try it: agent run "Add a greeting"`)
	default:
		for _, c := range i.Next {
			lines = append(lines, "try it: "+c.Text)
		}
	}
	return strings.Join(lines, "\n")
}
