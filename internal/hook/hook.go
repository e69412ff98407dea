// Package hook runs the commands a user wants to hear of events: one that is
// asked and may object, and those that are told and waited for by nobody.
package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Hook is a command line for the system's shell. It gets an event as a
// line of JSON on its stdin. Its environment is whole: nothing is added.
type Hook struct {
	Command string
	Dir     string
	Environ []string
	Timeout time.Duration
}

// grace is how long the output of a hook that was ended is waited for.
const grace = 500 * time.Millisecond

// Ask runs the hook and waits. It objects, and so does a hook that cannot be
// run or does not end in time: the error says why, in the hook's own first line
// on stderr where it has one.
func (h Hook) Ask(ctx context.Context, event any) error {
	data, err := text.JSON(event)
	if err != nil {
		return fmt.Errorf("encode event for hook: %w", err)
	}
	within, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	said := &head{}
	err = h.run(within, data, said)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case within.Err() != nil:
		return fmt.Errorf("the hook did not answer within %s", h.Timeout)
	case errors.As(err, &exit) && said.line() != "":
		return errors.New(said.line())
	case errors.As(err, &exit):
		return fmt.Errorf("the hook objects (%w)", exit)
	case errors.Is(err, exec.ErrWaitDelay):
		return errors.New("the hook ended, but left a process that kept its stdin or stderr open: give such a process others, as in COMMAND </dev/null >/dev/null 2>&1 &")
	}
	return fmt.Errorf("run hook: %w", err)
}

// run runs the command with data on its stdin until it ends or ctx does; with
// ctx ends what it started too, and so does what still holds its pipes after it.
// A nil stderr goes nowhere.
func (h Hook) run(ctx context.Context, data []byte, stderr *head) error {
	cmd := shell(ctx, h.Command)
	cmd.Dir, cmd.Env, cmd.WaitDelay = h.Dir, h.Environ, grace
	cmd.Stdin = bytes.NewReader(data)
	if stderr != nil {
		cmd.Stderr = stderr
	}
	err := cmd.Run()
	held := stderr != nil && cmd.ProcessState != nil && !stderr.ended // an exit code hides it in err
	if held || errors.Is(err, exec.ErrWaitDelay) {
		endLeft(cmd)
	}
	if err != nil && strings.Contains(err.Error(), "broken pipe") && cmd.ProcessState.Success() {
		return nil // it did not read what it was told
	}
	return err
}

// head keeps the beginning of what it reads, and whether that came to its end.
type head struct {
	kept  bytes.Buffer
	ended bool
}

const longest = 4 << 10

func (h *head) Write(p []byte) (int, error) {
	h.kept.Write(p[:min(len(p), longest-h.kept.Len())])
	return len(p), nil
}

// ReadFrom is what the pipe of a command is read by.
func (h *head) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{h}, r)
	h.ended = err == nil
	return n, err
}

func (h *head) line() string {
	first, _, _ := strings.Cut(strings.TrimSpace(h.kept.String()), "\n")
	return text.Truncate(text.Line(first), 300)
}

// childName is how the keeper of a hook nobody waits for is called. Its program
// is this one; see Child.
const childName = "agent-hook"

// Tell starts the hook and returns: a keeper, which is program called anew,
// stays with it, ends it after its time, and holds nothing of this process's.
// The error says that the keeper could not be started.
func (h Hook) Tell(program string, event any) error {
	data, err := text.JSON(event)
	if err != nil {
		return fmt.Errorf("encode event for hook: %w", err)
	}
	cmd := exec.Command(program)
	cmd.Args = []string{childName, h.Timeout.String(), h.Command}
	cmd.Dir, cmd.Env = h.Dir, h.Environ
	detach(cmd)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("run hook: %w", err)
	}
	_, err = in.Write(data) // the keeper reads it all at once
	err = errors.Join(err, in.Close(), cmd.Process.Release())
	if err != nil {
		return fmt.Errorf("tell hook: %w", err)
	}
	return nil
}

// Child runs this process as the keeper of a hook if it was started as one, and
// returns its exit code. The main of a program given to Tell calls it before
// all else, with its arguments, stdin and environment.
func Child(args []string, stdin io.Reader, environ []string) (code int, ok bool) {
	if len(args) != 3 || args[0] != childName {
		return 0, false
	}
	timeout, err := time.ParseDuration(args[1])
	if err != nil {
		return 2, true
	}
	data, err := io.ReadAll(stdin)
	if err != nil {
		return 1, true
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := (Hook{Command: args[2], Environ: environ}).run(ctx, data, nil); err != nil {
		return 1, true
	}
	return 0, true
}
