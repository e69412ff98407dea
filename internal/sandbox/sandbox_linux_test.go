package sandbox

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReadOnly_WritesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		p := Policy{ReadOnly: true, Write: []string{filepath.Join(h.root, "home/other")}}
		if got := h.ok(p, "cat file.txt ../other/file.txt && pwd"); got != "content\nother\n"+h.work+"\n" {
			t.Errorf("read %q", got)
		}
		for _, line := range []string{
			"echo x >new", "echo x >>file.txt", "rm file.txt", "mkdir d", "mv file.txt g", "ln file.txt g", "ln -s a b", "mkfifo f",
			"truncate -s0 file.txt", "chmod 777 file.txt", "touch -d 2001-01-01 file.txt", "echo x >../other/new", ": >" + h.root + "/x",
			"dd if=/dev/null of=file.txt", "cp file.txt $TMPDIR/c && mv $TMPDIR/c .", "chown 1 file.txt",
		} {
			h.fails(p, line)
		}
		h.ok(p, `echo x >"$TMPDIR/kept" && mkdir -p "$GOCACHE"`)
		h.ok(p, `cat "$TMPDIR/kept"`)
		if got := h.read("home/work/file.txt"); got != "content\n" {
			t.Errorf("file.txt is %q", got)
		}
		names, _ := os.ReadDir(h.work)
		if len(names) != 1 {
			t.Errorf("left %v", names)
		}
	})
}

func TestBuild_WritesTheWorkspaceAndNoMore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		h.write("home/granted/a", "")
		p := Policy{Write: []string{filepath.Join(h.root, "home/granted"), filepath.Join(h.root, "nowhere")}}
		h.ok(p, "echo x >new && mkdir -p d/e && mv new d/e && chmod 700 d && rm file.txt && echo y >../granted/b && ln d/e/new f")
		if got := h.read("home/work/d/e/new"); got != "x\n" {
			t.Errorf("d/e/new is %q", got)
		}
		for _, line := range []string{
			"echo x >../other/new", "rm ../other/file.txt", ": >../../x", "mkdir ../../d", "echo x >/proc/self/root" + h.root + "/x",
			"echo x >/etc/agent-test", "mv ../other o", "ln ../other/file.txt o && echo x >o", "truncate -s0 ../other/file.txt",
			"cd /proc/self/cwd/.. && mkdir d", "echo x >/proc/$PPID/root" + h.root + "/x",
		} {
			h.fails(p, line)
		}
		h.missing("x")
		h.missing("home/other/new")
		if got := h.read("home/other/file.txt"); got != "other\n" {
			t.Errorf("the other file is %q", got)
		}
	})
}

