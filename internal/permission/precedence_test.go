package permission

import (
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// precedence says which of several rules wins: rules, one call, the action, and
// the text of the rule that decided, "" for none.
var precedence = []struct {
	name, rules, tool, what string
	want                    agent.Action
	by                      string
}{
	// Categories, where no rule is about the call.
	{"reading", "", "read_file", "a.go", agent.ActionAllow, ""},
	{"editing", "", "edit_file", "a.go", agent.ActionAllow, ""},
	{"commands", "", "shell", "ls", agent.ActionAsk, ""},
	{"tasks", "", "tasks", `{}`, agent.ActionAllow, ""},
	{"a tool of no category", "", "deploy", `{}`, agent.ActionAsk, ""},
	{"a rule about another tool", "deny write_file", "edit_file", "a.go", agent.ActionAllow, ""},
	{"a rule about another category", "deny edit", "read_file", "a.go", agent.ActionAllow, ""},
	{"a rule about another path", "deny edit(docs/**)", "edit_file", "src/a.go", agent.ActionAllow, ""},
	{"a rule about another command", "deny shell(rm)", "shell", "ls", agent.ActionAsk, ""},
	{"allowing another command", "allow shell(make)", "shell", "ls", agent.ActionAsk, ""},

	// One rule.
	{"allow a tool", "allow shell", "shell", "rm -r x", agent.ActionAllow, "shell"},
	{"allow a category", "allow execute", "shell", "rm -r x", agent.ActionAllow, "execute"},
	{"allow all of a tool by a star", "allow shell(*)", "shell", "rm -r x; $X", agent.ActionAllow, "shell(*)"},
	{"allow a category by a star", "allow execute(*)", "shell", "ls", agent.ActionAllow, "execute(*)"},
	{"allow a command of a category", "allow execute(ls)", "shell", "ls", agent.ActionAllow, "execute(ls)"},
	{"ask about a tool", "ask edit_file", "edit_file", "a.go", agent.ActionAsk, "edit_file"},
	{"ask about a category", "ask edit", "write_file", "a.go", agent.ActionAsk, "edit"},
	{"ask about a path", "ask edit(go.mod)", "edit_file", "go.mod", agent.ActionAsk, "edit(go.mod)"},
	{"deny a tool", "deny shell", "shell", "ls", agent.ActionDeny, "shell"},
	{"deny a category", "deny read", "search_text", `{"pattern":"x"}`, agent.ActionDeny, "read"},
	{"deny a path", "deny read(.env)", "read_file", ".env", agent.ActionDeny, "read(.env)"},
	{"deny a tool of no category", "deny deploy", "deploy", `{"to":"live"}`, agent.ActionDeny, "deploy"},
	{"allow a tool of no category", "allow deploy", "deploy", `{"to":"live"}`, agent.ActionAllow, "deploy"},
	{"ask about tasks", "ask tasks", "tasks", `{}`, agent.ActionAsk, "tasks"},

	// Deny over ask over allow, whatever stands first and whatever is narrower.
	{"deny over allow", "allow shell(rm *)\ndeny shell(rm)", "shell", "rm x", agent.ActionDeny, "shell(rm)"},
	{"deny over allow, the other way round", "deny shell(rm)\nallow shell(rm *)", "shell", "rm x", agent.ActionDeny, "shell(rm)"},
	{"deny over ask", "ask shell(rm)\ndeny shell(rm)", "shell", "rm x", agent.ActionDeny, "shell(rm)"},
	{"ask over allow", "allow shell(git *)\nask shell(git commit)", "shell", "git commit -m x", agent.ActionAsk, "shell(git commit)"},
	{"ask over allow, the other way round", "ask shell(git commit)\nallow shell(git *)", "shell", "git commit -m x", agent.ActionAsk, "shell(git commit)"},
	{"ask in general over allow in particular", "ask shell(git)\nallow shell(git status)", "shell", "git status", agent.ActionAsk, "shell(git)"},
	{"deny in general over allow in particular", "deny edit\nallow edit(docs/**)", "edit_file", "docs/a.md", agent.ActionDeny, "edit"},
	{"deny a category over allow a tool", "deny execute\nallow shell", "shell", "ls", agent.ActionDeny, "execute"},
	{"ask a tool over allow a category", "allow edit\nask write_file", "write_file", "a", agent.ActionAsk, "write_file"},
	{"and not the tool beside it", "allow edit\nask write_file", "edit_file", "a", agent.ActionAllow, "edit"},
	{"all three", "allow edit(docs/**)\nask edit(docs/api/**)\ndeny edit(docs/api/v1/**)", "edit_file", "docs/api/v1/a", agent.ActionDeny, "edit(docs/api/v1/**)"},
	{"the second of them", "allow edit(docs/**)\nask edit(docs/api/**)\ndeny edit(docs/api/v1/**)", "edit_file", "docs/api/v2/a", agent.ActionAsk, "edit(docs/api/**)"},
	{"the third of them", "allow edit(docs/**)\nask edit(docs/api/**)\ndeny edit(docs/api/v1/**)", "edit_file", "docs/a", agent.ActionAllow, "edit(docs/**)"},
	{"of two that allow the first is named", "allow shell(ls *)\nallow shell(ls -*)", "shell", "ls -l", agent.ActionAllow, "shell(ls *)"},

	// Rules before the category.
	{"allow where the category asks", "category execute ask\nallow shell(ls)", "shell", "ls", agent.ActionAllow, "shell(ls)"},
	{"allow where the category denies", "category execute deny\nallow shell(ls)", "shell", "ls", agent.ActionAllow, "shell(ls)"},
	{"and deny the rest", "category execute deny\nallow shell(ls)", "shell", "ls; make", agent.ActionDeny, ""},
	{"ask where the category allows", "category execute allow\nask shell(make)", "shell", "make", agent.ActionAsk, "shell(make)"},
	{"ask about what it may be", "category execute allow\nask shell(make)", "shell", "ls; $X", agent.ActionAsk, "shell(make)"},
	{"what is surely something else", "category execute allow\nask shell(make)", "shell", "ls | wc", agent.ActionAllow, ""},
	{"ask where the category denies", "category edit deny\nask edit(docs/**)", "edit_file", "docs/a", agent.ActionAsk, "edit(docs/**)"},
	{"deny where the category allows", "category execute allow\ndeny shell(rm)", "shell", "ls; rm x", agent.ActionDeny, "shell(rm)"},
	{"reading that the category asks about", "category read ask\nallow read(docs/**)", "read_file", "docs/a", agent.ActionAllow, "read(docs/**)"},
	{"and reading elsewhere", "category read ask\nallow read(docs/**)", "read_file", "src/a", agent.ActionAsk, ""},
	{"a redirection where the category allows", "category execute allow\ndeny shell(rm)", "shell", "ls > out", agent.ActionAllow, ""},

	// Grants of the run.
	{"granted, where the category asks", "grant shell(ls)", "shell", "ls", agent.ActionAllow, ""},
	{"another command was granted", "grant shell(ls)", "shell", "ls -l", agent.ActionAsk, ""},
	{"a grant over a rule that asks", "grant shell(git push)\nask shell(git push)", "shell", "git push", agent.ActionAllow, ""},
	{"deny over a grant", "grant shell(rm x)\ndeny shell(rm)", "shell", "rm x", agent.ActionDeny, "shell(rm)"},
	{"a category that denies over a grant", "grant shell(ls)\ncategory execute deny", "shell", "ls", agent.ActionDeny, ""},
	{"a grant is no pattern", "grant shell(ls *)", "shell", "ls -l", agent.ActionAsk, ""},
	{"a grant over what might be denied", "grant shell($X y)\ndeny shell(rm)", "shell", "$X y", agent.ActionAllow, ""},
	{"the file was granted", "category edit ask\ngrant edit(docs/a.md)", "write_file", "docs/a.md", agent.ActionAllow, ""},
	{"another file was granted", "category edit ask\ngrant edit(docs/a.md)", "write_file", "docs/b.md", agent.ActionAsk, ""},

	// Yolo.
	{"yolo over the category", "yolo", "shell", "rm -r x", agent.ActionAllow, ""},
	{"yolo over a category that denies", "yolo\ncategory execute deny", "shell", "ls", agent.ActionAllow, ""},
	{"yolo over a rule that asks", "yolo\nask shell(git push)", "shell", "git push", agent.ActionAllow, ""},
	{"deny over yolo", "yolo\ndeny shell(git push)", "shell", "git push", agent.ActionDeny, "shell(git push)"},
	{"deny over yolo, in a list", "yolo\ndeny shell(git push)", "shell", "ls; git push", agent.ActionDeny, "shell(git push)"},
	{"deny a path over yolo", "yolo\ndeny edit(docs/**)", "write_file", "docs/a", agent.ActionDeny, "edit(docs/**)"},
	{"what might be denied is asked about under yolo", "yolo\ndeny shell(git push)", "shell", "git $X", agent.ActionAsk, "shell(git push)"},
	{"what cannot be denied is not", "yolo\ndeny shell(git push)", "shell", "git status $X", agent.ActionAllow, ""},
	{"yolo, a tool of no category", "yolo", "deploy", `{}`, agent.ActionAllow, ""},
}

func TestPolicy_precedence(t *testing.T) {
	t.Parallel()
	if len(precedence) < 60 {
		t.Fatalf("%d rows, want 60", len(precedence))
	}
	for _, tc := range precedence {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, req := circumstances(t, tc.rules, calling(t, tc.tool, tc.what))
			d := p.Explain(req)
			by := ""
			if d.By != nil {
				by = d.By.Text
			}
			if d.Action != tc.want || by != tc.by || d.Reason == "" {
				t.Errorf("%s by %q (%s), want %s by %q", d.Action, by, d.Reason, tc.want, tc.by)
			}
			if (d.Rule != "") != (d.Action == agent.ActionAsk) {
				t.Errorf("%s offers %q", d.Action, d.Rule)
			}
			if v := p.Decide(req); v != d.Verdict {
				t.Errorf("Decide says %+v, Explain %+v", v, d.Verdict)
			}
		})
	}
}

