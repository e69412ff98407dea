//go:build unix

package tools

import (
	"context"
	"os/exec"
	"syscall"
	"time"
)

// shellCommand makes a command in a session of its own: it can be stopped with
// all it started, and it has no terminal to read from or to draw a prompt on.
func shellCommand(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// family is all that a command started: its process group, and what left the
// group (setsid, daemons) as far as the system shows whose environment carries
// the command's mark.
type family struct {
	group int
	mark  string
}

// ask asks all of it to end.
func (f family) ask() { f.signal(syscall.SIGTERM) }

// end ends what is left of it once the command is over, and says whether there
// was anything. What is left is asked first: git, for one, then removes its
// locks.
func (f family) end(grace time.Duration) bool {
	if !f.signal(syscall.SIGTERM) {
		return false
	}
	if !f.gone(grace) {
		f.kill()
	}
	return true
}

// gone waits for all of it to end, as long as grace.
func (f family) gone(grace time.Duration) bool {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(grace)
	for f.signal(0) {
		select {
		case <-tick.C:
		case <-limit:
			return false
		}
	}
	return true
}

// kill ends all of it at once. It looks again, because a process that is
// looked at may start another before it is killed.
func (f family) kill() {
	for range 10 {
		if !f.signal(syscall.SIGKILL) || f.gone(100*time.Millisecond) {
			return
		}
	}
}
