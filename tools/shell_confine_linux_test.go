package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
	"github.com/seed-3e5a1d81/agent/internal/testdir"
)

// confined runs a test with the tool shell under every engine this machine has.
func confined(t *testing.T, cfg ShellConfig, test func(t *testing.T, h *host, engine string)) {
	t.Helper()
	for _, engine := range engines()[:2] {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h, cfg := newHost(t, nil), cfg
			root := testdir.Outside(t)
			h.dir = filepath.Join(root, "work")
			cfg.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root}
			cfg.Grace = 200 * time.Millisecond
			cfg.Sandbox = sandbox.New(sandbox.Config{Engine: engine, Program: "/proc/self/exe", Path: os.Getenv("PATH"), Private: filepath.Join(root, "private")})
			if r := cfg.Sandbox.Report(); r.Engine != engine {
				t.Skipf("SKIPPED: %s cannot be used here: %v", engine, r.Tried)
			}
			h.write("file.txt", "content\n")
			h.write(".git/config", "[core]\n\tbare = false\n")
			h.write(".env", "A=b\n")
			h.tool = Shell(cfg)
			test(t, h, engine)
		})
	}
}

func (h *host) sh(line string) string {
	h.t.Helper()
	return h.run(h.tool, shellArgs(line)).Content
}

func TestShellConfined_Results(t *testing.T) {
	t.Parallel()
	confined(t, ShellConfig{}, func(t *testing.T, h *host, _ string) {
		for line, want := range map[string]string{
			"echo hello; echo err >&2": "hello\nerr\n[exit code 0]",
			"echo no; exit 7":          "no\n[exit code 7]\n[it had no network]",
			"kill -9 $$":               "[no output]\n[exit code 137]\n[it had no network]",
			"cat":                      "[no output]\n[exit code 0]",
			"echo x >made; cat made":   "x\n[exit code 0]",
			"test $PWD = $(pwd)":       "[no output]\n[exit code 0]",
		} {
			if got := h.sh(line); got != want {
				t.Errorf("%s: %q, want %q", line, got, want)
			}
		}
		if got := h.sh("sleep 300 & echo begun"); got != "begun\n[exit code 0]\n[processes it left in the background were stopped]" {
			t.Errorf("background: %q", got)
		}
	})
}

// What a command changed though it must not is put back, and the call fails.
func TestShellConfined_TakenBack(t *testing.T) {
	t.Parallel()
	confined(t, ShellConfig{}, func(t *testing.T, h *host, engine string) {
		r := h.run(h.tool, shellArgs("mkdir -p .git/hooks && echo x >.git/hooks/post-commit; echo x >.git/config; true"))
		mustSay(t, r.Content, "taken back", ".git/hooks")
		if engine == sandbox.Landlock {
			mustSay(t, r.Content, ".git/config")
		}
		if !r.IsError {
			t.Error("the call did not fail")
		}
		h.missing(".git/hooks/post-commit")
		if got := h.read(".git/config"); got != "[core]\n\tbare = false\n" {
			t.Errorf("the configuration is %q", got)
		}
	})
}

func TestShellConfined_Secrets(t *testing.T) {
	t.Parallel()
	confined(t, ShellConfig{}, func(t *testing.T, h *host, engine string) {
		if got := h.sh("cat .env"); !strings.Contains(got, "is protected") {
			t.Errorf("named: %q", got)
		}
		if got := h.sh("cat .e*"); engine == sandbox.Bubblewrap && strings.Contains(got, "A=b") {
			t.Errorf("found: %q", got)
		}
		h.write("late/.env", "A=b\n")
		if got := h.sh("cat la*/.e*"); engine == sandbox.Bubblewrap && strings.Contains(got, "A=b") {
			t.Errorf("one that came later: %q", got)
		}
		h.mode = agent.Mode{ID: "explore", Writes: agent.WritesNone}
		if got := h.sh("cat .e* la*/.e*"); strings.Contains(got, "A=b") {
			t.Errorf("in a mode that may not write: %q", got)
		}
	})
}

// A database in the workspace is out of a command's reach, or none is run.
func TestShellConfined_DatabaseInTheWorkspace(t *testing.T) {
	t.Parallel()
	confined(t, ShellConfig{}, func(t *testing.T, h *host, engine string) {
		h.write("runs.db", "data\n")
		cfg := h.tool.(shell).cfg
		cfg.Closed.Paths = DeniedFor(filepath.Join(h.dir, "runs.db"), "")
		h.tool = Shell(cfg)
		got := h.sh("for f in r*s.db; do cat $f; echo x >$f; echo x >$f-journal; rm -f $f; done; echo done")
		if strings.Contains(got, "data\n") || engine == sandbox.Landlock && !strings.Contains(got, "cannot hide it") {
			t.Errorf("%q", got)
		}
		if data := h.read("runs.db"); data != "data\n" {
			t.Errorf("the database is %q", data)
		}
		h.missing("runs.db-journal")
	})
}

