package tools

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/secret"
)

//go:embed shell.md
var shellDescription string

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
	// Closed is out of reach of all tools, but nothing confines a command. So
	// where one of Closed.Paths lies in the workspace no command is run, and
	// none is run that plainly names a secret. That stops slips, not intent: a
	// command that puts a name together, or a script that opens a file, is
	// kept from it by the person who is asked about it, or by nobody.
	Closed Closed
	// Grace is how long a command that must stop may take to do so, and how
	// long the output of what it left running is waited for; 0: 2 seconds.
	Grace time.Duration
}

type shell struct{ cfg ShellConfig }

// Shell returns the tool shell: one command line, run by sh (cmd on Windows)
// in the workspace, without input and without the terminal. A command that
// fails is a result with IsError. Details has exitCode, durationMs, and, when
// the output was cut for the model, its digest as "output"; the blob is the
// output up to 8 MiB. When the context ends, the Result holds the output so
// far and the error is the context's cause.
//
// What a command started ends with it, and on Unix with this process too,
// however that ends. A process that left the command's session (setsid) lives
// on.
func Shell(cfg ShellConfig) agent.Tool {
	cfg.Grace = cmp.Or(cfg.Grace, defaultGrace)
	return shell{cfg: cfg}
}

// Definition implements agent.Tool.
func (shell) Definition() agent.Definition {
	return agent.Definition{
		Name: "shell", Description: shellDescription, InputSchema: json.RawMessage(shellSchema),
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
	if !call.Mode.MayWriteWorkspace() {
		return fmt.Errorf("mode %q may not write the workspace, and nothing here keeps a command from doing so: use the reading tools", call.Mode.ID)
	}
	inside, err := filepath.EvalSymlinks(call.Workspace)
	if err != nil {
		return fmt.Errorf("open workspace: %w", err)
	}
	d := newDenied(t.cfg.Closed)
	here := places{paths: []string{filepath.Clean(call.Workspace), inside}}
	if slices.ContainsFunc(d.own.paths, func(p string) bool { return here.cover(p, nil) }) || errors.Is(d.around(inside), errOwnData) {
		return errors.New("the agent's own data lies in the workspace, and nothing here keeps a command from it: move the database elsewhere")
	}
	if err := d.around(inside); err != nil {
		return fmt.Errorf("workspace %s: %w", call.Workspace, err)
	}
	return d.namedIn(command, inside, t.cfg.Closed.home())
}

// commandRun is a command that has ended.
type commandRun struct {
	out   output
	state *os.ProcessState
	left  bool // it left processes behind, which were stopped
}

// run starts the command and passes its output on until it ends. Output is
// only called from here, in the caller's goroutine.
func (t shell) run(ctx context.Context, call agent.Call, command string) (*commandRun, error) {
	chunks := make(chan []byte, 16)
	cmd := shellCommand(ctx, command)
	cmd.Dir = call.Workspace
	cmd.Env = t.environ(call)
	sink := chunkWriter(chunks)
	cmd.Stdout, cmd.Stderr = sink, sink
	cmd.Cancel = func() error { return terminate(cmd.Process.Pid) }
	// A process that outlives the command and holds its output open would
	// otherwise be waited for.
	cmd.WaitDelay = t.cfg.Grace
	g, err := newGuard()
	if err != nil {
		return nil, fmt.Errorf("start guard of the command: %w", err)
	}
	defer g.end()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start command: %w", err)
	}
	if g.watch(cmd.Process.Pid) != nil { // nothing runs unguarded
		killGroup(cmd.Process.Pid)
	}
	waited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // what became of it is in cmd.ProcessState
		close(waited)
	}()
	run := &commandRun{}
	show := call.Output
	if show == nil {
		show = func(string) {}
	}
	run.out.drain(chunks, waited, show)
	run.left = killGroup(cmd.Process.Pid)
	run.state = cmd.ProcessState
	return run, nil
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
	r.Content = b.String()
	return r
}

// environ is the environment of a command: without secrets, without what lets
// it speak for the agent or to the CI system, and so that nothing waits for
// a person at a terminal.
func (t shell) environ(call agent.Call) []string {
	from := t.cfg.Environ
	if from == nil {
		from = os.Environ() //nolint:forbidigo // what a library's caller expects; cmd gives its own
	}
	env := secret.ChildEnviron(from, t.cfg.PassEnv, t.cfg.DropEnv)
	if call.RunID == "" { // such a call may itself be made by a run's command
		env = append(env, variable(from, runIDVariable)...)
	}
	env = append(env, "PAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0", "TERM=dumb", "PWD="+call.Workspace)
	if call.RunID != "" {
		env = append(env, runIDVariable+"="+call.RunID)
	}
	return env
}

const runIDVariable = "AGENT_RUN_ID"

// variable returns the pairs of that name.
func variable(environ []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool { return !strings.HasPrefix(pair, name+"=") })
}

// chunkWriter hands copies of what is written to whoever drains the channel.
type chunkWriter chan<- []byte

func (c chunkWriter) Write(p []byte) (int, error) {
	c <- append([]byte(nil), p...)
	return len(p), nil
}
