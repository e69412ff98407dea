package permission

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestParser_Parse(t *testing.T) {
	t.Parallel()
	good := []string{
		"shell", " shell ", "shell(ls)", "shell(go test *)", "shell((cd a) && f())", `shell(rm \*.o)`, `shell(echo 'a b' "c")`,
		"execute", "execute(make)", "edit", "edit(docs/**)", "read(.env)", "write_file(a)", "read(/etc/**)", "read(~/notes/*)",
		"edit({a,b}/[a-z]?.md)", "edit(docs/)", "tasks", "deploy", "shell(sha256:" + strings.Repeat("0a", 32) + ")", "deploy(sha256:" + strings.Repeat("0a", 32) + ")",
		"shell(a\nb)", "shell(*)",
	}
	for _, text := range good {
		r, err := Parser{Tools: knownTools(), Home: "/home/ann"}.Parse(agent.ActionAllow, text, "here")
		if err != nil || r.Text != strings.TrimSpace(text) || r.Origin != "here" {
			t.Errorf("Parse(%q) = %+v, %v", text, r, err)
		}
	}
	bad := []struct{ text, want string }{
		{"", "no tool is named"},
		{"   ", "no tool is named"},
		{"(ls)", "no tool is named"},
		{"shel(ls)", `"shel" is no tool and no category: use read, edit, execute, read_file`},
		{"Shell(ls)", `"Shell" is no tool`},
		{"shell (ls)", `"shell " is no tool`},
		{"shell(ls", "does not end with a parenthesis"},
		{"shell(ls) ;", "does not end with a parenthesis"},
		{"shell)", `"shell)" is no tool`},
		{"shell()", "its pattern is empty: write shell alone"},
		{"shell( )", "its pattern is empty"},
		{"shell(it's)", "a quote is not closed"},
		{`shell(a\)`, "ends with a backslash"},
		{"edit([a)", "no pattern of paths"},
		{"edit(../a)", "holds .."},
		{"edit(a/../b)", "holds .."},
		{"edit(a\x00b)", "control characters"},
		{"ask_user", "asks a person"},
		{"submit_plan(x)", "asks a person"},
		{"interact", `"interact" is no tool`},
		{"deploy(live)", "write deploy alone"},
		{"tasks(x)", "neither commands nor paths"},
		{"*", `"*" is no tool`},
		{"shell(" + strings.Repeat("x", maxRule) + ")", "at most"},
	}
	for _, tc := range bad {
		if r, err := (Parser{Tools: knownTools()}).Parse(agent.ActionDeny, tc.text, ""); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("Parse(%.40q) = %v, %v; want %q", tc.text, r, err, tc.want)
		}
	}
	if _, err := (Parser{}).Parse(agent.ActionDeny, "read(~/x)", ""); err == nil {
		t.Error("~/ without a home directory is taken")
	}
}

// TestParser_exact: what Exact writes for a command, read as a rule, allows
// that command and none that differs.
func TestParser_exact(t *testing.T) {
	t.Parallel()
	commands := []string{"ls", "ls; rm x", "rm *.o", `echo \*`, "go test ./... && go vet", "(cd a) && f()", "a\nb", "echo $X > y", "ls  -l", `sh -c "x y"`}
	for _, c := range commands {
		args, _ := json.Marshal(map[string]string{"command": c})
		p := Policy{Rules: allowing(t, exact("shell", args))}
		for _, other := range append(commands, c+" x", "x "+c, c+"; rm y", c+" > z", "$(rm y) "+c) {
			want := agent.ActionAsk
			if other == c || strings.Join(strings.Fields(other), " ") == c {
				want = agent.ActionAllow
			}
			if got := p.Decide(calling(t, "shell", other)); got.Action != want {
				t.Errorf("rule for %q: %q is %s (%s), want %s", c, other, got.Action, got.Reason, want)
			}
		}
	}
}

func allowing(t *testing.T, text string) []*Rule {
	t.Helper()
	r, err := Parser{Tools: knownTools()}.Parse(agent.ActionAllow, text, "")
	if err != nil {
		t.Fatal(err)
	}
	return []*Rule{r}
}

// FuzzParser_Parse: no text breaks the parser, a rule that was read can be read
// again, and a rule decides on any command without harm.
func FuzzParser_Parse(f *testing.F) {
	for _, seed := range []string{"shell(go test *)", "edit(docs/**)", "read(.env)", `shell(a\ b 'c' "d")`, "deploy(sha256:00)", "shell((", "edit([", "execute(*)", "read(~/**)"} {
		f.Add(seed, "ls; rm x")
	}
	f.Fuzz(func(t *testing.T, text, command string) {
		p := Parser{Tools: knownTools(), Home: "/home/ann"}
		r, err := p.Parse(agent.ActionDeny, text, "")
		if err != nil {
			return
		}
		if _, err := p.Parse(agent.ActionDeny, r.Text, ""); err != nil {
			t.Errorf("%q is read, %q is not: %v", text, r.Text, err)
		}
		for _, tool := range []string{"shell", "edit_file", "search_text"} {
			d := Policy{Rules: []*Rule{r}}.Explain(calling(t, tool, command))
			if d.Reason == "" {
				t.Errorf("%q on %q: %+v", text, command, d)
			}
		}
	})
}

// FuzzReadLine: any command line is read, whatever it holds. One that is
// allowed where only ls is allowed says ls.
func FuzzReadLine(f *testing.F) {
	for _, tc := range corpus {
		if len(tc.line) < 200 {
			f.Add(tc.line)
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		p := Policy{Rules: rulesOf(t, "allow shell(ls *)")}
		d := p.Explain(calling(t, "shell", line))
		if d.Action == agent.ActionDeny || d.Reason == "" {
			t.Errorf("%q: %+v", line, d)
		}
		for _, part := range d.Parts {
			if d.Action == agent.ActionAllow && part.Action != agent.ActionAllow {
				t.Errorf("%q is allowed, %+v is not", line, part)
			}
		}
	})
}

// TestPatternWord_fits holds the matcher against a slow one that is plainly
// right.
func TestPatternWord_fits(t *testing.T) {
	t.Parallel()
	var slow func(w []rune, s []rune) bool
	slow = func(w, s []rune) bool {
		switch {
		case len(w) == 0:
			return len(s) == 0
		case w[0] == star:
			return slow(w[1:], s) || len(s) > 0 && slow(w, s[1:])
		}
		return len(s) > 0 && w[0] == s[0] && slow(w[1:], s[1:])
	}
	letters := []rune{'a', 'b', star}
	var words [][]rune
	for n := range 81 * 4 {
		var w []rune
		for x := n; x > 0; x /= 3 {
			w = append(w, letters[x%3])
		}
		words = append(words, w)
	}
	for _, w := range words {
		for _, s := range words {
			if text := string(s); !strings.ContainsRune(text, '\uFFFD') {
				if got, want := patternWord(w).fits(text), slow(w, s); got != want {
					t.Fatalf("%q fits %q: %t, want %t", w, text, got, want)
				}
			}
		}
	}
}

// TestDocs holds the rules of docs/permissions.md against the parser.
func TestDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/permissions.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?:`|')((?:shell|edit|read|execute|deploy)\\([^`']*\\))(?:`|')").FindAllStringSubmatch(string(page), -1)
	for _, m := range found {
		if strings.Contains(m[1], "PATTERN") || strings.Contains(m[1], "…") {
			continue
		}
		if _, err := (Parser{Tools: knownTools(), Home: "/home/ann"}).Parse(agent.ActionAllow, m[1], ""); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	if len(found) < 8 {
		t.Errorf("%d rules found", len(found))
	}
}
