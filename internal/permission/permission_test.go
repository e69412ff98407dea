package permission

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

func request(name string, c agent.Category, args string, grants ...string) agent.PermissionRequest {
	return agent.PermissionRequest{
		Tool: agent.Definition{Name: name, Category: c}, Args: json.RawMessage(args), Grants: grants,
	}
}

func TestPolicy_Decide(t *testing.T) {
	t.Parallel()
	deploy := exact("deploy", json.RawMessage(`{"to":"live"}`))
	tests := []struct {
		name string
		yolo bool
		req  agent.PermissionRequest
		want agent.Action
		rule string
	}{
		{"reading", false, request("read_file", agent.CategoryRead, `{"path":"a"}`), agent.ActionAllow, ""},
		{"editing", false, request("write_file", agent.CategoryEdit, `{"path":"a"}`), agent.ActionAllow, ""},
		{"asking", false, request("ask_user", agent.CategoryInteract, `{}`), agent.ActionAllow, ""},
		{"a command", false, request("shell", agent.CategoryExecute, `{"command":"ls"}`), agent.ActionAsk, "shell(ls)"},
		{"a granted command", false, request("shell", agent.CategoryExecute, `{"command":"ls"}`, "shell(pwd)", "shell(ls)"), agent.ActionAllow, ""},
		{"granted with another time-out", false, request("shell", agent.CategoryExecute, `{"command":"ls","timeout":5}`, "shell(ls)"), agent.ActionAllow, ""},
		{"another command is not granted", false, request("shell", agent.CategoryExecute, `{"command":"ls; rm x"}`, "shell(ls)"), agent.ActionAsk, "shell(ls; rm x)"},
		{"nor one that differs by a space", false, request("shell", agent.CategoryExecute, `{"command":"ls "}`, "shell(ls)"), agent.ActionAsk, "shell(ls )"},
		{"a second command hides", false, request("shell", agent.CategoryExecute, `{"command":"ls","Command":"rm x"}`, "shell(ls)", "shell(rm x)"), agent.ActionAsk, ""},
		{"arguments that are none", false, request("shell", agent.CategoryExecute, `"{broken"`, "", "shell()"), agent.ActionAsk, ""},
		{"no category", false, request("deploy", "", `{"to":"live"}`), agent.ActionAsk, deploy},
		{"no category, granted", false, request("deploy", "", `{ "to": "live" }`, deploy), agent.ActionAllow, ""},
		{"other arguments", false, request("deploy", "", `{"to":"test"}`, deploy), agent.ActionAsk, exact("deploy", json.RawMessage(`{"to":"test"}`))},
		{"another tool", false, request("shell", agent.CategoryExecute, `{"command":"deploy"}`, deploy, "deploy"), agent.ActionAsk, "shell(deploy)"},
		{"yolo", true, request("shell", agent.CategoryExecute, `{"command":"ls"}`), agent.ActionAllow, ""},
		{"yolo, no category", true, request("deploy", "", `{}`), agent.ActionAllow, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := Policy{Yolo: tc.yolo}.Decide(tc.req)
			if got.Action != tc.want || got.Rule != tc.rule {
				t.Errorf("verdict = %+v, want %s with rule %q", got, tc.want, tc.rule)
			}
			if got.Action == agent.ActionAsk && got.Reason == "" {
				t.Error("it asks without a reason")
			}
		})
	}
}

// TestPolicy_categories: what is configured decides on its category alone; a
// question is never gated.
func TestPolicy_categories(t *testing.T) {
	t.Parallel()
	p := Policy{Read: agent.ActionDeny, Edit: agent.ActionAsk, Execute: agent.ActionAllow}
	write := request("write_file", agent.CategoryEdit, `{"path":"a"}`)
	granted := write
	granted.Grants = []string{exact("write_file", write.Args)}
	tests := []struct {
		name string
		p    Policy
		req  agent.PermissionRequest
		want agent.Action
	}{
		{"denied", p, request("read_file", agent.CategoryRead, `{}`), agent.ActionDeny},
		{"asked about", p, write, agent.ActionAsk},
		{"asked about and granted", p, granted, agent.ActionAllow},
		{"allowed", p, request("shell", agent.CategoryExecute, `{"command":"ls"}`), agent.ActionAllow},
		{"asking a person", p, request("ask_user", agent.CategoryInteract, `{}`), agent.ActionAllow},
		{"no category", p, request("deploy", "", `{}`), agent.ActionAsk},
		{"denied, granted before", Policy{Edit: agent.ActionDeny}, granted, agent.ActionDeny},
		{"yolo for one invocation", Policy{Yolo: true, Edit: agent.ActionDeny}, write, agent.ActionAllow},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := tc.p.Decide(tc.req)
			if got.Action != tc.want || got.Action != agent.ActionAllow && got.Reason == "" {
				t.Errorf("verdict = %+v, want %s with its reason", got, tc.want)
			}
		})
	}
}

func TestExact(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tool, args, want string }{
		{"parentheses", "shell", `{"command":"(cd a) && f()"}`, "shell((cd a) && f())"},
		{"a star is no pattern", "shell", `{"command":"rm *.o"}`, `shell(rm \*.o)`},
		{"a backslash stays one", "shell", `{"command":"echo \\*"}`, `shell(echo \\\*)`},
		{"lines", "shell", `{"command":"a\nb"}`, "shell(a\nb)"},
		{"no command", "shell", `{"timeout":1}`, ""},
		{"an empty command", "shell", `{"command":""}`, ""},
		{"a command twice", "shell", `{"command":"a","command":"a"}`, ""},
		{"a command of another case", "shell", `{"Command":"a"}`, ""},
		{"a command that is a number", "shell", `{"command":1}`, ""},
		{"half an object", "shell", `{"command":"a"`, ""},
		{"no JSON", "deploy", `{`, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := exact(tc.tool, json.RawMessage(tc.args)); got != tc.want {
				t.Errorf("Exact = %q, want %q", got, tc.want)
			}
		})
	}
	if got := exact("deploy", json.RawMessage(`{}`)); !strings.HasPrefix(got, "deploy(sha256:") || !strings.HasSuffix(got, ")") {
		t.Errorf("Exact = %q, want deploy(sha256:…)", got)
	}
}
