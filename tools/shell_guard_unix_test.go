//go:build unix

package tools

import (
	"os/exec"
	"syscall"
	"testing"
)

// TestGuard lets guards lose sight of the agent, which then is this process:
// the kernel closes their input.
func TestGuard(t *testing.T) {
	t.Parallel()
	for _, over := range []bool{false, true} {
		cmd := exec.Command("sh", "-c", `trap '' HUP INT TERM; echo; read -r line`)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		g, err := newGuard()
		if err != nil {
			t.Fatal(err)
		}
		if err := g.watch(family{group: cmd.Process.Pid, mark: "none"}); err != nil {
			t.Fatal(err)
		}
		if over {
			g.end()
		} else {
			_ = g.lead.Close()
			_ = g.cmd.Wait()
		}
		_, _ = in.Write([]byte("go\n")) // whoever lives ends now
		err = cmd.Wait()
		if killed := err != nil && cmd.ProcessState.ExitCode() < 0; killed == over {
			t.Errorf("over %v: the command ended by %v", over, err)
		}
	}
}
