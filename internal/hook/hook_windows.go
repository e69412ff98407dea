package hook

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
)

// shell hands the line to cmd unquoted: cmd does not read the quoting that Go
// would add.
func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       "cmd /D /S /C \"" + command + "\"",
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
	}
	cmd.Cancel = func() error {
		return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	}
	return cmd
}

// endLeft ends nothing: what a process that has ended started is not to be
// found by its number, which may be another's by now.
func endLeft(*exec.Cmd) {}

// detachedProcess is DETACHED_PROCESS of the Windows API.
const detachedProcess = 0x8

func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}
