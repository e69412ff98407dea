//go:build unix

package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// quick is a shell that waits little for what must stop, with a small
// environment.
func quick(env ...string) agent.Tool {
	return Shell(ShellConfig{Environ: append(env, "PATH="+os.Getenv("PATH")), Grace: 200 * time.Millisecond})
}

func shellArgs(command string) string { return fmt.Sprintf(`{"command":%q}`, command) }

func TestShell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command, want string
		code          int
	}{
		{"echo hello; echo err >&2", "hello\nerr\n[exit code 0]", 0},
		{"printf x", "x\n[exit code 0]", 0},
		{"true", "[no output]\n[exit code 0]", 0},
		{"echo no; exit 7", "no\n[exit code 7]", 7},
		{"cat", "[no output]\n[exit code 0]", 0}, // no input
		{"printf 'caf\\351'", "caf\ufffd\n[exit code 0]", 0},
		{"kill -9 $$", "[no output]\n[ended by signal: killed]", -1},
		{"test -t 0 || test -t 1 || echo piped", "piped\n[exit code 0]", 0},
		{"cat x/y", "here\n[exit code 0]", 0},
		{"(: </dev/tty) 2>/dev/null || echo no terminal", "no terminal\n[exit code 0]", 0},
	} {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			h.write("x/y", "here\n")
			r := h.run(quick(), shellArgs(c.command))
			if r.Content != c.want || r.IsError != (c.code != 0) || r.Details["exitCode"] != c.code {
				t.Errorf("content %q, error %v, details %v; want %q", r.Content, r.IsError, r.Details, c.want)
			}
			if _, ok := r.Details["durationMs"].(int64); !ok {
				t.Errorf("details %v", r.Details)
			}
		})
	}
}

func TestShell_Environment(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	env := []string{
		"HOME=/home/ann", "ANTHROPIC_API_KEY=k1", "my_token=k2", "DB_PASSWORD=k3", "XSECRETX=k4", "AGENT_DB=k5", "AGENT_RUN_ID=other",
		"ACTIONS_RUNTIME_URL=k6", "GITHUB_ENV=k7", "GITHUB_PATH=k8", "GITHUB_OUTPUT=k9", "GITHUB_SHA=abc", "PASSED_KEY=given", "MY_LLM=k10", "PAGER=less",
	}
	tool := Shell(ShellConfig{Environ: env, PassEnv: []string{"PASSED_KEY", "AGENT_DB"}, DropEnv: []string{"MY_LLM"}})
	got := h.ok(tool, shellArgs("/usr/bin/env")).Content
	for _, want := range []string{"HOME=/home/ann\n", "GITHUB_SHA=abc\n", "PASSED_KEY=given\n", "AGENT_RUN_ID=run-1\n", "PAGER=cat\n", "GIT_PAGER=cat\n", "PWD=" + h.dir + "\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, banned := range []string{"=k", "other", "less"} {
		if strings.Contains(got, banned) {
			t.Errorf("%q is in %q", banned, got)
		}
	}
}

func TestShell_OutsideARunKeepsTheOuterRun(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	call := h.call(shellArgs("echo run=$AGENT_RUN_ID"))
	call.RunID = ""
	r, err := quick("AGENT_RUN_ID=outer").Call(t.Context(), call)
	if err != nil || !strings.HasPrefix(r.Content, "run=outer\n") {
		t.Errorf("%q, %v", r.Content, err)
	}
}

func TestShell_Refused(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	for _, w := range []agent.Writes{agent.WritesNone, agent.WritesPlans} {
		h.mode = agent.Mode{ID: "plan", Writes: w}
		h.refused(quick(), shellArgs("touch made"), `"plan"`)
	}
	h.mode = agent.Mode{}
	for _, denied := range []string{h.dir, filepath.Join(h.dir, "data/runs.db"), filepath.Dir(h.dir)} {
		h.refused(Shell(ShellConfig{Closed: Closed{Paths: []string{denied}}}), shellArgs("touch made"), "move the database")
	}
	h.ok(Shell(ShellConfig{Closed: Closed{Paths: []string{h.dir + "-other"}}}), shellArgs("true"))
	h.missing("made")
	h.dir = filepath.Join(h.dir, "gone")
	h.refused(quick(), shellArgs("true"), "gone")
}

func TestShell_TimeOut(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	started := time.Now()
	r := h.run(quick(), `{"command":"echo begun; sleep 60; echo never","timeout":1}`)
	if want := "begun\n[stopped: it ran into its time-out of 1s]"; r.Content != want || !r.IsError {
		t.Errorf("content %q, error %v", r.Content, r.IsError)
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestShell_InterruptKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	why := errors.New("interrupted by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	// Neither the shell nor its child heeds SIGTERM.
	call := h.call(shellArgs(`trap '' TERM; sh -c 'trap "" TERM; echo pid $$; while :; do sleep 1; done'`))
	var seen strings.Builder
	call.Output = func(text string) { // in this goroutine, so no lock
		seen.WriteString(text)
		if strings.Contains(seen.String(), "\n") {
			cancel(why)
		}
	}
	r, err := quick().Call(ctx, call)
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if want := seen.String() + "[stopped before it ended]"; r.Content != want || !r.IsError {
		t.Errorf("content %q, want %q", r.Content, want)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(seen.String(), "pid ")))
	if err != nil {
		t.Fatal(err)
	}
	gone(t, pid)
}

// gone waits until a process has ended; a zombie that nobody reaps has.
func gone(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(10 * time.Second)
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) != nil || err == nil && bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("process %d still lives", pid)
		}
	}
}

