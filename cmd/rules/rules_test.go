package rules

import (
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/permission"
)

var known = []agent.Definition{
	{Name: "shell", Category: agent.CategoryExecute}, {Name: "edit_file", Category: agent.CategoryEdit},
	{Name: "read_file", Category: agent.CategoryRead}, {Name: "ask_user", Category: agent.CategoryInteract},
}

func TestCall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		words      []string
		tool       string
		want, args string // want "" is an error that says args
	}{
		{[]string{"shell(git push)"}, "", "shell", `{"command":"git push"}`},
		{[]string{"git", "commit", "-m", "a b"}, "", "shell", `{"command":"git commit -m 'a b'"}`},
		{[]string{"read(.env)"}, "", "read_file", `{"path":".env"}`},
		{[]string{"edit_file(a(1).md)"}, "", "edit_file", `{"path":"a(1).md"}`},
		{[]string{"make(it)"}, "", "shell", `{"command":"make(it)"}`},
		{[]string{"shell(git push"}, "", "shell", `{"command":"shell(git push"}`},
		{[]string{"read(.env)"}, "shell", "shell", `{"command":"read(.env)"}`},
		{nil, "ask_user", "ask_user", `{}`},
		{[]string{`{"question":"Why?"}`}, "ask_user", "ask_user", `{"question":"Why?"}`},
		{[]string{"Why?"}, "ask_user", "", "JSON object"},
		{[]string{" "}, "", "", "name a call"},
		{[]string{"x"}, "fly", "", `unknown tool "fly"`},
	} {
		req, err := Call(tt.words, tt.tool, known)
		switch {
		case tt.want == "":
			if err == nil || !strings.Contains(err.Error(), tt.args) || exit.Of(err) != exit.Usage {
				t.Errorf("%q: %v", tt.words, err)
			}
		case err != nil || req.Tool.Name != tt.want || string(req.Args) != tt.args:
			t.Errorf("%q: %s(%s), %v", tt.words, req.Tool.Name, req.Args, err)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{Ignored: []config.Ignored{{Key: "model"}, {Key: "permissions.allow", Line: 3}}}
	rule := &permission.Rule{Action: agent.ActionDeny, Text: "shell(git push)", Origin: "a file:1"}
	list := In(cfg, permission.Policy{Rules: []*permission.Rule{rule}, Yolo: true})
	if len(list.Ignored) != 1 || list.Ignored[0].Line != 3 {
		t.Errorf("ignored: %+v", list.Ignored)
	}
	if n := list.Table().Len(); n != 1+len(list.Categories) {
		t.Errorf("%d rows", n)
	}
	check := Of(agent.PermissionRequest{Tool: known[0]}, permission.Decision{
		Verdict: agent.Verdict{Action: agent.ActionDeny}, By: rule,
		Parts: []permission.Part{{What: "git push", Action: agent.ActionDeny, By: rule}, {What: "", Action: agent.ActionAsk}, {What: "ls", Action: agent.ActionAsk, Why: "commands are asked about"}},
	})
	if check.Rule.Origin != "a file:1" || len(check.Parts) != 2 || check.Parts[1].Rule != nil || check.Table().Len() != 2 {
		t.Errorf("check: %+v", check)
	}
}
