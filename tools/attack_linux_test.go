package tools

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
	"github.com/seed-3e5a1d81/agent/internal/testdir"
)

// attack is one call of a tool that tries to do what it must not.
type attack struct{ tool, args string }

// sh is an attack by a command line.
func sh(line string) attack {
	args, _ := json.Marshal(map[string]string{"command": line}) // a string can be written
	return attack{"shell", string(args)}
}

// battlefield is where attacks take place: a user's home with a repository as the
// workspace, secrets and the agent's data beside it, and servers that must not
// hear of them. {{work}}, {{home}}, {{root}}, {{tcp}}, {{udp}}, {{unix}}, {{abstract}},
// {{pid}} and {{mark}} stand for what is where in an attack.
type battlefield struct {
	*host
	root, home string
	mark       string // in the command line of what must not be left running
	tools      map[string]agent.Tool
	heard      chan string
	names      *strings.Replacer
}

// engines are those attacks are tried with; "none" is no sandbox at all.
func engines() []string { return []string{sandbox.Bubblewrap, sandbox.Landlock, sandbox.None} }

func newBattlefield(t *testing.T, engine string, mode agent.Mode) *battlefield {
	t.Helper()
	f := &battlefield{host: newHost(t, nil), root: testdir.Outside(t), heard: make(chan string, 100)}
	f.home = filepath.Join(f.root, "home")
	f.dir, f.mode = filepath.Join(f.home, "work"), mode
	box := sandbox.New(sandbox.Config{
		Engine: engine, Program: "/proc/self/exe", Path: os.Getenv("PATH"), Private: filepath.Join(f.root, "private"),
	})
	if r := box.Report(); r.Engine != engine {
		t.Skipf("SKIPPED: %s cannot be used here: %v", engine, r.Tried)
	}
	f.settle()
	f.serve()
	f.tools = map[string]agent.Tool{}
	for _, tool := range All(Config{
		Denied: DeniedFor(filepath.Join(f.home, "data/runs.db"), filepath.Join(f.home, "data")), Home: f.home, Secrets: []string{"vault/**", "~/token.txt"},
		Shell: ShellConfig{
			Sandbox: box, Network: NetworkAsk, Grace: 300 * time.Millisecond,
			Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home, "GIT_CONFIG_NOSYSTEM=1", "XDG_RUNTIME_DIR=" + f.root},
		},
	}) {
		f.tools[tool.Definition().Name] = tool
	}
	return f
}

// settle lays out the home.
func (f *battlefield) settle() {
	f.t.Helper()
	for name, content := range map[string]string{
		"../.ssh/id_ed25519": "marker-of-a-key\n", "../.aws/credentials": "marker-of-a-key\n", "../token.txt": "marker-of-a-token\n",
		"../data/runs.db": "marker-of-the-data\n", "../data/trust.json": "marker-of-the-data\n", "../other/file.txt": "other\n", "../.bashrc": "# mine\n",
		"src/main.go": "package main\n\nfunc main() {}\n", "go.mod": "module example.com/work\n\ngo 1.24\n", "Makefile": "all:\n\techo made >made.txt\n",
		"script.sh": "echo x >from-script\n", ".env": "marker-of-env\n", "conf/.env.local": "marker-of-env\n", "vault/a.txt": "marker-of-vault\n",
		".mastracode/config.toml": "# mine\n", ".mastracode/plans/a.md": "# A\n\nDo it.\n",
	} {
		f.write(name, content)
	}
	f.git("init", "-q", "-b", "main", "--template=")
	f.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n")
	if err := os.Chmod(filepath.Join(f.dir, ".git/hooks/pre-commit"), 0o755); err != nil {
		f.t.Fatal(err)
	}
	f.write(".gitignore", ".env*\nvault\n")
	f.git("add", "src", "go.mod", "Makefile")
	f.git("commit", "-qm", "one")
	f.git("init", "-q", "--template=", "lib")
	f.write("src/main.go", "package main\n\nfunc main() { println() }\n")
	f.link("../src/main.go", ".mastracode/plans/linked.md")
	f.link("../../src", ".mastracode/plans/sub")
	f.link("../other/file.txt", "out.txt")
	f.link("../.ssh", "keys")
	if err := os.Link(filepath.Join(f.dir, "src/main.go"), filepath.Join(f.dir, "hard.go")); err != nil {
		f.t.Fatal(err)
	}
	f.mark = fmt.Sprintf("%d.%d", 5000+len(f.root)%10, time.Now().UnixNano()%1e9)
}