// circumstances reads rules, and "yolo", "grant RULE", "category NAME ACTION".
func circumstances(t *testing.T, lines string, req agent.PermissionRequest) (Policy, agent.PermissionRequest) {
	t.Helper()
	var p Policy
	var rules []string
	for _, line := range strings.Split(lines, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "yolo":
			p.Yolo = true
		case "grant":
			req.Grants = append(req.Grants, rest)
		case "category":
			name, action, _ := strings.Cut(rest, " ")
			*map[string]*agent.Action{"read": &p.Read, "edit": &p.Edit, "execute": &p.Execute}[name] = agent.Action(action)
		default:
			rules = append(rules, line)
		}
	}
	p.Rules = rulesOf(t, strings.Join(rules, "\n"))
	return p, req
}

// TestPolicy_ambiguousArguments: arguments of which a decoder may read one
// value and another one the other are allowed by no pattern, and denied by one.
func TestPolicy_ambiguousArguments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rules, tool, args string
		want              agent.Action
	}{
		{"allow shell(ls)", "shell", `{"command":"ls","command":"ls"}`, agent.ActionAsk},
		{"allow shell(ls)", "shell", `{"Command":"ls"}`, agent.ActionAsk},
		{"allow shell(ls)", "shell", `{"command":["ls"]}`, agent.ActionAsk},
		{"allow shell(ls)", "shell", `{"cmd":"ls"}`, agent.ActionAsk},
		{"allow shell(ls)\ndeny shell(rm)", "shell", `{"command":"ls","Command":"rm x"}`, agent.ActionDeny},
		{"allow shell(ls)\ndeny shell(rm)", "shell", `{"command":"rm x","command":"ls"}`, agent.ActionDeny},
		{"yolo\ndeny shell(rm)", "shell", `{"COMMAND":"rm x"}`, agent.ActionDeny},
		{"yolo\ndeny shell(rm)", "shell", `{}`, agent.ActionAsk},
		{"category edit ask\nallow edit(docs/**)", "edit_file", `{"path":"docs/a","path":"main.go"}`, agent.ActionAsk},
		{"category edit ask\nallow edit(docs/**)", "edit_file", `{"Path":"docs/a"}`, agent.ActionAsk},
		{"category edit ask\nallow edit(docs/**)", "edit_file", `{"path":"docs/a"}`, agent.ActionAllow},
		{"deny edit(docs/**)", "edit_file", `{"path":"main.go","PATH":"docs/a"}`, agent.ActionDeny},
		{"deny edit(docs/**)", "edit_file", `{}`, agent.ActionAllow},
		{"category edit ask\nallow edit(docs/**)", "edit_file", `{}`, agent.ActionAsk},
		{"allow shell(ls)", "shell", `nonsense`, agent.ActionAsk},
	}
	for _, tc := range tests {
		p, req := circumstances(t, tc.rules, calling(t, tc.tool, "x"))
		req.Args = []byte(tc.args)
		if got := p.Decide(req); got.Action != tc.want {
			t.Errorf("%s: %s: %s (%s), want %s", tc.rules, tc.args, got.Action, got.Reason, tc.want)
		}
	}
}

// TestPolicy_foreignShell: commands of a shell that is not read are allowed by
// no pattern, and what a rule might deny is asked about.
func TestPolicy_foreignShell(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rules, command string
		want           agent.Action
	}{
		{"allow shell(dir *)", "dir", agent.ActionAsk},
		{"allow shell", "dir", agent.ActionAllow},
		{"allow shell(*)", "dir", agent.ActionAllow},
		{"allow shell(dir /b)", "dir /b", agent.ActionAllow}, // the whole line
		{"allow shell(*)\ndeny shell(del)", "dir", agent.ActionAsk},
		{"yolo", "del x", agent.ActionAllow},
		{"deny shell", "dir", agent.ActionDeny},
	}
	for _, tc := range tests {
		p, req := circumstances(t, tc.rules, calling(t, "shell", tc.command))
		p.Foreign = true
		if got := p.Decide(req); got.Action != tc.want {
			t.Errorf("%s: %s: %s (%s), want %s", tc.rules, tc.command, got.Action, got.Reason, tc.want)
		}
	}
}
