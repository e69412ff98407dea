package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/file"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/modes"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// wiring is the one place that opens and joins store, model, modes, tools and
// policy, each when a command first needs it: help and version open nothing.
type wiring struct {
	io *iostreams.Streams
	g  *globals

	confining   *sandbox.Sandbox // see sandbox
	sandboxOnce sync.Once

	driven atomic.Pointer[string] // ID of the run the command drives, once it is stored
}

const agentID = "agent"

const instructions = `You are a coding agent at work in the user's repository. Look before you act,
keep changes small, and say briefly what you did. Where a decision is the user's, ask with ask_user.`

// workspace is the directory a command works in, absolute and without links.
func (w *wiring) workspace() (string, error) {
	dir := w.io.Dir
	if w.g.Dir != "" {
		dir = file.At(w.io.Dir, w.g.Dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", exit.Usagef("workspace %s: %v", dir, file.Cause(err))
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", exit.Usagef("workspace %s is not a directory", dir)
	}
	return real, nil
}

// dbPath is where the database lies: --db, AGENT_DB, or the user's data
// directory.
func (w *wiring) dbPath() (string, error) {
	for _, named := range [][2]string{{"--db", w.g.DB}, {"AGENT_DB", w.io.Env("AGENT_DB")}} {
		if from, p := named[0], named[1]; p != "" {
			return file.At(w.io.Dir, p), aFile(from, p)
		}
	}
	data, err := dataHome(w.io.Env, runtime.GOOS)
	if err != nil {
		return "", err
	}
	return filepath.Join(data, "agent", "runs.db"), nil
}

// aFile refuses names of databases that mean something else than a file to
// other programs: taken for a path they would make odd directories.
func aFile(from, name string) error {
	scheme, _, address := strings.Cut(name, "://")
	var fault error
	switch {
	case address && !strings.ContainsAny(scheme, `./\`) || strings.HasPrefix(name, "file:"):
		fault = exit.Usagef("%s %s: give the path of a file, not an address", from, name)
	case name == ":memory:" || name == runstore.MemoryDSN || name == "-":
		fault = exit.Usagef("%s %s: runs are kept in a file, where the next command finds them", from, name)
	case isNotUTF8(name):
		fault = exit.Usagef("%s %s: the path is not UTF-8, no next command could name it", from, name)
	default:
		return nil
	}
	return exit.Hintf(fault, "a file that is called so is ./%s", name)
}

// dataHome is where the system keeps a user's data.
func dataHome(env func(string) string, goos string) (string, error) {
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if goos == "windows" {
		if dir := env("LocalAppData"); dir != "" {
			return dir, nil
		}
		return "", exit.Configf("find database: LocalAppData is not set; name a file with --db or AGENT_DB")
	}
	home := env("HOME")
	if home == "" {
		return "", exit.Configf("find database: neither XDG_DATA_HOME nor HOME is set; name a file with --db or AGENT_DB")
	}
	if goos == "darwin" {
		return filepath.Join(home, "Library", "Application Support"), nil
	}
	return filepath.Join(home, ".local", "share"), nil
}

// openStore opens the database, making it if there is none.
func (w *wiring) openStore(ctx context.Context) (*runstore.SQLite, error) {
	path, err := w.dbPath()
	if err != nil {
		return nil, err
	}
	return runstore.Open(ctx, path, runstore.Options{Now: w.io.Now, Private: w.g.DB == "" && w.io.Env("AGENT_DB") == ""})
}

// readStore opens the database for a command that only looks: where there is
// none, none is made.
func (w *wiring) readStore(ctx context.Context) (runstore.Store, error) {
	path, err := w.dbPath()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return runstore.Memory(), nil
	}
	return w.openStore(ctx)
}

// prefix is what next commands begin with, so that they lead to this database.
func (w *wiring) prefix() []string {
	db := cmp.Or(w.g.DB, w.io.Env("AGENT_DB"))
	if db == "" {
		return []string{"agent"}
	}
	return []string{"agent", "--db", file.At(w.io.Dir, db)}
}

// command is a command of this program to be pasted.
func (w *wiring) command(words ...string) string {
	return text.ShellJoin(append(w.prefix(), words...))
}

// tools are the agent's tools.
func (w *wiring) tools(store *runstore.SQLite, cfg *config.Config) []agent.Tool {
	elsewhere := func(ctx context.Context, workspace, path, runID string) (string, error) {
		other, _, err := store.OpenPlan(ctx, workspace, path, runID)
		return other, err
	}
	return tools.All(tools.Config{
		PlansDir: cfg.PlansDir.Value,
		Plans:    tools.PlanDir{Dir: cfg.PlansDir.Value, OpenElsewhere: elsewhere},
		Denied:   w.denied(store.Path()),
		Secrets:  append(valuesOf(cfg.Sandbox.Secrets), w.closedBy(cfg)...), Home: w.io.Env("HOME"),
		Shell: tools.ShellConfig{
			Environ: w.io.Environ, PassEnv: valuesOf(cfg.Sandbox.PassEnv), DropEnv: keyVariables(cfg),
			Sandbox: w.sandbox(), Write: w.writable(cfg), Network: cfg.Sandbox.Network.Value,
		},
	})
}

// denied are the paths no tool may touch: the database with what lies beside
// it, and the agent's own directories, where it keeps what the user trusts and
// has configured.
func (w *wiring) denied(db string) []string {
	own := ""
	if data, err := dataHome(w.io.Env, runtime.GOOS); err == nil {
		own = filepath.Join(data, "agent")
	}
	return append(tools.DeniedFor(db, own), config.UserDirs(w.io.Env, runtime.GOOS)...)
}

// modes are the built-in modes and the configured ones over these tools.
func (w *wiring) modes(all []agent.Tool, cfg *config.Config) (*modes.Controller, error) {
	return modesOver(all, cfg, w.sandbox().ReadOnly())
}

// modesOver are the modes where commands can, or cannot, be kept from writing.
func modesOver(all []agent.Tool, cfg *config.Config, readOnlyShell bool) (*modes.Controller, error) {
	var names []string
	for _, t := range all {
		names = append(names, t.Definition().Name)
	}
	builtin := modes.Builtin(modes.Options{Tools: names, ReadOnlyShell: readOnlyShell})
	for i := range builtin { // they tell the model where plans go
		builtin[i].Instructions = strings.ReplaceAll(builtin[i].Instructions, tools.DefaultPlansDir, cfg.PlansDir.Value)
	}
	controller, err := modes.New(modes.Config{
		Modes:         cfg.MergeModes(builtin),
		DefaultModeID: cfg.DefaultModeID.Value, Tools: names, Registered: names,
	})
	if err != nil {
		return nil, exit.Configf("%v", err)
	}
	return controller, nil
}

// modesHere are the modes of this workspace, and the tools they choose from.
func (w *wiring) modesHere() ([]agent.Tool, *modes.Controller, error) {
	cfg, err := w.configurationHere()
	if err != nil {
		return nil, nil, err
	}
	return w.modesOf(cfg)
}

func (w *wiring) configurationHere() (*config.Config, error) {
	workspace, err := w.workspace()
	if err != nil {
		return nil, err
	}
	return w.configuration(workspace, false)
}

// modesOf are the modes of a configuration, and the tools they choose from.
func (w *wiring) modesOf(cfg *config.Config) ([]agent.Tool, *modes.Controller, error) {
	all := tools.All(tools.Config{PlansDir: cfg.PlansDir.Value})
	controller, err := w.modes(all, cfg)
	return all, controller, err
}

// agent joins everything for one command that drives runs. thinking is that of
// the run, pinned says that it has its model: what is configured does not
// matter then.
func (w *wiring) agent(store *runstore.SQLite, cfg *config.Config, thinking string, pinned bool) (*agent.Agent, *modes.Controller, error) {
	all := w.tools(store, cfg)
	controller, err := w.modes(all, cfg)
	if err != nil {
		return nil, nil, err
	}
	policy, err := w.policy(cfg)
	if err != nil {
		return nil, nil, err
	}
	open := w.opener(cfg, thinking)
	a := agent.Config{
		ID: agentID, Name: "agent", Instructions: instructions,
		Models: open, Facts: w.facts(cfg), Tools: all, Modes: controller,
		Permission: policy,
		Store:      store, Limits: limitsOf(cfg), Retry: cfg.Retry.Agent(), Now: w.io.Now,
	}
	w.mask(&a, keyVariables(cfg))
	a.Gate = w.gate(cfg)
	looks := w.surveyor(store, store.Path(), a.Mask)
	looks.Outputs = w.io.Files()
	a.Survey = looks.Look
	if id := cfg.Model.Value; !pinned && id != "" {
		if a.Model, err = open(id); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", cfg.Model.Origin, err)
		}
	}
	driver, err := agent.New(a)
	return driver, controller, err
}

// mask takes the values of secret variables out of what is recorded, shown or
// sent: of those named like secrets, and of names.
func (w *wiring) mask(a *agent.Config, names []string) {
	masker := w.g.masker(w.io, names)
	a.Mask = masker.MaskJSON
	a.MaskStream = func() (func(string) string, func() string) {
		s := masker.Stream()
		return s.Next, s.Flush
	}
}

// recorder joins what recording needs: no model is asked, no tool called.
func (w *wiring) recorder(ctx context.Context, flags *actorFlags) (*session, error) {
	by, err := flags.actor(w.io)
	if err != nil {
		return nil, err
	}
	store, err := w.openStore(ctx)
	if err != nil {
		return nil, err
	}
	cfg := agent.Config{ID: agentID, Store: store, Now: w.io.Now}
	w.mask(&cfg, nil)
	a, err := agent.New(cfg)
	if err != nil {
		_ = store.Close() // the first error is the one to tell
		return nil, err
	}
	return &session{w: w, store: store, agent: a, view: w.view(), by: by}, nil
}