func TestShell_BackgroundProcessDoesNotHang(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	started := time.Now()
	r := h.run(quick(), shellArgs("sleep 300 & echo $!"))
	if took := time.Since(started); took > 60*time.Second {
		t.Errorf("took %s", took)
	}
	mustSay(t, r.Content, "[exit code 0]", "left in the background were stopped")
	gone(t, firstPID(t, r))
}

func TestShell_Output(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	call := h.call(shellArgs(`printf 'ab\303'; sleep 0.1; printf '\251cd\303'`))
	var got strings.Builder
	call.Output = func(text string) { got.WriteString(text) }
	r, err := quick().Call(t.Context(), call)
	if err != nil || got.String() != "abécd\ufffd" || r.Content != "abécd\ufffd\n[exit code 0]" {
		t.Errorf("shown %q, content %q, %v", got.String(), r.Content, err)
	}
}

func TestShell_LongOutput(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	r := h.ok(quick(), shellArgs("i=0; while [ $i -lt 10000 ]; do echo line $i; i=$((i+1)); done"))
	if n := len(r.Content); n > 32<<10 {
		t.Errorf("%d bytes for the model", n)
	}
	mustSay(t, r.Content, "line 0\nline 1\n", "bytes left out", "line 9999\n[exit code 0]")
	if len(r.Blobs) != 1 || strings.Count(string(r.Blobs[0]), "\n") != 10000 || r.Details["output"] != agent.Digest(r.Blobs[0]) {
		t.Errorf("%d blobs, details %v", len(r.Blobs), r.Details)
	}
}

// A gigabyte passes through, and a few MiB of it are held.
func TestShell_HugeOutput(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	size := 1 << 30
	if testing.Short() {
		size = 64 << 20
	}
	call := h.call(`{}`)
	shown := 0
	call.Output = func(text string) { shown += len(text) }
	run, err := quick().(shell).run(t.Context(), call, fmt.Sprintf("echo first; head -c %d /dev/zero; echo; echo last", size))
	if err != nil {
		t.Fatal(err)
	}
	if held := cap(run.out.head) + cap(run.out.tail); held > 4*(keptHead+keptTail) {
		t.Errorf("%d bytes are held", held)
	}
	if shown < maxShown || shown > maxShown+100 {
		t.Errorf("%d bytes were shown", shown)
	}
	r := run.result(t.Context(), time.Minute)
	if n := len(r.Blobs[0]); n > keptHead+keptTail+100 {
		t.Errorf("kept %d bytes", n)
	}
	kept := string(r.Blobs[0])
	lost := fmt.Sprintf("\n[%d bytes not kept]\n", size+len("first\n\nlast\n")-keptHead-keptTail)
	if !strings.HasPrefix(kept, "first\n") || !strings.HasSuffix(kept, "\x00\nlast\n") || !strings.Contains(kept, lost) {
		t.Errorf("kept %q … %q", kept[:20], kept[len(kept)-20:])
	}
	mustSay(t, r.Content, "first\n", "\x00\nlast\n[exit code 0]", "bytes left out")
}

// What a command left behind is asked to end before it is killed.
func TestShell_LeftoversMayCleanUp(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	const leave = `(trap '%s' TERM; touch ready; while :; do sleep 0.01; done) >/dev/null 2>&1 & echo $!; while ! test -e ready; do sleep 0.01; done`
	patient := Shell(ShellConfig{Environ: []string{"PATH=" + os.Getenv("PATH")}, Grace: time.Minute})
	gone(t, firstPID(t, h.ok(patient, shellArgs(fmt.Sprintf(leave, "touch cleaned; exit")))))
	if h.read("cleaned") != "" {
		t.Error("it did not clean up")
	}
	gone(t, firstPID(t, h.ok(quick(), shellArgs(fmt.Sprintf(leave, "")))))
}

// No command reads what the agent's own input holds, and none waits for it.
func TestShell_NoInput(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	for command, want := range map[string]string{
		"read -r line || echo end": "end\n",
		"cat; cat - ; wc -c":       "0\n",
	} {
		if r := h.ok(quick(), shellArgs(command)); r.Content != want+"[exit code 0]" {
			t.Errorf("%s: %q", command, r.Content)
		}
	}
}

func TestShell_TimeOutsThatAreNone(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	for _, timeout := range []string{"0", "-1", "3601", "1e300", "-1e300", "1.5", `"120"`, "true", "[]"} {
		h.refused(quick(), `{"command":"touch made","timeout":`+timeout+`}`, "timeout must be a whole number from 1 to 3600")
	}
	h.missing("made")
	h.ok(quick(), `{"command":"true","timeout":3600}`)
}

func firstPID(t *testing.T, r agent.Result) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.SplitN(r.Content, "\n", 2)[0])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
