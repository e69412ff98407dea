package sandbox

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Who is not root needs namespaces of users, and has other rights in them. Where
// the tests run as root, they run once more as somebody else.
func TestAsAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("they are run as somebody else already")
	}
	const nobody = 65534
	home, err := os.MkdirTemp("/var", "agent-test-") // root's own is closed to others
	if err != nil {
		t.Skipf("SKIPPED: no home for another user: %v", err)
	}
	t.Cleanup(func() { removeAll(home) })
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Skipf("SKIPPED: no home for another user: %v", err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^Test(ReadOnly_WritesNothing|Hidden_InTheWorkspace|Network|Network_OwnLoopback|ExitCode)$", "-test.count=1", "-test.v")
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "SKIPPED") {
			t.Log(strings.TrimSpace(line))
		}
	}
}
