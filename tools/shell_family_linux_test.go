package tools

import (
	"os/exec"
	"syscall"
	"testing"
)

// What leaves the command's session is found by the mark it carries.
func TestShell_EndsWhatLeftTheSession(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		`setsid sh -c 'echo $$; exec sleep 300 >/dev/null 2>&1' & sleep 0.05`,
		`setsid -f sh -c 'echo $$; exec >/dev/null 2>&1; sleep 300 & wait'; sleep 0.05`,
		`setsid -f sh -c 'trap "" TERM; echo $$; exec >/dev/null 2>&1; while :; do sleep 1; done'; sleep 0.05`,
	} {
		h := newHost(t, nil)
		r := h.ok(quick(), shellArgs(command))
		mustSay(t, r.Content, "left in the background were stopped")
		gone(t, firstPID(t, r))
	}
}

// The guard finds it too.
func TestGuard_EndsWhatLeftTheSession(t *testing.T) {
	t.Parallel()
	stray := exec.Command("sleep", "300")
	stray.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stray.Env = []string{markVariable + "=guarded-stray"}
	if err := stray.Start(); err != nil {
		t.Fatal(err)
	}
	leader := exec.Command("sleep", "300")
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	g, err := newGuard()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.watch(family{group: leader.Process.Pid, mark: "guarded-stray"}); err != nil {
		t.Fatal(err)
	}
	_ = g.lead.Close()
	_ = g.cmd.Wait()
	for _, cmd := range []*exec.Cmd{stray, leader} {
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() >= 0 {
			t.Errorf("%v ended by %v", cmd.Args, err)
		}
	}
}

func BenchmarkFamily(b *testing.B) {
	for b.Loop() {
		family{group: 1 << 30, mark: "none"}.signal(0)
	}
}
