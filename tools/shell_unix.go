//go:build unix

package tools

import (
	"context"
	"os/exec"
	"syscall"
)

// shellCommand makes a command in a session of its own: it can be stopped with
// all it started, and it has no terminal to read from or to draw a prompt on.
func shellCommand(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// terminate asks all processes of the group to end.
func terminate(pid int) error { return syscall.Kill(-pid, syscall.SIGTERM) }

// killGroup ends what is left of the group and says whether there was any.
func killGroup(pid int) bool { return syscall.Kill(-pid, syscall.SIGKILL) == nil }
