package tools

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
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

// terminate ends the process and what it started.
func terminate(pid int) error {
	return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run()
}

// killGroup has nothing to do: Windows keeps no group of a process that ended.
func killGroup(int) bool { return false }

// guard is nothing here: what a process started outlives it on Windows.
type guard struct{}

func newGuard() (guard, error) { return guard{}, nil }

func (guard) watch(int) error { return nil }

func (guard) end() {}
