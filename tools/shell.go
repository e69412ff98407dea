package tools

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
)

//go:embed shell.md
var shellDescription string

//go:embed shell_confined.md
var shellConfined string

const shellSchema = `{"type":"object","properties":{` +
	`"command":{"type":"string","description":"Command line for sh, run in the workspace."},` +
	`"timeout":{"type":"integer","minimum":1,"maximum":3600,"description":"Seconds after which it is stopped. Default 120."},` +
	`"description":{"type":"string","description":"What it does, in a few words, for the person."}},` +
	`"required":["command"]}`

const (
	defaultTimeout = 120
	maxTimeout     = 3600
	defaultGrace   = 2 * time.Second
)

// ShellConfig configures the tool shell. The zero value is useful.
type ShellConfig struct {
	// Environ is the environment commands get a part of; nil: os.Environ().
	Environ []string
	// PassEnv names variables to pass though they look like secrets, DropEnv
	// further ones to keep back; see secret.ChildEnviron.
	PassEnv, DropEnv []string
	// Sandbox confines commands; nil: nothing does. Then no mode that may not
	// write has commands.
	Sandbox *sandbox.Sandbox
	// Write are further absolute paths that confined commands may write.
	Write []string
	// Network says which confined commands have a network: NetworkOff,
	// NetworkOn, or those a person allowed one by one, NetworkAsk or "". In a
	// mode that may not write none has.
	Network string
	// Closed is out of reach of all tools, and confined commands too. Where
	// nothing confines them, none is run if one of Closed.Paths lies in the
	// workspace, and none that plainly names a secret. That stops slips, not
	// intent: a command that puts a name together, or a script that opens a
	// file, is kept from it by the person who is asked about it, or by nobody.
	Closed Closed
	// Grace is how long a command, or what it left running, may take to stop
	// once it was asked to, before it is killed; and how long the output of what
	// it left running is waited for. 0: 2 seconds.
	Grace time.Duration
}

// Values of ShellConfig.Network.
const (
	NetworkOff = "off"
	NetworkAsk = "ask"
	NetworkOn  = "on"
)

type shell struct {
	cfg     ShellConfig
	secrets *secretFiles
}

// Shell returns the tool shell: one command line, run by sh (cmd on Windows)
// in the workspace, without input and without the terminal. A command that
// fails is a result with IsError. Details has exitCode, durationMs, and, when
// the output was cut for the model, its digest as "output". The blob is the
// output up to 8 MiB; of more it is the first and the last 4 MiB, with a line
// between them that says how much is not kept. No more is ever held in memory,
// and no more than the first 4 MiB are shown through Call.Output. When the
// context ends, the Result holds the output so far and the error is the
// context's cause.
//
// What a command started ends with it, and on Unix with this process too,
// however that ends. On Linux that holds for what left the command's session
// (setsid) too, unless it emptied its environment; elsewhere such processes
// live on.
func Shell(cfg ShellConfig) agent.Tool {
	cfg.Grace = cmp.Or(cfg.Grace, defaultGrace)
	return shell{cfg: cfg, secrets: &secretFiles{}}
}

// Definition implements agent.Tool.
func (t shell) Definition() agent.Definition {
	description := shellDescription
	if t.confines() {
		description += shellConfined
	}
	return agent.Definition{
		Name: "shell", Description: description, InputSchema: json.RawMessage(shellSchema),
		Effect: agent.EffectOnce, Category: agent.CategoryExecute,
	}
}

// Call implements agent.Tool.
func (t shell) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	command, timeout, err := parseShell(call.Args)
	if err == nil {
		err = t.allow(call, command)
	}
	if err != nil {
		return refuse("shell", err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	started := time.Now()
	run, err := t.run(limited, call, command)
	if err != nil {
		return refuse("shell", err)
	}
	r := run.result(limited, timeout)
	r.Details["durationMs"] = time.Since(started).Milliseconds()
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	return r, nil
}

var errTimeout = errors.New("the command ran into its time-out")

func parseShell(raw json.RawMessage) (command string, timeout time.Duration, err error) {
	a, err := decodeArgs(raw)
	if err != nil {
		return "", 0, err
	}
	if command, err = a.required("command"); err != nil {
		return "", 0, err
	}
	if strings.ContainsRune(command, 0) {
		return "", 0, errors.New(`command holds a NUL character, which no command line can: print one with printf '\0'`)
	}
	if _, err = a.text("description"); err != nil {
		return "", 0, err
	}
	seconds, err := a.integer("timeout", defaultTimeout, 1, maxTimeout)
	return command, time.Duration(seconds) * time.Second, err
}

// allow refuses to run where nothing but the command's good will would keep it
// to what the mode allows.
func (t shell) allow(call agent.Call, command string) error {
	if call.Workspace == "" {
		return errors.New("this run has no workspace to run commands in")
	}
	if err := t.confinable(call.Mode); err != nil {
		return err
	}
	inside, err := filepath.EvalSymlinks(call.Workspace)
	if err != nil {
		return fmt.Errorf("open workspace: %w", err)
	}
	d := newDenied(t.cfg.Closed)
	here := places{paths: []string{filepath.Clean(call.Workspace), inside}}
	if !t.confines() && slices.ContainsFunc(d.own.paths, func(p string) bool { return here.cover(p, nil) }) || errors.Is(d.around(inside), errOwnData) {
		return errors.New("the agent's own data lies in the workspace, and nothing here keeps a command from it: move the database elsewhere")
	}
	if err := d.around(inside); err != nil {
		return fmt.Errorf("workspace %s: %w", call.Workspace, err)
	}
	if t.confines() { // other processes are out of its reach, and its own it may look at
		d.secret.paths = slices.DeleteFunc(d.secret.paths, func(p string) bool { return p == procDir })
	}
	return d.namedIn(command, inside, t.cfg.Closed.home())
}

// result tells the model what the command said and how it ended.
func (run *commandRun) result(ctx context.Context, timeout time.Duration) agent.Result {
	r := agent.Result{Details: map[string]any{"exitCode": run.state.ExitCode()}}
	text, whole := run.out.forModel()
	if whole != nil {
		r.Blobs = [][]byte{whole}
		r.Details["output"] = agent.Digest(whole)
	}
	var b strings.Builder
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	if text == "" {
		b.WriteString("[no output]\n")
	}
	r.IsError = run.state.ExitCode() != 0
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		r.IsError = true
		fmt.Fprintf(&b, "[stopped: it ran into its time-out of %s]", timeout)
	case ctx.Err() != nil:
		r.IsError = true
		b.WriteString("[stopped before it ended]")
	case run.state.ExitCode() < 0:
		fmt.Fprintf(&b, "[ended by %s]", run.state)
	default:
		fmt.Fprintf(&b, "[exit code %d]", run.state.ExitCode())
	}
	if run.left && ctx.Err() == nil {
		b.WriteString("\n[processes it left in the background were stopped]")
	}
	if len(run.restored) > 0 {
		r.IsError = true
		fmt.Fprintf(&b, "\n[taken back, because no command may change it: %s]", strings.Join(run.restored, ", "))
	}
	if r.IsError && run.offline {
		b.WriteString("\n[it had no network]")
	}
	r.Content = b.String()
	return r
}
