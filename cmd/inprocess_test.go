package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/report"
)

// bench is a place to run commands in process: a workspace, a database, an
// environment, streams that are buffers.
type bench struct {
	t   *testing.T
	dir string
	env map[string]string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, dir: dir, env: map[string]string{
		"HOME": t.TempDir(), "AGENT_ACTOR": "tester@here", "GORACE": "atexit_sleep_ms=0", "XDG_DATA_HOME": filepath.Join(dir, ".data"),
		"OLLAMA_HOST": nowhere,
	}}
}

// write puts a file into the workspace.
func (b *bench) write(name, content string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// ran is what a command left.
type ran struct {
	code     int
	out, err string
}

// streams are those of a command in a script: no terminal, nothing on stdin.
func (b *bench) streams(out, errw *bytes.Buffer) *iostreams.Streams {
	return &iostreams.Streams{
		Out: out, Err: errw, Dir: b.dir, Now: time.Now,
		Env:      func(name string) string { return b.env[name] },
		Environ:  b.environ(),
		Patience: iostreams.Patience{FirstByte: time.Minute, Idle: time.Minute},
		Exit:     func(int) { b.t.Error("exited at once") },
	}
}

// environ has what commands need to be found, and nothing else of the machine.
func (b *bench) environ() []string {
	all := []string{"PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"} // see scriptEnv
	for name, value := range b.env {
		all = append(all, name+"="+value)
	}
	return all
}

func (b *bench) run(args ...string) ran {
	b.t.Helper()
	return b.runWith(func(*iostreams.Streams) {}, args...)
}

func (b *bench) runWith(change func(*iostreams.Streams), args ...string) ran {
	b.t.Helper()
	var out, errw bytes.Buffer
	s := b.streams(&out, &errw)
	change(s)
	code := execute(context.Background(), s, args)
	return ran{code, out.String(), errw.String()}
}

// report runs a command with --output json and reads its final object.
func (b *bench) report(args ...string) (report.Final, ran) {
	b.t.Helper()
	r := b.run(append(args, "--output", "json")...)
	var rep report.Final
	if err := json.Unmarshal([]byte(r.out), &rep); err != nil {
		b.t.Fatalf("%v: no final object: %v\n%s%s", args, err, r.out, r.err)
	}
	if rep.ExitCode != r.code {
		b.t.Errorf("%v: exit code %d, the object says %d", args, r.code, rep.ExitCode)
	}
	return rep, r
}

// script writes a model that makes one call and then is done, and returns its
// ID.
func (b *bench) script(name, tool string, args any) string {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	b.write(name, "turns:\n  - toolCalls: [{id: c, name: "+tool+", args: "+string(raw)+"}]\n  - text: Done.\n")
	return "script:" + filepath.Join(b.dir, name)
}

func (r ran) wants(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d\n%s%s", r.code, code, r.out, r.err)
	}
	for _, w := range words {
		if !strings.Contains(r.out+r.err, w) {
			t.Errorf("output lacks %q:\n%s%s", w, r.out, r.err)
		}
	}
}