func TestShellConfined_Network(t *testing.T) {
	t.Parallel()
	const look = "cat /proc/net/dev | grep -c :"
	for _, c := range []struct {
		network            string
		approved, readOnly bool
		want               bool
	}{
		{NetworkAsk, false, false, false}, {NetworkAsk, true, false, true}, {"", true, false, true}, {"", false, false, false},
		{NetworkOn, false, false, true}, {NetworkOff, true, false, false}, {NetworkOn, true, true, false},
	} {
		t.Run(c.network, func(t *testing.T) {
			t.Parallel()
			call := agent.Call{Workspace: t.TempDir(), Approved: c.approved}
			if c.readOnly {
				call.Mode = agent.Mode{ID: "plan", Writes: agent.WritesPlans}
			}
			p, err := Shell(ShellConfig{Network: c.network}).(shell).policy(call, &commandRun{})
			if err != nil || p.Network != c.want || p.ReadOnly != c.readOnly {
				t.Errorf("policy %+v, %v; want the network %v", p, err, c.want)
			}
		})
	}
	h := newHost(t, Shell(ShellConfig{Network: NetworkOff}))
	h.refused(h.tool, shellArgs(look), "no network", "agent doctor")
}

func TestShellConfined_Stop(t *testing.T) {
	t.Parallel()
	confined(t, ShellConfig{}, func(t *testing.T, h *host, _ string) {
		why := errors.New("interrupted by the user")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		call := h.call(shellArgs(`trap 'echo cleaned; exit 3' TERM; echo begun; while :; do sleep 0.05; done`))
		call.Output = func(text string) {
			if strings.Contains(text, "begun") {
				cancel(why)
			}
		}
		r, err := h.tool.Call(ctx, call)
		if !errors.Is(err, why) || !strings.Contains(r.Content, "begun\n") || !strings.Contains(r.Content, "cleaned\n") {
			t.Errorf("%q, %v", r.Content, err)
		}
		if got := h.run(h.tool, `{"command":"echo begun; sleep 60","timeout":1}`).Content; !strings.Contains(got, "begun\n[stopped: it ran into its time-out of 1s]") {
			t.Errorf("time-out: %q", got)
		}
	})
}

func TestShell_DescriptionTellsOfTheSandbox(t *testing.T) {
	t.Parallel()
	confined(t, ShellConfig{}, func(t *testing.T, h *host, _ string) {
		mustSay(t, h.tool.Definition().Description, "are confined", "no network")
	})
	if got := Shell(ShellConfig{}).Definition().Description; strings.Contains(got, "confined") {
		t.Errorf("without one: %q", got)
	}
}

func TestSecretFiles(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	for _, name := range []string{".env", "a/b/.env.local", ".env.example", "node_modules/x/.env", "vault/k.txt", "a/key.pem", "elsewhere", ".git/HEAD", "a/b/.git/HEAD", "a/b/.git/x/.git/HEAD"} {
		h.write(name, "")
	}
	h.link("../elsewhere", "a/.envrc")
	dir, err := filepath.EvalSymlinks(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	d := newDenied(Closed{Home: "/nowhere", Secrets: []string{"vault/**", "*.pem"}})
	s := &secretFiles{}
	find := func() string {
		var names []string
		here := s.in(dir, d)
		closed, repositories := here.closed, here.repositories
		if len(repositories) != 1 || repositories[0] != filepath.Join(dir, "a/b/.git") {
			t.Errorf("repositories %v", repositories)
		}
		for _, p := range closed {
			rel, _ := filepath.Rel(dir, p)
			names = append(names, rel)
		}
		return strings.Join(names, " ")
	}
	if got, want := find(), ".env a/.envrc elsewhere a/key.pem vault a/b/.env.local"; !sameWords(got, want) {
		t.Errorf("found %s, want %s", got, want)
	}
	h.write("c/.env", "")
	if err := os.Remove(filepath.Join(h.dir, ".env")); err != nil {
		t.Fatal(err)
	}
	if got, want := find(), "a/.envrc elsewhere a/key.pem vault a/b/.env.local c/.env"; !sameWords(got, want) {
		t.Errorf("then found %s, want %s", got, want)
	}
}

func sameWords(a, b string) bool {
	count := func(s string) map[string]int {
		m := map[string]int{}
		for _, w := range strings.Fields(s) {
			m[w]++
		}
		return m
	}
	x, y := count(a), count(b)
	for w := range y {
		if x[w] != y[w] {
			return false
		}
	}
	return len(x) == len(y)
}