// git makes a repository of a directory of the host.
func (h *host) git(dir string, args ...string) {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join(h.root, dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

const identity = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "

func TestBuild_LeavesHooksAndConfigurationAlone(t *testing.T) {
	t.Parallel()
	attacks := []string{
		"echo x >.git/hooks/post-commit", "echo x >>.git/config", "git config core.fsmonitor ./x",
		"mv .git g; mkdir -p .git/hooks; echo x >.git/hooks/post-checkout", "rm -rf .git/hooks; mkdir .git/hooks; echo x >.git/hooks/a",
		"mv .git/hooks .git/h && mkdir .git/hooks && echo x >.git/hooks/a", "ln -sf /tmp/evil .git/hooks",
		"mv .git/config .git/c; echo x >.git/config", "ln .git/config c && echo x >>c", "chmod 755 .git/hooks/pre-commit",
		"echo /tmp >.git/commondir", "mkdir .git/worktrees; printf '[core]\\nfsmonitor=x' >.git/config.worktree",
		"echo x >/proc/self/cwd/.git/hooks/a", "cd .git/hooks && echo x >a", "rm .git/config; ln -s ../evil .git/config",
		"echo x >.mastracode/config.toml", "mv .mastracode m; mkdir .mastracode; echo x >.mastracode/config.toml",
		"rm -rf .mastracode; ln -s m .mastracode", "ln -s ../file.txt .mastracode/x && ln -sf ../file.txt .mastracode/config.toml",
	}
	each(t, func(t *testing.T, h *host) {
		h.git("home/work", "init", "-q", "--template=")
		h.write("home/work/.git/hooks/pre-commit", "#!/bin/sh\n")
		h.write("home/work/.mastracode/config.toml", "# mine\n")
		p := Policy{Protect: []string{filepath.Join(h.work, ".mastracode/config.toml")}}
		config := h.read("home/work/.git/config")
		h.ok(p, identity+"git add . && git commit -qm x && git branch b && git checkout -q b && echo x >.mastracode/plan.md && rm .mastracode/plan.md")
		for _, line := range attacks {
			if r := h.run(p, line); r.err != nil {
				t.Errorf("%s: %v", line, r.err)
			}
			if got := h.read("home/work/.git/config"); got != config {
				t.Errorf("%s: .git/config is %q", line, got)
			}
			if isLink(filepath.Join(h.work, ".mastracode")) || isLink(filepath.Join(h.work, ".git")) {
				t.Errorf("%s: there is a link", line)
			}
			if got := h.read("home/work/.mastracode/config.toml"); got != "# mine\n" {
				t.Errorf("%s: config.toml is %q", line, got)
			}
			hooks, _ := os.ReadDir(filepath.Join(h.work, ".git/hooks"))
			info, err := os.Lstat(filepath.Join(h.work, ".git/hooks/pre-commit"))
			if err != nil || len(hooks) != 1 || info.Mode().Perm() != 0o644 {
				t.Errorf("%s: hooks are %v, %v", line, hooks, err)
			}
			h.missing("home/work/.git/commondir")
			h.missing("home/work/.git/config.worktree")
			_ = os.RemoveAll(filepath.Join(h.work, "g"))
			_ = os.RemoveAll(filepath.Join(h.work, "m"))
		}
	})
}

func TestBuild_WithoutARepositoryNoneIsPlanted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		p := Policy{Protect: []string{filepath.Join(h.work, ".mastracode/config.toml")}}
		for _, line := range []string{
			"mkdir -p .git/hooks && echo x >.git/hooks/post-checkout", "mkdir ../work/.git; printf '[core]\\nfsmonitor = x\\n' >.git/config",
			"mkdir evil; printf '[core]\\nfsmonitor = x\\n' >evil/config; ln -s evil .git", "mkdir .mastracode; echo x >.mastracode/config.toml",
			"mkdir e; echo x >e/config.toml; ln -s e .mastracode", "echo 'gitdir: evil' >.git",
			"git init -q --bare . && git config core.fsmonitor x",
		} {
			if r := h.run(p, line); r.err != nil || len(r.restored) == 0 {
				t.Errorf("%s: restored %v, %v\n%s", line, r.restored, r.err, r.out)
			}
			for _, name := range []string{".git/hooks/post-checkout", ".git/config", ".mastracode/config.toml"} {
				h.missing("home/work/" + name)
			}
			_ = os.RemoveAll(filepath.Join(h.work, ".git"))
			_ = os.RemoveAll(filepath.Join(h.work, ".mastracode"))
		}
		h.ok(p, "git init -q && git remote add origin https://example.com/a.git && git status --short")
		h.ok(p, identity+"git add file.txt && git commit -qm x")
		h.fails(p, "git config core.fsmonitor ./x")
	})
}

