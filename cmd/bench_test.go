//go:build unix

package cmd

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// process runs the built command as users do and keeps what it took.
type process struct {
	b    *testing.B
	bin  string
	dir  string
	env  []string
	took map[string][]time.Duration
	peak int64 // KiB on Linux, the largest of all
}

// run runs the command, wants the exit code, and returns its standard output.
func (p *process) run(name string, code int, args ...string) []byte {
	p.b.Helper()
	cmd := exec.Command(p.bin, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	began := time.Now()
	out, err := cmd.Output()
	p.took[name] = append(p.took[name], time.Since(began))
	if got := cmd.ProcessState.ExitCode(); got != code {
		p.b.Fatalf("%s: exit code %d, want %d: %v\n%s", name, got, code, err, out)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		p.peak = max(p.peak, usage.Maxrss)
	}
	return out
}

// newProcess builds the command and gives it an empty home.
func newProcess(b *testing.B) *process {
	b.Helper()
	dir := b.TempDir()
	p := &process{b: b, bin: filepath.Join(dir, "agent"), dir: filepath.Join(dir, "ws"), took: map[string][]time.Duration{}}
	p.env = append(os.Environ(), "XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "CI=", "AGENT_MODEL=", "AGENT_DB=", "AGENT_RUN_ID=", "AGENT_ON_QUESTION=")
	if out, err := exec.Command("go", "build", "-o", p.bin, "..").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		b.Fatal(err)
	}
	return p
}

// report gives the median of each thing that was run, and the peak of memory.
func (p *process) report() {
	p.medians()
	p.b.ReportMetric(float64(p.peak)/1024, "peak-MiB")
}

func (p *process) medians() {
	for name, took := range p.took {
		slices.Sort(took)
		p.b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, name+"-ms/p50")
	}
	p.b.ReportMetric(0, "ns/op") // a mean over unlike parts says nothing
}

// BenchmarkProcess measures whole processes on a real database: a script run to
// its question, the answer to its end, list and help, beside the floor of a
// process that does nothing and of one fsync.
func BenchmarkProcess(b *testing.B) {
	p := newProcess(b)
	dir := filepath.Dir(p.dir)
	script := filepath.Join(dir, "script.yaml")
	turns := "turns:\n  - toolCalls: [{name: ask_user, args: {question: Which?}}]\n  - text: done\n"
	if err := os.WriteFile(script, []byte(turns), 0o644); err != nil {
		b.Fatal(err)
	}
	floor := &process{b: b, bin: "true", dir: dir, took: p.took}
	for b.Loop() {
		var result struct{ RunID string }
		out := p.run("suspend", 3, "run", "--model", "script:"+script, "-o", "json", "Do it")
		if err := json.Unmarshal(out, &result); err != nil {
			b.Fatal(err)
		}
		p.run("resume", 0, "resume", result.RunID, "--answer", "this")
		p.run("list", 0, "list")
		p.run("help", 0, "--help")
		floor.run("true", 0)
		p.took["fsync"] = append(p.took["fsync"], fsync(b, dir))
	}
	p.report()
}

func fsync(b *testing.B, dir string) time.Duration {
	b.Helper()
	f, err := os.CreateTemp(dir, "floor")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 4096)); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}
