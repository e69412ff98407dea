//go:build linux || darwin

package cmd

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestPrompts_shrunk: a terminal that becomes too small for the list gets the
// question and the list again at the next key, which counts, but for Enter:
// what is confirmed was in sight.
func TestPrompts_shrunk(t *testing.T) {
	t.Parallel()
	var options []dict
	for n := range 12 {
		options = append(options, dict{"label": fmt.Sprintf("choice %d", n+1), "description": strings.Repeat("long ", 9)})
	}
	for _, tt := range []struct {
		name, mode, want string
		do               func(x *teletype)
	}{
		{"one", "single_select", `ask_user tty: "choice 2"`, func(x *teletype) {
			x.move(down)
			x.resize(50, 9)
			x.keys(enter)
			x.sees("> 1. choice 1 - long long long long long long…", "Which way?")
			x.move(down)
		}},
		{"several", "multi_select", `ask_user tty: ["choice 1","choice 3"]`, func(x *teletype) {
			x.move(space, down)
			x.resize(50, 9)
			x.keys(down)
			x.sees("> [ ]  3. choice 3 - long long long long long l…", "Which way?")
			x.move(space)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			x := asking("ask_user", dict{"question": "Which way?", "options": options, "selectionMode": tt.mode})(b, wired{columns: 80, rows: 12})
			x.sees(listReady, "choice 5")
			tt.do(x)
			x.keys(enter)
			x.ends()
			b.wantAnswers(tt.want)
		})
	}
}

// TestPrompts_grown: of a list that a narrow terminal broke nothing is left
// beside it when the terminal is wide again.
func TestPrompts_grown(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	x := asking("ask_user", singleQuestion())(b, wired{columns: 40, rows: 20})
	x.sees("? Your choice  [Use arrows to move,\n", skipQuestion)
	x.move(down)
	x.resize(90, 40)
	x.keys(down)
	x.sees("> 2. Decide later - a label", skipQuestion)
	if s := x.screen(); strings.Count(s, "Your choice") != 1 || strings.Count(s, skipQuestion) != 1 {
		t.Errorf("rows of the list are left:\n%s", s)
	}
	x.move(up, down)
	x.keys(enter)
	x.ends()
	b.wantAnswers(`ask_user tty: "Decide later"`)
}

// TestPrompts_noEditor says in one line that there is no such editor.
func TestPrompts_noEditor(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.env["VISUAL"] = "no-such-editor -w"
	x := asking("ask_user", dict{"question": "Which?"})(b, wired{columns: 100})
	x.sees(lineReady)
	x.keys(ctrlG)
	x.sees("run editor no-such-editor: no such program (VISUAL or EDITOR names another)\n›")
	if raw := x.said(); strings.Contains(raw, "not found") {
		t.Errorf("the shell speaks too:\n%s", raw)
	}
	x.keys(ctrlC)
	if code := x.exits(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
}

// TestPrompts_typedAhead: what is typed while the agent works is not shown: it
// would tear the spinner's row.
func TestPrompts_typedAhead(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	x := asking("shell", dict{"command": "touch begun; while [ ! -e go ]; do sleep 0.05; done"}, "--yolo", "--mode", "build")(b, wired{columns: 80})
	x.sees("shell touch begun", "⠹")
	x.keys(down + "early\r" + down)
	stty := exec.Command("stty", "-a")
	stty.Stdin = x.tty
	mode, err := stty.Output()
	for _, set := range []string{"-echo", "icanon", "isig"} {
		if err != nil || !slices.Contains(strings.Fields(string(mode)), set) {
			t.Errorf("mode while the agent works is not %s: %s, %v", set, mode, err)
		}
	}
	b.write("go", "")
	x.ends()
	if s := x.screen(); strings.Contains(s, "^[") || strings.Contains(s, "early") || strings.ContainsAny(s, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") {
		t.Errorf("the screen holds what was typed, or a spinner:\n%s", s)
	}
}
