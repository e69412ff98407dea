package tools

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
	"github.com/seed-3e5a1d81/agent/internal/secret"
)

// commandRun is a command that has ended.
type commandRun struct {
	out   output
	state *os.ProcessState
	left  bool // it left processes behind, which were stopped

	offline   bool              // it was kept from the network
	restored  []string          // paths it changed, though it must not, and that were put back
	workspace string            // where it could write, real
	gits      map[string]string // repositories there before it; nil: it could make none
}

// setups is how often a sandbox is set up before a command is given up: what
// there is to hide, such as a socket of another program, may go while it is.
const setups = 3

// run runs the command. One whose sandbox could not be set up has not run.
func (t shell) run(ctx context.Context, call agent.Call, command string) (run *commandRun, err error) {
	for range setups {
		if run, err = t.runOnce(ctx, call, command); !errors.Is(err, sandbox.ErrSetup) || ctx.Err() != nil {
			break
		}
	}
	return run, err
}

// runOnce starts the command and passes its output on until it ends. Output is
// only called from here, in the caller's goroutine.
func (t shell) runOnce(ctx context.Context, call agent.Call, command string) (*commandRun, error) {
	mark := rand.Text()
	cmd := t.command(ctx, call, command, mark)
	chunks := make(chan []byte, 16)
	sink := chunkWriter(chunks)
	cmd.Stdout, cmd.Stderr = sink, sink
	run := &commandRun{}
	confined, err := t.confine(cmd, call, run)
	if err != nil {
		return nil, err
	}
	watch := func(family) error { return nil }
	if !confined.Kept() {
		g, err := newGuard()
		if err != nil {
			confined.Abort()
			return nil, fmt.Errorf("start guard of the command: %w", err)
		}
		defer g.end()
		watch = g.watch
	}
	if err := cmd.Start(); err != nil {
		confined.Abort()
		return nil, fmt.Errorf("start command: %w", err)
	}
	confined.Started()
	f := family{group: cmd.Process.Pid, mark: mark}
	if watch(f) != nil { // nothing runs unguarded
		f.kill()
	}
	waited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // what became of it is in cmd.ProcessState
		close(waited)
	}()
	show := call.Output
	if show == nil {
		show = func(string) {}
	}
	run.out.drain(chunks, waited, show)
	left := confined.Settle()
	run.left = f.end(t.cfg.Grace) || left
	run.state = cmd.ProcessState
	run.restored, err = confined.End(run.state)
	if err == nil {
		err = t.disarm(run)
	}
	if err != nil {
		said, _ := run.out.forModel()
		return nil, fmt.Errorf("%w\n%s", err, said)
	}
	return run, nil
}

// command is the process that runs a command line, ready to be given its
// output and started: this is the one place that makes it. It has no input.
// When ctx ends it is asked to stop, with all it started; mark is how what left
// its process group is known.
func (t shell) command(ctx context.Context, call agent.Call, command, mark string) *exec.Cmd {
	cmd := shellCommand(ctx, command)
	cmd.Dir = call.Workspace
	cmd.Env = append(t.environ(call), markVariable+"="+mark)
	cmd.Cancel = func() error {
		family{group: cmd.Process.Pid, mark: mark}.ask()
		return nil
	}
	// A process that outlives the command and holds its output open would
	// otherwise be waited for.
	cmd.WaitDelay = t.cfg.Grace
	return cmd
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

// markVariable tells the processes of one command from all others.
const (
	runIDVariable = "AGENT_RUN_ID"
	markVariable  = "AGENT_COMMAND_ID"
)

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
