package doctor

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/runstore"
)

func TestExamination(t *testing.T) {
	t.Parallel()
	mask := func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	x := New()
	x.Add("program", []Check{Passed("version", "1.0")}, mask)
	x.Add("models", []Check{Warned("keys", "set one", "none but %s", "hunter2")}, mask)
	if !x.OK {
		t.Error("a warning counts as a failure")
	}
	x.Add("database", []Check{Failed("path", "not hunter2\nbut another", "locked\nby \x1b[2Jsomebody")}, mask)
	if x.OK {
		t.Error("a failure does not count")
	}
	for quiet, want := range map[bool]string{
		false: "program\n  ok    version       1.0\nmodels\n  warn  keys          none but ***\n        set one\n" +
			"database\n  fail  path          locked by somebody\n        not ***\n        but another\n1 ok, 1 warned, 1 failed\n",
		true: "models\n  warn  keys          none but ***\n        set one\n" +
			"database\n  fail  path          locked by somebody\n        not ***\n        but another\n1 ok, 1 warned, 1 failed\n",
	} {
		var out bytes.Buffer
		if err := x.Show(&screen.Screen{Writer: &text.Writer{W: &out}}, quiet); err != nil || out.String() != want {
			t.Errorf("quiet %t: %v\n%s", quiet, err, out.String())
		}
	}
}

// states are the names of checks with how they went.
func states(checks []Check) string {
	var list []string
	for _, c := range checks {
		list = append(list, c.Name+" "+c.Status)
	}
	return strings.Join(list, ", ")
}

func TestInspected(t *testing.T) {
	t.Parallel()
	for want, i := range map[string]runstore.Inspection{
		"size ok, schema ok, integrity ok, journal ok":     {Size: 1 << 21, Schema: 3, Known: 3, Journal: "wal"},
		"size ok, schema ok, integrity fail, journal warn": {Schema: 2, Known: 3, Journal: "delete", Damage: "page 7"},
	} {
		if got := states(inspected(i)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestSandbox(t *testing.T) {
	t.Parallel()
	got := states(Sandbox(sandbox.Report{
		Engine: sandbox.None, Enforced: []string{"children end"}, NotEnforced: []string{"writing"}, Tried: []sandbox.Attempt{{Engine: "x", Reason: "is not installed"}},
	}))
	if want := "engine warn, enforced ok, not enforced warn, tried warn"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]Terminal{
		`none of stdin, stdout and stderr is a terminal, TERM "", nobody can be asked here: a question suspends the run, off`: {},
		`stdin, stderr on a terminal of 80 columns, TERM "xterm", you are asked where a question arises, on`:                  {Streams: []string{"stdin", "stderr"}, Columns: 80, Term: "xterm", Asks: true, Colours: true},
		`stdin on a terminal, TERM "", CI is set: nobody is asked in modes that cannot write the workspace, off`:              {Streams: []string{"stdin"}, CI: true, Asks: true},
	} {
		var words []string
		for _, c := range at.Checks() {
			words = append(words, c.Detail)
		}
		if got := strings.Join(words, ", "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
