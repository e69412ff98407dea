//go:build linux || darwin

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const asksOnce = "turns:\n  - toolCalls: [{id: q, name: ask_user, args: {question: \"Which?\"}}]\n  - text: Done.\n"

// alerted is a bench whose user has set notify.
func alerted(t *testing.T, notify string) *bench {
	t.Helper()
	b := newBench(t)
	b.env["XDG_CONFIG_HOME"] = filepath.Join(b.dir, ".config")
	b.write(".config/agent/config.toml", "notify = \""+notify+"\"\n")
	b.write("ask.yaml", asksOnce)
	return b
}

// bells counts those in what was printed. Other control characters end with a
// bell too.
func bells(printed string) int {
	return strings.Count(printed, "\a") - strings.Count(printed, "\x1b]")
}

// TestAlert_bell: it rings when a prompt opens after a while, and again when the
// run ends after a while.
func TestAlert_bell(t *testing.T) {
	t.Parallel()
	b := alerted(t, "bell")
	x := dial(b, wired{columns: 80, program: "slow-agent"}, "run", "--model", "script:ask.yaml", "Do it")
	x.asks("Which?")
	if got := x.said(); bells(got) != 1 {
		t.Errorf("the bell rang %d times before the prompt:\n%q", bells(got), got)
	}
	x.keys("x" + enter)
	x.asks("Done.")
	if got := x.said(); bells(got) != 2 {
		t.Errorf("the bell rang %d times at the end of the turn:\n%q", bells(got), got)
	}
	x.keys(ctrlC)
	x.exits()
}

// TestAlert_whoIsThere: a person who has just typed something is not called.
func TestAlert_whoIsThere(t *testing.T) {
	t.Parallel()
	b := alerted(t, "bell")
	x := dial(b, wired{columns: 80}, "run", "--model", "script:ask.yaml", "Do it")
	x.asks("Which?")
	x.keys(ctrlC)
	x.exits()
	if got := x.said(); bells(got) != 0 {
		t.Errorf("the bell rang:\n%q", got)
	}
}

// TestAlert_desktop: a program of the desktop gets the words, and none of the
// environment's secrets.
func TestAlert_desktop(t *testing.T) {
	t.Parallel()
	b := alerted(t, "desktop")
	b.write("bin/notify-send", "#!/bin/sh\n{ printf '<%s>\\n' \"$@\"; env; } >\"$HOME/part\" && mv \"$HOME/part\" \"$HOME/sent\"\n")
	b.write("bin/osascript", "#!/bin/sh\nexec notify-send \"$@\"\n")
	for _, name := range []string{"bin/notify-send", "bin/osascript"} {
		if err := os.Chmod(filepath.Join(b.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"PATH": filepath.Join(b.dir, "bin") + ":" + os.Getenv("PATH"), "DISPLAY": ":0", "DEPLOY_TOKEN": "hunter2hunter2"}
	x := dial(b, wired{columns: 80, program: "slow-agent", env: env}, "run", "--model", "script:ask.yaml", "--title", `Fix $(id) "now" <b>`, "Do it")
	x.asks("Which?")
	x.keys(ctrlC)
	x.exits()
	sent := ""
	soon(t, "the notification", func() bool {
		data, err := os.ReadFile(filepath.Join(b.env["HOME"], "sent"))
		sent = string(data)
		return err == nil
	})
	for _, want := range []string{"<agent waits for you>\n", `Fix $(id) "now" `, "(" + filepath.Base(b.dir) + ")>\n", "\nAGENT_RUN_ID=", "\nDISPLAY=:0\n"} {
		if !strings.Contains("\n"+sent, want) {
			t.Errorf("the notification lacks %q:\n%s", want, sent)
		}
	}
	if strings.Contains(sent, "hunter2") || bells(x.said()) != 0 {
		t.Errorf("it got a secret, or the bell rang:\n%s\n%q", sent, x.said())
	}
}

// TestAlert_shownByTheTerminal: a terminal that is known to show notifications
// is sent one.
func TestAlert_shownByTheTerminal(t *testing.T) {
	t.Parallel()
	b := alerted(t, "desktop")
	x := dial(b, wired{columns: 80, program: "slow-agent", env: map[string]string{"TERM_PROGRAM": "WezTerm"}}, "run", "--model", "script:ask.yaml", "--title", "T\x1b]0;x\aT", "Do it")
	x.asks("Which?")
	x.keys(ctrlC)
	x.exits()
	if got := x.said(); !strings.Contains(got, "\x1b]9;agent waits for you: TT ("+filepath.Base(b.dir)+")\a") {
		t.Errorf("the terminal got\n%q", got)
	}
}