func TestHidden(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		h.write("home/.ssh/id", "key\n")
		h.write("home/data/runs.db", "data\n")
		h.write("home/work/conf/.env", "secret\n")
		h.write("home/work/conf/app", "app\n")
		p := Policy{
			Hide: []string{filepath.Join(h.root, "home/.ssh"), filepath.Join(h.root, "home/data/runs.db"), filepath.Join(h.root, "home/none")},
			Mask: []string{filepath.Join(h.work, "conf/.env")},
		}
		for _, readOnly := range []bool{true, false} {
			p.ReadOnly = readOnly
			for _, line := range []string{
				"cat ../.ssh/id", "cat /proc/self/root" + h.root + "/home/.ssh/id", "cat ../data/runs.db", "cp ../data/runs.db $TMPDIR/x",
				"ln -s ../.ssh/id $TMPDIR/l; cat $TMPDIR/l", "echo x >>../data/runs.db", "rm ../data/runs.db", "mv ../.ssh ../s",
				fmt.Sprintf("cat /proc/%d/environ", os.Getpid()), "head -c1 /dev/vda || head -c1 /dev/sda || head -c1 /dev/mem",
			} {
				h.fails(p, line)
			}
			if readOnly || h.sandbox.Engine() == Bubblewrap {
				h.fails(p, "cat conf/.env")
				h.fails(p, "cp conf/.env $TMPDIR/x")
			}
			h.ok(p, "cat conf/app && ls conf . ..")
		}
		if got := h.read("home/work/conf/.env"); got != "secret\n" {
			t.Errorf(".env is %q", got)
		}
	})
}

// What must be hidden and cannot be is a reason not to run.
func TestHidden_InTheWorkspace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		h.write("home/work/runs.db", "data\n")
		p := Policy{Hide: []string{filepath.Join(h.work, "runs.db"), filepath.Join(h.work, "runs.db-journal")}}
		r := h.run(p, "cat runs.db || echo x >runs.db || echo x >runs.db-journal || rm -f runs.db-journal || mv runs.db x")
		switch {
		case h.sandbox.Engine() == Landlock && (r.err == nil || !strings.Contains(r.err.Error(), "runs.db")):
			t.Errorf("it ran: %+v", r)
		case h.sandbox.Engine() == Bubblewrap && (r.err != nil || r.code == 0):
			t.Errorf("it went through: %+v", r)
		}
		h.missing("home/work/runs.db-journal")
		if got := h.read("home/work/runs.db"); got != "data\n" {
			t.Errorf("runs.db is %q", got)
		}
	})
}

// servers are what a command could reach without a sandbox.
func servers(t *testing.T, h *host) (tcp, udp, unix string, arrived func() string) {
	t.Helper()
	got := make(chan string, 100)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.work, "sock")
	s, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]net.Listener{"tcp": l, "unix": s} {
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				got <- name
				_ = c.Close()
			}
		}()
	}
	t.Cleanup(func() { _ = u.Close() })
	go func() {
		if n, _, err := u.ReadFrom(make([]byte, 100)); err == nil && n > 0 {
			got <- "udp"
		}
	}()
	arrived = func() string {
		select {
		case name := <-got:
			return name
		default:
			return ""
		}
	}
	return port(l.Addr()), port(u.LocalAddr()), path, arrived
}

func port(a net.Addr) string {
	_, p, _ := net.SplitHostPort(a.String())
	return p
}

// connect is a command that connects to a server, with what every Linux has.
func connect(network, address string) string {
	switch network {
	case "unix":
		return fmt.Sprintf(`perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer=>"%s") or die "$!"'`, address)
	case "udp":
		return fmt.Sprintf(`perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(PeerAddr=>"127.0.0.1:%s",Proto=>"udp") or die "$!"; print $s "x" or die'`, address)
	}
	return fmt.Sprintf(`perl -MIO::Socket::INET -e 'IO::Socket::INET->new(PeerAddr=>"127.0.0.1:%s",Proto=>"tcp") or die "$!"'`, address)
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		tcp, udp, unix, arrived := servers(t, h)
		for _, p := range []Policy{{ReadOnly: true}, {ReadOnly: true, Network: true}, {}} {
			h.fails(p, connect("tcp", tcp))
			h.run(p, connect("udp", udp)) // nobody tells the sender
			h.fails(p, connect("unix", unix))
			h.fails(p, "getent hosts localhost.example")
		}
		if name := arrived(); name != "" {
			t.Errorf("something arrived by %s", name)
		}
		h.ok(Policy{Network: true}, connect("tcp", tcp))
		eventually(t, "with the network, something arrives", func() bool { return arrived() == "tcp" })
	})
}

