//go:build linux || darwin

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// seat is a terminal on which a question arises, and what becomes of it.
type seat struct {
	name  string
	env   map[string]string
	flags []string
	blind bool              // stderr is no terminal
	do    func(x *teletype) // at the prompt; nil: there is none
	code  int
	words []string
	says  string // on stderr

	status string
	via    string // of the answer, "" for none
}

// seats are the situations with terminals on stdin and stderr, and what wins
// over them.
func seats() []seat {
	hello, decided := []string{"Hello."}, []string{"Hello.", "Then I decide."}
	key := func(k string) func(*teletype) { return func(x *teletype) { x.keys(k) } }
	const left, ci = "Nothing more was decided. Still open:", "CI is set: in mode "
	return []seat{
		{name: "answered", do: func(x *teletype) { x.takes(1) }, words: decided, status: "finished", via: "tty"},
		{name: "ctrl-c", do: key(ctrlC), code: 3, words: hello, says: left, status: "suspended"},
		{name: "ctrl-d", do: func(x *teletype) { x.insist(ctrlD, never) }, code: 3, words: hello, says: left, status: "suspended"},
		{name: "enter", do: func(x *teletype) { x.insist(enter, never) }, code: 3, words: hello, says: left, status: "suspended"},
		{name: "hang-up", do: (*teletype).hangUp, code: 3, words: hello, status: "suspended"},
		{name: "suspended-ok", flags: []string{"--suspended-ok"}, do: key(ctrlC), words: hello, says: left, status: "suspended"},

		{name: "stderr in a file", blind: true, code: 3, words: hello, status: "suspended"},
		{name: "CI, reads", env: map[string]string{"CI": "true"}, words: decided, says: ci + "plan", status: "finished"},
		{name: "CI, writes", env: map[string]string{"CI": "true"}, flags: []string{"--mode", "build"}, code: 3, words: hello, status: "suspended"},
		{name: "flag over CI", env: map[string]string{"CI": "true"}, flags: []string{"--on-question", "prompt"},
			do: func(x *teletype) { x.takes(1) }, words: decided, status: "finished", via: "tty"},
		{name: "variable over CI", env: map[string]string{"CI": "true", "AGENT_ON_QUESTION": "prompt"},
			do: key(ctrlC), code: 3, words: hello, says: left, status: "suspended"},
		{name: "variable over the terminal", env: map[string]string{"AGENT_ON_QUESTION": "suspend"}, code: 3, words: hello, status: "suspended"},
		{name: "flag over the variable", env: map[string]string{"AGENT_ON_QUESTION": "prompt"}, flags: []string{"--on-question", "fail"},
			code: 1, words: hello, says: "a person was needed", status: "failed"},
		{name: "fallback", flags: []string{"--non-interactive"}, words: decided, status: "finished"},
	}
}

// TestSituations_terminal holds what a question does on a terminal, with stdout
// in a pipe, in each output format.
func TestSituations_terminal(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for _, format := range outputFormats() {
		for _, s := range seats() {
			t.Run(format+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				s.holds(t, c, format)
			})
		}
	}
}

func (s seat) holds(t *testing.T, c *checker, format string) {
	t.Helper()
	b := newDesk(t)
	b.write("ask.yaml", `turns:
  - text: Hello.
    toolCalls: [{id: q, name: ask_user, args: {question: "Which?", options: [A, B]}}]
  - text: Then I decide.
`)
	out, errs := newFile(t), newFile(t)
	w := wired{columns: 100, env: s.env, stdout: out}
	if s.blind {
		w.stderr = errs
	}
	x := dial(b, w, append([]string{"run", "--model", "script:ask.yaml", "--output", format, "Do it"}, s.flags...)...)
	if s.do != nil {
		x.sees(skipQuestion)
		s.do(x)
	}
	wait := x.exits
	if s.name == "hang-up" { // nothing can be seen any more
		wait = x.code
	}
	if code := wait(); code != s.code {
		t.Errorf("exit code %d, want %d\n%s", code, s.code, x.said())
	}
	object, err := c.printed(format, contents(t, out), s.words, s.code)
	if err != nil {
		t.Error(err)
	}
	said := x.said() + contents(t, errs)
	if !strings.Contains(said, s.says) {
		t.Errorf("the terminal lacks %q:\n%s", s.says, said)
	}
	if prompted := strings.Contains(said, skipQuestion); prompted != (s.do != nil) {
		t.Errorf("a prompt was shown: %v\n%s", prompted, said)
	}
	s.left(b, object)
}

// left holds where the run then stands, by the word of another command.
func (s seat) left(b *bench, object map[string]any) {
	b.t.Helper()
	if now := b.journal("latest").Status; now != s.status || object != nil && object["status"] != s.status {
		b.t.Errorf("the run is %s, want %s; printed: %v", now, s.status, object["status"])
	}
	shown := b.run("show", "latest", "--output", "json").out
	if answered := strings.Contains(shown, `"via":"tty"`); answered != (s.via == "tty") {
		b.t.Errorf("answered at the terminal: %v\n%s", answered, shown)
	}
	if entries, err := os.ReadDir(b.dir); err != nil || len(entries) != 1 {
		b.t.Errorf("the workspace holds %v, want ask.yaml alone: %v", entries, err)
	}
}

func newFile(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func contents(t *testing.T, f *os.File) string {
	t.Helper()
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
