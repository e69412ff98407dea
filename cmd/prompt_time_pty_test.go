//go:build linux || darwin

package cmd

import (
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
)

// TestReport_row03_time: elsewhere a prompt times out and the agent goes on by
// its own judgement. Here a prompt that is open for a hundred days is still
// open; nor do these days count as time the run was driven.
func TestReport_row03_time(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	var days atomic.Int64
	x, code := sitDown(b, func() time.Time { return time.Now().AddDate(0, 0, int(days.Load())) },
		"run", "--timeout", "1h", "--model", b.asks("ask_user", singleQuestion()), "Do it")
	x.sees(skipQuestion)
	days.Store(100)
	if j := b.journal("latest"); j.Status != "suspended" {
		t.Errorf("after a hundred days the run is %s", j.Status)
	}
	x.takes(1)
	x.asks("Your next message?")
	x.keys(ctrlD)
	select {
	case got := <-code:
		if got != exit.OK {
			t.Errorf("exit code %d", got)
		}
	case <-time.After(screenTime):
		t.Fatalf("the command does not end:\n%s", x.screen())
	}
	b.wantAnswers(`ask_user tty: "日本語"`)
}

// sitDown runs a command in process on a terminal, with a clock of its own.
func sitDown(b *bench, now func() time.Time, args ...string) (*teletype, <-chan int) {
	b.t.Helper()
	x := open(b, wired{columns: 80})
	b.env["TERM"] = "xterm-256color"
	s := b.streams(nil, nil)
	s.In, s.Out, s.Err, s.InTTY, s.OutTTY, s.ErrTTY = x.tty, x.tty, x.tty, true, true, true
	s.Console = terminal.NewConsole(x.tty, x.tty)
	s.Now = now
	code := make(chan int, 1)
	go func() { code <- execute(b.t.Context(), s, args) }()
	return x, code
}

// TestPrompts_tmux goes the whole way in a terminal people use.
func TestPrompts_tmux(t *testing.T) {
	t.Parallel()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	b := newDesk(t)
	call := func(args ...string) string {
		c := exec.Command(tmux, append([]string{"-L", "test", "-f", "/dev/null"}, args...)...)
		c.Dir, c.Env = b.dir, append(b.environ(), "TERM=xterm-256color", "TMUX_TMPDIR="+b.env["HOME"])
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	agent, err := exec.LookPath("agent")
	if err != nil {
		t.Fatal(err)
	}
	call("new-session", "-d", "-x", "80", "-y", "50", agent+` run --model demo "Add a greeting"; echo "exit $?"; read wait`)
	defer call("kill-server")
	shows := func(words string) {
		t.Helper()
		for late := time.Now().Add(screenTime); !strings.Contains(call("capture-pane", "-p"), words); {
			if time.Now().After(late) {
				t.Fatalf("tmux never showed %q:\n%s", words, call("capture-pane", "-p"))
			}
		}
	}
	for _, step := range []struct {
		shows string
		keys  []string
	}{
		{skipQuestion, []string{"Down", "Enter"}},
		{"revision 1  [", []string{"Down", "Down", "Down", "Down", "Enter"}},
		{"What should change?", nil},
		{"\n›", []string{"kürzer, bitte", "Enter"}},
		{"revision 2  [", []string{"Down", "Enter"}},
		{"Your next message?", nil},
		{"\n›", []string{"C-d"}},
		{"exit 0", nil},
	} {
		shows(step.shows)
		if step.keys != nil {
			call(append([]string{"send-keys"}, step.keys...)...)
		}
	}
	if j := b.journal("latest"); j.Status != "finished" || j.Mode != "build" || len(j.Plans) != 2 {
		t.Errorf("the run: %+v", j)
	}
}