// A test that starts a server and talks to it needs no network of others.
func TestNetwork_OwnLoopback(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		const both = `perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(Listen=>1,LocalAddr=>"127.0.0.1:0") or die "listen $!"; IO::Socket::INET->new(PeerAddr=>"127.0.0.1:".$s->sockport) or die "connect $!"'`
		if h.sandbox.Engine() == Landlock && !h.sandbox.probe().engine.(landlock).netns {
			t.Skip("SKIPPED: no network namespace can be had here")
		}
		h.ok(Policy{}, both)
		h.ok(Policy{ReadOnly: true}, both)
	})
}

// digits makes a number of a name, for sleep to take.
func digits(name string) string {
	h := fnv.New32()
	_, _ = h.Write([]byte(name))
	return fmt.Sprint(h.Sum32())
}

func TestNothingIsLeftRunning(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		for i, line := range []string{
			"sleep %s &", "setsid sleep %s >/dev/null 2>&1 &", "nohup sleep %s >/dev/null 2>&1 &", "(setsid sh -c 'sleep %s &') >/dev/null 2>&1",
			"env -i setsid sleep %s >/dev/null 2>&1 &", "trap '' TERM; env -i setsid sleep %s </dev/null >/dev/null 2>&1 & disown 2>/dev/null; true",
		} {
			word := fmt.Sprintf("%d.%d%s", 9000+i, os.Getpid(), digits(t.Name()))
			r := h.run(Policy{}, fmt.Sprintf(line, word))
			if r.err != nil || r.code != 0 || !r.left {
				t.Errorf("%s: %+v", line, r)
			}
			if alive(t, word) {
				t.Errorf("%s: it still lives", line)
			}
		}
		if r := h.run(Policy{}, "echo a | cat; sleep 0 & wait"); r.left {
			t.Errorf("it left nothing, but %+v", r)
		}
	})
}

func TestStop(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		word := fmt.Sprintf("9100.%d%s", os.Getpid(), digits(t.Name()))
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		started := time.Now()
		r := h.runUntil(ctx, Policy{}, "trap '' TERM; env -i setsid sleep "+word+" & sleep "+word+"; sleep "+word)
		if r.err != nil || r.code == 0 {
			t.Errorf("%+v", r)
		}
		if took := time.Since(started); took > 20*time.Second {
			t.Errorf("took %s", took)
		}
		if alive(t, word) {
			t.Error("it still lives")
		}
	})
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		for line, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -9 $$": 137, "exit 125": 125, "no-such-program": 127} {
			if r := h.run(Policy{ReadOnly: true}, line); r.code != want || r.err != nil {
				t.Errorf("%s: %+v", line, r)
			}
		}
	})
}

// A sandbox that cannot be set up is not one that is left out.
func TestSetup(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		memory := filepath.Join(h.root, "memory")
		h.sandbox.cfg.Memory = memory
		h.write("memory", "{}")
		broken := found{name: h.sandbox.Engine()}
		switch e := h.sandbox.probe().engine.(type) {
		case bubblewrap:
			h.write("bin/bwrap", "#!/bin/sh\necho cannot >&2; exit 1\n")
			e.program = filepath.Join(h.root, "bin/bwrap")
			_ = os.Chmod(e.program, 0o755)
			broken.engine = e
		case landlock:
			e.program = "/proc/self/exe"
			e.abi = 1000 // no kernel has it, and no structure either
			broken.engine = brokenLandlock{e}
		}
		h.sandbox.probe = func() found { return broken }
		r := h.run(Policy{}, "echo ran >ran")
		if !errors.Is(r.err, ErrSetup) {
			t.Errorf("error %v", r.err)
		}
		h.missing("home/work/ran")
		h.missing("memory")
	})
}

// brokenLandlock has a child that is told to run where there is nothing.
type brokenLandlock struct{ landlock }

func (b brokenLandlock) confine(cmd *exec.Cmd, p policy, grace time.Duration) (*Confined, error) {
	p.dir = "/nowhere/at/all"
	return b.landlock.confine(cmd, p, grace)
}
