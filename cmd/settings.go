package cmd

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/tools"
)

// configuration reads what holds for a command that works in workspace. Only
// commands that need it read it. Model, limits and what becomes of questions
// are not given as flags: those of a command hold for its run or its time and
// are joined where that is known.
func (w *wiring) configuration(workspace string, trust bool) (*config.Config, error) {
	return w.configured(workspace, permissionFlags{Trust: trust})
}

// configured is configuration for a command with flags of permission.
func (w *wiring) configured(workspace string, given permissionFlags) (*config.Config, error) {
	opts := config.Options{
		Getenv: w.io.Env, GOOS: runtime.GOOS, Workspace: workspace,
		Trusted: w.trusted, TrustWorkspace: given.Trust,
		Flags: given.values(), Tools: definitions(tools.All(tools.Config{})),
		CheckRule: w.checkRule,
	}
	if w.g.DB != "" {
		opts.Flags["db"] = []string{w.g.DB}
	}
	cfg, err := config.Load(opts)
	if err != nil {
		return nil, exit.Configf("%v", err)
	}
	w.g.keys, w.g.headers = keyVariables(cfg), secretHeaders(cfg)
	w.rootScripts(cfg)
	return cfg, nil
}

func definitions(all []agent.Tool) []agent.Definition {
	var out []agent.Definition
	for _, t := range all {
		out = append(out, t.Definition())
	}
	return out
}

// trusted asks the user's list. Who has no place for one trusts nothing.
func (w *wiring) trusted(root, digest string) (bool, error) {
	list, err := w.trustList()
	if err != nil {
		return false, nil //nolint:nilerr // there is no list
	}
	return list.Trusted(root, digest)
}

// trustList is the list of trusted projects in the user's data directory.
func (w *wiring) trustList() (config.Trust, error) {
	data, err := dataHome(w.io.Env, runtime.GOOS)
	return config.Trust{Dir: filepath.Join(data, "agent"), Now: w.io.Now}, err
}

const scriptPrefix = "script:"

// rootScripts lets relative script models of the user's file begin at that
// file: at the current directory they would name whatever a repository put
// there.
func (w *wiring) rootScripts(cfg *config.Config) {
	if cfg.Model.Origin.Source == config.SourceUser {
		cfg.Model.Value = scriptBeside(cfg.User, cfg.Model.Value)
	}
	for i, m := range cfg.Modes {
		if m.Origin.Source == config.SourceUser {
			cfg.Modes[i].Value.DefaultModelID = scriptBeside(cfg.User, m.Value.DefaultModelID)
		}
	}
}

func scriptBeside(settings, id string) string {
	path, ok := strings.CutPrefix(id, scriptPrefix)
	if !ok || path == "" {
		return id
	}
	return scriptPrefix + file.At(filepath.Dir(settings), path)
}

// warn tells what is wrong in the project's file and what of it does not hold.
// It comes before the first request and the first command.
func (w *wiring) warn(cfg *config.Config) {
	for _, line := range warningsOf(cfg) {
		w.tell("warning: " + line)
	}
	if line := cfg.IgnoredLine(); line != "" {
		w.tell(line)
	}
}

func warningsOf(cfg *config.Config) []string {
	var out []string
	if y := cfg.Yolo; y.Value && y.Origin.Source == config.SourceUser {
		out = append(out, "every call that no rule denies is allowed (yolo, "+y.Origin.String()+")")
	}
	for _, p := range cfg.Warnings {
		out = append(out, p.Error())
	}
	return out
}

func valuesOf(list []config.Value[string]) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Value)
	}
	return out
}

// keyVariables are the variables that hold keys of the configured providers,
// whatever they are called.
func keyVariables(cfg *config.Config) []string {
	var names []string
	for _, p := range cfg.Providers {
		if p.Value.APIKeyEnv != "" {
			names = append(names, p.Value.APIKeyEnv)
		}
	}
	return names
}
