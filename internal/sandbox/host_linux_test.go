package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/testdir"
)

// each runs a test with every engine this machine has, and names the others.
func each(t *testing.T, test func(t *testing.T, h *host)) {
	t.Helper()
	for _, name := range []string{Bubblewrap, Landlock, landlockAlone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newHost(t, name))
		})
	}
}

// landlockAlone is Landlock where no network namespace can be had, as in many
// containers.
const landlockAlone = "landlock alone"

// host is a workspace that lies beside other things of its user, and a sandbox
// with one engine.
type host struct {
	t       *testing.T
	sandbox *Sandbox
	root    string // everything of the test
	work    string // the workspace
	grace   time.Duration
}

func newHost(t *testing.T, engine string) *host {
	t.Helper()
	root := testdir.Outside(t)
	t.Cleanup(func() { removeAll(root) }) // also what was made read-only
	h := &host{t: t, root: root, work: filepath.Join(root, "home", "work"), grace: 500 * time.Millisecond}
	name, alone := engine, engine == landlockAlone
	if alone {
		engine = Landlock
	}
	h.sandbox = New(Config{Engine: engine, Program: "/proc/self/exe", Path: os.Getenv("PATH"), Private: filepath.Join(root, "private")})
	if r := h.sandbox.Report(); r.Engine != engine {
		t.Skipf("SKIPPED: %s cannot be used here: %v", engine, r.Tried)
	}
	if alone {
		here := h.sandbox.probe()
		l := here.engine.(landlock)
		l.netns = false
		if here.engine = l; try(l) != nil {
			t.Fatalf("%s: %v", name, try(l))
		}
		h.sandbox.probe = func() found { return here }
	}
	h.write("home/work/file.txt", "content\n")
	h.write("home/other/file.txt", "other\n")
	return h
}

// write makes a file of the host.
func (h *host) write(name, content string) {
	h.t.Helper()
	full := filepath.Join(h.root, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.root, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

func (h *host) missing(name string) {
	h.t.Helper()
	if _, err := os.Lstat(filepath.Join(h.root, name)); err == nil {
		h.t.Errorf("%s is there", name)
	}
}

// ran is what became of a command.
type ran struct {
	out      string
	code     int
	left     bool
	restored []string
	err      error
}

// run runs a command line under p, as the tool shell does.
func (h *host) run(p Policy, line string) ran {
	h.t.Helper()
	return h.runUntil(h.t.Context(), p, line)
}

func (h *host) runUntil(ctx context.Context, p Policy, line string) (r ran) {
	h.t.Helper()
	for range 3 { // a socket of another test may go while it is hidden
		if r = h.runOnce(ctx, p, line); !errors.Is(r.err, ErrSetup) {
			break
		}
	}
	return r
}

func (h *host) runOnce(ctx context.Context, p Policy, line string) ran {
	h.t.Helper()
	p.Workspace = h.work
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir = h.work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(h.root, "home"), "GOFLAGS=-buildvcs=false"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = h.grace
	c, err := h.sandbox.Confine(cmd, p, h.grace)
	if err != nil {
		return ran{err: err}
	}
	if err := cmd.Start(); err != nil {
		c.Abort()
		h.t.Fatal(err)
	}
	c.Started()
	_ = cmd.Wait()
	r := ran{out: out.String(), code: cmd.ProcessState.ExitCode(), left: c.Settle()}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	r.restored, r.err = c.End(cmd.ProcessState)
	return r
}

// ok is run, and the command must succeed.
func (h *host) ok(p Policy, line string) string {
	h.t.Helper()
	r := h.run(p, line)
	if r.err != nil || r.code != 0 || len(r.restored) > 0 {
		h.t.Errorf("%s: exit code %d, restored %v, error %v\n%s", line, r.code, r.restored, r.err, r.out)
	}
	return r.out
}

// fails is run, and the command must not succeed.
func (h *host) fails(p Policy, line string) ran {
	h.t.Helper()
	r := h.run(p, line)
	if r.err != nil {
		h.t.Errorf("%s: error %v", line, r.err)
	}
	if r.code == 0 && len(r.restored) == 0 {
		h.t.Errorf("%s: it went through\n%s", line, r.out)
	}
	return r
}

// alive reports whether a process lives whose command line has the word.
func alive(t *testing.T, word string) bool {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range lines {
		data, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(data), word) {
			return true
		}
	}
	return false
}
