//go:build linux || darwin

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// completingShells are shells with a person at the keys: how one is started,
// what it reads to complete agent, and the keys that list choices once Tab has
// put in what they have in common.
var completingShells = map[string]struct {
	args, setup []string
	list        string
}{
	"bash": {
		list:  "\t\t",
		args:  []string{"--noprofile", "--norc", "-i"},
		setup: []string{"source " + bashCompletion, "source <(agent completion bash)", "PS1='ready$ '"},
	},
	"zsh": {
		list:  "\t",
		args:  []string{"-f", "-i"},
		setup: []string{"autoload -U compinit; compinit -u -D", "source <(agent completion zsh)", "PROMPT='ready$ '"},
	},
	"fish": {
		args:  []string{"--no-config", "-i"},
		setup: []string{"set -g fish_autosuggestion_enabled 0", "agent completion fish | source", "function fish_prompt; printf 'ready$ '; end"},
	},
}

// bashCompletion is what bash's script needs and says so.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// keyboard starts a shell that completes agent.
func keyboard(b *bench, shell string) *teletype {
	b.t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		b.t.Skipf("%s is not installed", shell)
	}
	if _, err := os.Stat(bashCompletion); shell == "bash" && err != nil {
		b.t.Skip("bash-completion is not installed")
	}
	s := completingShells[shell]
	x := open(b, wired{columns: 150, rows: 50})
	x.start(wired{program: shell}, s.args)
	x.keys(strings.Join(s.setup, "\n") + "\n")
	x.line("")
	return x
}

// line waits until the command line is these words, the cursor right behind them.
func (x *teletype) line(words string) {
	x.t.Helper()
	row := "ready$ " + words
	x.until("the command line “"+words+"”", func(screen string) bool {
		at := x.emu.CursorPosition()
		rows := strings.Split(screen, "\n")
		return at.Y < len(rows) && at.X == len(row) && rows[at.Y] == strings.TrimRight(row, " ")
	})
}

// types puts words on an empty command line.
func (x *teletype) types(words string) {
	x.t.Helper()
	x.keys("\x15") // Ctrl-U: whatever stood there
	x.line("")
	x.keys(words)
	x.line(words)
}

// TestCompletion_shells types in real shells what people type, and looks at what
// the Tab key makes of it.
func TestCompletion_shells(t *testing.T) {
	t.Parallel()
	for shell := range completingShells {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.env["TERM"] = "xterm-256color"
			b.write("ask.yaml", "turns:\n  - toolCalls: [{id: q, name: ask_user, args: {question: \"Which?\", options: [Short note, \"It's $(touch pwned) (touch pwned)\"]}}]\n")
			b.write("notes.txt", "")
			b.write("deep/er/x", "")
			titles := []string{"Fix: the bug", `say "x" 'y' [z] {a,b} (c) ~ * ? # ! & ; < > | %F{red}`, "$(touch pwned) `touch pwned` ${HOME}", "tab\there\x1b]0;x\a"}
			for _, title := range titles {
				b.run("run", "--model", "script:"+filepath.Join(b.dir, "ask.yaml"), "--title", title, "Do it").wants(t, 3)
			}
			x := keyboard(b, shell)
			x.types("agent resume 0")
			x.keys("\t")
			x.sees("agent resume 01") // what all have in common
			x.keys(completingShells[shell].list)
			for _, title := range titles {
				x.sees("suspended: " + text.Field(title, 60))
			}
			for typed, want := range map[string]string{
				"agent lis":                      "agent list ",
				"agent run --on-question s":      "agent run --on-question suspend ",
				"agent -o jsonl list --stat":     "agent -o jsonl list --status ",
				"agent list --status sus":        "agent list --status suspended ",
				"agent run --mode ex":            "agent run --mode explore ",
				"agent run --model de":           "agent run --model demo ",
				"agent run --model scr":          "agent run --model script:",
				"agent run --answers a":          "agent run --answers ask.yaml ",
				"agent --db no":                  "agent --db notes.txt ",
				"agent -C de":                    "agent -C deep/",
				"agent resume latest --tool-c":   "agent resume latest --tool-call ",
				"agent resume latest --answer S": `agent resume latest --answer Short\ note `,
			} {
				x.types(typed)
				x.keys("\t")
				x.line(want)
			}
			x.types("agent run 'Explain $(touch pwned) `touch pwned` (touch pwned)' --non")
			x.keys("\t")
			x.line("agent run 'Explain $(touch pwned) `touch pwned` (touch pwned)' --non-interactive ")
			x.types("agent resume latest --answer I")
			x.keys("\t")
			x.sees("pwned") // in its shell's way to write it
			x.keys("--sk\t")
			x.sees("--skip")
			if _, err := os.Stat(filepath.Join(b.dir, "pwned")); err == nil {
				t.Error("words were executed")
			}
		})
	}
}
