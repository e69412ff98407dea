package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// doomed runs a command that leaves a process which nothing marks, and waits to
// be killed.
func doomed(root string) int {
	s := New(Config{Engine: Landlock, Program: "/proc/self/exe", Private: filepath.Join(root, "private")})
	cmd := exec.Command("sh", "-c", "env -i setsid sleep "+filepath.Base(root)+" & echo >begun; sleep 600")
	cmd.Dir, cmd.Env = root, []string{"PATH=" + usualPath, "HOME=" + root}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c, err := s.Confine(cmd, Policy{Workspace: root}, time.Second)
	if err != nil || cmd.Start() != nil {
		return 1
	}
	c.Started()
	_ = cmd.Wait() // never in time
	return 2
}

// A command does not outlive the agent, however that ends.
func TestLandlock_CommandEndsWithTheAgent(t *testing.T) {
	t.Parallel()
	h := newHost(t, Landlock)
	word := "98765" + strings.TrimPrefix(filepath.Base(h.root), "agent-test-") // sleep takes numbers
	root := filepath.Join(h.root, word)
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	agent := exec.Command("/proc/self/exe")
	agent.Env = append(os.Environ(), doomedVariable+"="+root)
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command begins", func() bool { return exists(filepath.Join(root, "begun")) && alive(t, word) })
	_ = agent.Process.Kill()
	_ = agent.Wait() // it was killed
	eventually(t, "the command ends", func() bool { return !alive(t, word) })
}

// eventually looks until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(20 * time.Second); !holds(); {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not so: %s", what)
		}
	}
}
