package cmd

import (
	_ "embed" // the files are written as they are
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/config/repofile"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

//go:embed init_user.toml
var userTemplate string

//go:embed init_project.toml
var projectTemplate string

type initOptions struct{ Project bool }

const initLong = `Write a configuration file in which every setting is explained and commented out,
where there is none yet: yours, or with --project the one of this project. A file
that exists is left as it is.

It also says which variables with keys of model providers are set. Only their
names are looked at.`

func newInitCmd(w *wiring) *cobra.Command {
	opts := &initOptions{}
	c := &cobra.Command{
		Use: "init", Short: "Write a configuration file to start from", Long: initLong,
		Example: "  agent init\n  agent init --project",
		Args:    argsOf(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return initRun(w, opts) },
	}
	c.Flags().BoolVar(&opts.Project, "project", false, "write .mastracode/config.toml of this project instead of your own file")
	return c
}

// initiated is the JSON of init.
type initiated struct {
	Path    string   `json:"path"`
	Created bool     `json:"created"` // false: it was there
	Keys    []string `json:"keys"`    // names of variables that are set
}

func initRun(w *wiring, opts *initOptions) error {
	if err := refuseInside(w.io, "writing a configuration"); err != nil {
		return err
	}
	write := w.initUser
	if opts.Project {
		write = w.initProject
	}
	path, err := write()
	done := initiated{Path: path, Created: err == nil, Keys: append([]string{}, model.Keys(model.Options{Getenv: w.io.Env})...)}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if w.g.machine() {
		return printJSON(w.io.Out, done)
	}
	return w.say(done.words(opts.Project))
}

func (i initiated) words(project bool) string {
	lines := []string{"wrote " + text.Line(i.Path)}
	if !i.Created {
		lines[0] = text.Line(i.Path) + " exists and was left as it is"
	}
	keys := "no keys of model providers are set"
	if len(i.Keys) > 0 {
		keys = "keys found: " + strings.Join(i.Keys, ", ")
	}
	lines = append(lines, keys, "what holds now, and why: agent config")
	if project {
		lines = append(lines, "it holds in full once you trust it: agent trust")
	} else {
		lines = append(lines, `try it: `+model.Ways()[0])
	}
	return strings.Join(lines, "\n")
}

// initUser writes the user's file, which others have no business to read.
func (w *wiring) initUser() (string, error) {
	path := config.UserFile(w.io.Env, runtime.GOOS, "config.toml")
	if path == "" {
		return "", configf("write configuration: neither XDG_CONFIG_HOME nor HOME is set")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return path, configf("write configuration: %v", err)
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return path, configf("write configuration: %v", err)
	}
	defer dir.Close()
	return path, createFile(dir, filepath.Base(path), userTemplate, 0o600)
}

// initProject writes the project's file. A repository may hold a link in its
// place, or in place of its directory: nothing is written through one.
func (w *wiring) initProject() (string, error) {
	workspace, err := w.workspace()
	if err != nil {
		return "", err
	}
	root := repofile.Root(workspace)
	path := filepath.Join(root, filepath.FromSlash(config.ProjectPath))
	top, err := os.OpenRoot(root)
	if err != nil {
		return path, fmt.Errorf("write configuration: %w", err)
	}
	defer top.Close()
	name := filepath.Dir(filepath.FromSlash(config.ProjectPath))
	if err := top.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return path, fmt.Errorf("write configuration: %w", err)
	}
	if info, err := top.Lstat(name); err != nil || !info.IsDir() {
		return path, configf("write configuration: %s in %s is a link or no directory", name, root)
	}
	dir, err := top.OpenRoot(name)
	if err != nil {
		return path, fmt.Errorf("write configuration: %w", err)
	}
	defer dir.Close()
	return path, createFile(dir, filepath.Base(path), projectTemplate, 0o666)
}

// createFile writes a new file; one that exists, a link that leads nowhere
// included, is fs.ErrExist.
func createFile(dir *os.Root, name, content string, perm fs.FileMode) (err error) {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	defer func() {
		if closing := f.Close(); err == nil && closing != nil {
			err = fmt.Errorf("write configuration: %w", closing)
		}
	}()
	if _, err := f.WriteString(content); err != nil {
		return errors.Join(fmt.Errorf("write configuration: %w", err), dir.Remove(name))
	}
	return nil
}