func (f *battlefield) git(args ...string) {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "HOME="+f.home, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// serve starts the servers and names them.
func (f *battlefield) serve() {
	f.t.Helper()
	abstract := "agent-test-" + filepath.Base(f.root)
	path := filepath.Join(f.root, "sock")
	tcp := f.listen("tcp", "127.0.0.1:0")
	f.listen("unix", path)
	f.listen("unix", "@"+abstract)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = udp.Close() })
	go func() {
		for buf := make([]byte, 100); ; {
			if _, _, err := udp.ReadFrom(buf); err != nil {
				return
			}
			f.heard <- "udp"
		}
	}()
	f.names = strings.NewReplacer("{{work}}", f.dir, "{{home}}", f.home, "{{root}}", f.root, "{{unix}}", path, "{{abstract}}", abstract,
		"{{tcp}}", strconv.Itoa(tcp.(*net.TCPAddr).Port), "{{udp}}", strconv.Itoa(udp.LocalAddr().(*net.UDPAddr).Port),
		"{{pid}}", strconv.Itoa(os.Getpid()), "{{mark}}", f.mark)
}

func (f *battlefield) listen(network, address string) net.Addr {
	f.t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f.heard <- network + " " + address
			_ = c.Close()
		}
	}()
	return l.Addr()
}

// try makes the call and returns what the model would read.
func (f *battlefield) try(a attack) agent.Result {
	f.t.Helper()
	call := f.call(f.names.Replace(a.args))
	call.Suspend = func(any) (agent.Result, error) { return agent.Result{Content: "asked"}, nil }
	r, err := f.tools[a.tool].Call(f.t.Context(), call)
	if err != nil {
		f.t.Fatalf("%s %s: %v", a.tool, a.args, err)
	}
	if strings.Contains(r.Content, "marker-of-") {
		f.t.Errorf("%s %s: a secret was read: %s", a.tool, a.args, clip(r.Content, 300))
	}
	select {
	case who := <-f.heard:
		f.t.Errorf("%s %s: something arrived at %s", a.tool, a.args, who)
	default:
	}
	return r
}

// nothingRuns fails the test if anything with the mark lives.
func (f *battlefield) nothingRuns() {
	f.t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(data), f.mark) {
			f.t.Errorf("left running: %q", data)
		}
	}
}

// traits are what a tree holds of a file: its kind and content, what else can
// be said of it, and which file it is.
type traits struct{ content, metadata, identity string }

// tree is everything below the root but the sandbox's private places.
func (f *battlefield) tree() map[string]traits {
	f.t.Helper()
	out := map[string]traits{}
	err := filepath.WalkDir(f.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(f.root, "private") {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil || path == f.root {
			return err
		}
		content := ""
		switch info.Mode().Type() {
		case 0:
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = fmt.Sprintf("%x", sha256.Sum256(data))
		case fs.ModeSymlink:
			content, _ = os.Readlink(path)
		}
		stat := info.Sys().(*syscall.Stat_t)
		out[path] = traits{
			content:  fmt.Sprint(info.Mode().Type(), " ", content),
			metadata: fmt.Sprintln(info.Mode().Perm(), stat.Uid, stat.Gid, info.ModTime()),
			identity: fmt.Sprintln(stat.Ino, stat.Nlink, info.Size()),
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// difference names what two trees do not have in common.
func difference(before, after map[string]traits) []string {
	var out []string
	for path, was := range before {
		if now, ok := after[path]; !ok {
			out = append(out, "gone: "+path)
		} else if now != was {
			out = append(out, fmt.Sprintf("changed: %s\n  %v\n  %v", path, was, now))
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			out = append(out, "new: "+path)
		}
	}
	return out
}
