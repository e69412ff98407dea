//go:build linux || darwin

package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/golden"
)

// scene is one prompt, and how to come to it.
type scene struct {
	name  string
	begin func(b *bench, w wired) *teletype // until the prompt is open
	ready string                            // on the last row then
	typed bool                              // a line is typed, not chosen from a list
	left  int                               // exit code when it is left
	enter int                               // exit code after Enter on the default
}

const (
	listReady = "confirms]"
	lineReady = "›"
)

// asking begins a run of a script that makes one call.
func asking(tool string, args any, flags ...string) func(*bench, wired) *teletype {
	return func(b *bench, w wired) *teletype {
		return dial(b, w, append([]string{"run", "--model", b.asks(tool, args), "Do it"}, flags...)...)
	}
}

// asks is a model that makes one call. Its name is the same wherever the
// workspace lies.
func (b *bench) asks(tool string, args any) string {
	b.t.Helper()
	b.script("ask.yaml", tool, args)
	return "script:ask.yaml"
}

// newDesk is a bench whose database lies outside the workspace, so that
// commands may run.
func newDesk(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	home := t.TempDir()
	b.env["HOME"], b.env["XDG_DATA_HOME"], b.env["AGENT_DB"] = home, filepath.Join(home, "data"), filepath.Join(home, "runs.db")
	return b
}

type dict = map[string]any

func singleQuestion() dict {
	return dict{"question": "挨拶をどの言語で書きますか？\n後から変えることもできます。", "options": []dict{
		{"label": "日本語", "description": "すべての画面と説明書を日本語で書き、英語の言葉は括弧の中に残します。読む人が慣れているからです。"},
		{"label": "Decide later", "description": "a label of the model that looks like ours"},
		{"label": "Français"},
	}}
}

func severalQuestion() dict {
	return dict{"question": "Que faut-il vérifier avant de continuer ?", "selectionMode": "multi_select", "options": []dict{
		{"label": "Les tests", "description": "déjà écrits, à lancer après chaque étape"},
		{"label": "L’accès à la base de données"},
		{"label": "La façade", "description": "l’été dernier, elle a été réécrite"},
	}}
}

const greetingPlan = "# Add a greeting\n\nWe add `hello.txt`.\n\n1. Write the file.\n2. Say so.\n"

// planScript submits a plan, and once more after it was rejected.
func planScript(b *bench) string {
	b.write(".mastracode/plans/greeting.md", greetingPlan)
	b.write("plan.yaml", `turns:
  - toolCalls: [{id: p, name: submit_plan, args: {path: .mastracode/plans/greeting.md}}]
  - {text: "After the plan: {{answer}}"}
  - text: And on.
`)
	return "script:plan.yaml"
}

func scenes() []scene {
	return []scene{
		{name: "free", ready: lineReady, typed: true, left: 3, enter: 3,
			begin: asking("ask_user", dict{"question": "次に何をしますか？"})},
		{name: "single", ready: skipQuestion, left: 3, enter: 3, begin: asking("ask_user", singleQuestion())},
		{name: "several", ready: skipQuestion, left: 3, enter: 3, begin: asking("ask_user", severalQuestion())},
		{name: "plan", ready: "Reject", left: 3, enter: 3, begin: func(b *bench, w wired) *teletype {
			return dial(b, w, "run", "--model", planScript(b), "Do it")
		}},
		{name: "approval", ready: "Allow for this run", left: 3, enter: 3,
			begin: asking("shell", dict{"command": "echo a > made; echo b", "description": "makes a file"}, "--mode", "build")},
		{name: "doubt", ready: "Stop the run", left: 3, enter: 3, begin: func(b *bench, w wired) *teletype {
			b.kill()
			return dial(b, w, "resume", "latest")
		}},
		{name: "task", ready: lineReady, typed: true, left: 3, enter: 2, begin: func(b *bench, w wired) *teletype {
			return dial(b, w, "run", "--model", b.asks("ask_user", dict{"question": "Which?"}))
		}},
		{name: "picker", ready: "日本語", left: 3, enter: 3, begin: func(b *bench, w wired) *teletype {
			b.run("run", "--model", b.asks("ask_user", singleQuestion()), "日本語で挨拶を書いてください。それから試験も書いてください。")
			b.run("run", "--model", planScript(b), "Second")
			return dial(b, w, "resume")
		}},
		{name: "message", ready: lineReady, typed: true, begin: func(b *bench, w wired) *teletype {
			b.write("say.yaml", "turns:\n  - text: Done.\n  - text: And again.\n")
			return dial(b, w, "run", "--model", "script:say.yaml", "Do it")
		}},
	}
}

