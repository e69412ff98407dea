package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-3e5a1d81/agent/internal/hook"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
)

func TestMain(m *testing.M) {
	if code, ok := hook.Child(os.Args, os.Stdin, os.Environ()); ok { // the test program is the agent of its own runs
		syscall.Exit(code) // os.Exit takes a second with the race detector
	}
	if code, ok := sandbox.Child(os.Args); ok { // the test program is the agent of its own runs
		syscall.Exit(code) // os.Exit takes a second with the race detector
	}
	testscript.Main(m, map[string]func(){
		"agent": func() { os.Exit(Main()) }, "slow-agent": func() { os.Exit(slowMain()) }, "worker": func() { os.Exit(worker()) }, "json": func() { os.Exit(readJSON()) },
	})
}

// TestScripts runs each behaviour a user can see, every command its own
// process.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		Setup:               scriptEnv,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           scriptCondition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": cmdExits, "field": cmdField, "capture": cmdCapture, "stops": cmdStops, "waitrun": cmdWaitRun, "waitfile": cmdWaitFile,
			"vendor": cmdVendor, "expand": cmdExpand,
		},
	})
}

// nowhere is an address at which nobody listens: tests ask no server of the
// machine's.
const nowhere = "127.0.0.1:1"

// scriptCondition knows [sandbox]: something here keeps commands from writing.
func scriptCondition(cond string) (bool, error) {
	if cond != "sandbox" {
		return false, fmt.Errorf("unknown condition %s", cond)
	}
	return sandbox.New(sandbox.Config{Path: os.Getenv("PATH"), Program: ownProgram}).ReadOnly(), nil
}

// scriptEnv gives a script a home of its own and nothing of the machine's.
func scriptEnv(env *testscript.Env) error {
	for _, dir := range []string{"home", "data", "config", "ws"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, dir), 0o755); err != nil {
			return err
		}
	}
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
	env.Setenv("AGENT_ACTOR", "tester@here")
	env.Setenv("GORACE", "atexit_sleep_ms=0") // with the race detector every end would take a second
	env.Setenv("OLLAMA_HOST", nowhere)
	for _, name := range []string{"CI", "GITHUB_ACTIONS", "AGENT_MODEL", "AGENT_DB", "AGENT_RUN_ID", "AGENT_ON_QUESTION"} {
		env.Setenv(name, "")
	}
	env.Cd = filepath.Join(env.WorkDir, "ws")
	return nil
}

// cmdExits is "exits CODE command…": it runs the command and wants this exit
// code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCodeOf(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func exitCodeOf(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("run: %v", err)
	return -1
}

// lookup finds a value by its path in the last line of stdout; of a result
// line it looks into the payload.
func lookup(ts *testscript.TestScript, path string) any {
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	var v any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &v); err != nil {
		ts.Fatalf("stdout is not JSON: %v", err)
	}
	if m, ok := v.(map[string]any); ok && m["type"] == "result" {
		v = m["payload"]
	}
	for _, key := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[key]
			if !ok {
				ts.Fatalf("%s: no key %q", path, key)
			}
			v = next
		case []any:
			if key == "len" {
				v = float64(len(at))
				continue
			}
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(at) {
				ts.Fatalf("%s: no element %q of %d", path, key, len(at))
			}
			v = at[i]
		default:
			ts.Fatalf("%s: nothing below %v", path, v)
		}
	}
	return v
}

func valueText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// cmdField is "field path value": it compares a value of the JSON on stdout.
// The path element len is the length of an array.
func cmdField(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: field path value")
	}
	if got := valueText(lookup(ts, args[0])); (got == args[1]) == neg {
		ts.Fatalf("%s is %q, compared with %q", args[0], got, args[1])
	}
}

// cmdCapture is "capture NAME path": it sets a variable from the JSON on
// stdout.
func cmdCapture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME path")
	}
	ts.Setenv(args[0], valueText(lookup(ts, args[1])))
}

// startDriving starts a process of a script and waits until it drives a run.
func startDriving(ts *testscript.TestScript, args []string) (*exec.Cmd, *bytes.Buffer) {
	bin := args[0]
	if !filepath.IsAbs(bin) { // the test's own commands come first in PATH
		bin = filepath.Join(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0], bin)
	}
	c := exec.Command(bin, args[1:]...)
	c.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "AGENT_ACTOR", "PATH", "TMPDIR", "GORACE"} {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	var out bytes.Buffer
	c.Stdout = &out
	stderr, err := c.StderrPipe()
	ts.Check(err)
	ts.Check(c.Start())
	first := make([]byte, 4)
	if _, err := stderr.Read(first); err != nil || string(first[:3]) != "run" {
		ts.Fatalf("process said %q: %v", first, err)
	}
	go func() { _, _ = bytes.NewBuffer(nil).ReadFrom(stderr) }()
	return c, &out
}

// cmdStops is "stops SIGNAL CODE command…": it starts a command that drives a
// run, signals it once the run is under way and wants this exit code.
func cmdStops(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	sig, ok := signals[args[0]]
	want, err := strconv.Atoi(args[1])
	if neg || !ok || err != nil {
		ts.Fatalf("usage: stops INT|TERM|HUP code command [args]")
	}
	c, _ := startDriving(ts, args[2:])
	ts.Check(c.Process.Signal(sig))
	if got := exitCodeOf(ts, c.Wait()); got != want {
		ts.Fatalf("exit code %d after %s, want %d", got, args[0], want)
	}
}

// cmdWaitRun is "waitrun STATUS": it waits until the latest run has the status.
func cmdWaitRun(ts *testscript.TestScript, neg bool, args []string) {
	deadline := time.Now().Add(10 * time.Second)
	for {
		err := ts.Exec("agent", "list", "--output", "json", "--limit", "1")
		if err == nil && strings.Contains(ts.ReadFile("stdout"), `"status":"`+args[0]+`"`) != neg {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no run became %s", args[0])
		}
	}
}

// cmdWaitFile is "waitfile NAME": it waits until the file exists.
func cmdWaitFile(ts *testscript.TestScript, neg bool, args []string) {
	for deadline := time.Now().Add(10 * time.Second); !neg; {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no file %s", args[0])
		}
	}
}
