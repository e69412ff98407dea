package tools

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// shellCommand hands the line to cmd unquoted: cmd does not read the quoting
// that Go would add.
func shellCommand(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       "cmd /D /S /C \"" + command + "\"",
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
	}
	return cmd
}

// family is a command and what it started.
type family struct {
	group int
	mark  string
}

// ask ends the command and what it started: there is no way to only ask.
func (f family) ask() { f.kill() }

func (f family) kill() {
	// If it is gone already, all is well.
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(f.group)).Run()
}

// end has nothing to do: Windows does not tell what a process that ended left
// behind.
func (family) end(time.Duration) bool { return false }

// guard is nothing here: what a process started outlives it on Windows.
type guard struct{}

func newGuard() (guard, error) { return guard{}, nil }

func (guard) watch(family) error { return nil }

func (guard) end() {}