// kill leaves a run whose process died in a command, the first time it ran.
func (b *bench) kill() {
	b.t.Helper()
	model := b.script("kill.yaml", "shell", dict{"command": "test -e once || { touch once; sleep 60; }"})
	c := exec.Command("agent", "run", "--yolo", "--mode", "build", "--model", model, "Do it")
	c.Dir, c.Env = b.dir, b.environ()
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(20 * time.Second); ; {
		if _, err := os.Stat(filepath.Join(b.dir, "once")); err == nil {
			break
		}
		select {
		case <-tick.C:
		case <-limit:
			_ = c.Process.Kill()
			b.t.Fatal("the command never ran")
		}
	}
	_ = c.Process.Kill()
	_ = c.Wait() // it was killed
}

// leaving are the ways to leave a prompt without a decision.
func leaving() []struct {
	name string
	do   func(x *teletype, s scene)
} {
	signal := func(sig syscall.Signal) func(*teletype, scene) {
		return func(x *teletype, _ scene) { x.signal(sig) }
	}
	return []struct {
		name string
		do   func(x *teletype, s scene)
	}{
		{"ctrl-c", func(x *teletype, _ scene) { x.keys(ctrlC) }},
		{"ctrl-d", func(x *teletype, s scene) {
			if s.typed {
				x.keys("\x15") // behind words it is no end
			}
			x.insist(ctrlD, never)
		}},
		{"enter", func(x *teletype, s scene) {
			if s.typed {
				x.keys("\x15")
			}
			x.insist(enter, never)
		}},
		{"term", signal(syscall.SIGTERM)},
		{"hup", signal(syscall.SIGHUP)},
		{"int", signal(syscall.SIGINT)},
		{"hang-up", func(x *teletype, _ scene) { x.hangUp() }},
	}
}

// TestReport_row19_promptsLeft: elsewhere a stray newline, Ctrl-D or a paste
// approves what is on the screen, and the terminal is left without its cursor
// (row 20). Here the test leaves every prompt in every way, after keys were typed
// ahead, several lines were pasted with and without marks, and the terminal
// changed its size: nothing is ever decided. The terminal answers nothing.
func TestReport_row19_promptsLeft(t *testing.T) {
	t.Parallel()
	for _, s := range scenes() {
		for _, columns := range []int{60, 80, 160} {
			for _, way := range leaving() {
				t.Run(fmt.Sprintf("%s/%d/%s", s.name, columns, way.name), func(t *testing.T) {
					t.Parallel()
					b := newDesk(t)
					ahead := "approve\n" + down + enter + down + down + "\n y\n"
					x := s.begin(b, wired{columns: columns, mute: true, ahead: ahead})
					x.sees(s.ready)
					x.paste()
					x.resize(columns-7, 30)
					way.do(x, s)
					want := s.left
					if way.name == "enter" {
						want = s.enter
					}
					if way.name == "hang-up" {
						b.undecided(s, x.code(), want)
						return
					}
					b.undecided(s, x.exits(), want)
					x.sees(closing(s, want))
				})
			}
		}
	}
}

// closing is what a prompt that was left ends with.
func closing(s scene, code int) string {
	switch {
	case s.name == "message":
		return "<end>"
	case code == 2:
		return "the prompt is empty"
	case s.name == "task":
		return "Nothing was started."
	case s.name == "picker":
		return "agent resume RUNID"
	}
	return "\nnext:\n" // commands of any length
}

// paste sends what a person may have meant for another window: a command, then
// keys that would choose if they were pressed.
func (x *teletype) paste() {
	x.t.Helper()
	x.keys("approve this\n" + down + "yes\n\n")
	x.keys(pasteBegins + "make a\n" + down + "\n" + space + "\ny\n" + pasteEnds)
}

// undecided checks that a prompt that was left decided nothing.
func (b *bench) undecided(s scene, code, want int) {
	b.t.Helper()
	if code != want {
		b.t.Errorf("exit code %d, want %d", code, want)
	}
	if s.name == "task" {
		if r := b.run("list", "--output", "json"); !strings.Contains(r.out, `"runs":[]`) {
			b.t.Errorf("a run was started: %s", r.out)
		}
		return
	}
	shown := b.journal("latest")
	for _, e := range shown.Events {
		if e.Type == "tool-call-resumed" || e.Type == "user-message" || e.Type == "grant" {
			b.t.Errorf("the journal has a %s: %s", e.Type, e.Payload)
		}
	}
	if status := map[bool]string{true: "finished", false: "suspended"}[s.name == "message"]; shown.Status != status {
		b.t.Errorf("the run is %s, want %s", shown.Status, status)
	}
}

// journalled is what the tests read of show.
type journalled struct {
	Status string
	Mode   string
	Plan   struct{ Decision string }
	Events []struct {
		Type    string
		Payload json.RawMessage
	}
	Plans []struct {
		Revision                   int
		Author, Decision, Feedback string
		By, Via                    string
	}
}

func (b *bench) journal(run string) journalled {
	b.t.Helper()
	var shown journalled
	r := b.run("show", run, "--output", "json")
	if err := json.Unmarshal([]byte(r.out), &shown); err != nil {
		b.t.Fatalf("show: %v\n%s%s", err, r.out, r.err)
	}
	return shown
}

// answers are the answers in a journal, as "kind via: answer".
func (j journalled) answers(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, e := range j.Events {
		if e.Type != "tool-call-resumed" && e.Type != "user-message" {
			continue
		}
		var p struct {
			ToolName, Via, By, Text string
			N                       int
			Answer                  json.RawMessage
		}
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			t.Fatal(err)
		}
		if p.By != "tester@here" {
			t.Errorf("answered by %q", p.By)
		}
		all = append(all, fmt.Sprintf("%s %s: %s%s", p.ToolName, p.Via, p.Answer, p.Text))
	}
	return all
}

// TestPrompts_screens compares every prompt with its golden screen.
func TestPrompts_screens(t *testing.T) {
	t.Parallel()
	for _, s := range scenes() {
		for _, columns := range []int{60, 80, 160} {
			t.Run(fmt.Sprintf("%s/%d", s.name, columns), func(t *testing.T) {
				t.Parallel()
				x := s.begin(newDesk(t), wired{columns: columns})
				x.sees(s.ready)
				golden.Want(t, filepath.Join("testdata", "screens", fmt.Sprintf("%s-%d.screen", s.name, columns)), itemOf(x.screen()))
				x.keys(ctrlC)
				x.exits()
			})
		}
	}
}

// varying are the parts of a screen that differ from run to run.
var varying = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<run>"},
	{regexp.MustCompile(`(?m)[0-9a-f]{8}  `), "<run>  "},
	{regexp.MustCompile(`\b\d+(ms|s|µs)\b`), "<time>"},
}

var varyingColours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// itemOf is the part of a screen a prompt drew: without the line about the run,
// which names the workspace.
func itemOf(screen string) string {
	for _, v := range varying {
		screen = v.is.ReplaceAllString(screen, v.as)
	}
	if _, item, ok := strings.Cut(screen, "\n\n"); ok && strings.HasPrefix(screen, "run ") {
		return item
	}
	return screen
}
