package script

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestParse_Errors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, yaml string
		line       int
		words      []string
	}{
		{"empty", "", 1, []string{"empty", "turns"}},
		{"a comment alone", "# nothing\n", 1, []string{"empty"}},
		{"no turns", "turns: []\n", 1, []string{"at least one turn"}},
		{"a list", "- text: a\n", 1, []string{"a script must be a mapping", "a list"}},
		{"unknown key of the file", "turns:\n  - text: a\nturn: b\n", 3, []string{`"turn"`, "allowed: turns"}},
		{"unknown key of a turn", "turns:\n  - text: a\n  - toolChalls: []\n", 3, []string{`"toolChalls"`, "turn 2", "toolCalls", "expect"}},
		{"unknown key of a call", "turns:\n  - toolCalls:\n      - name: a\n        arg: {}\n", 4, []string{`"arg"`, "name, args, id"}},
		{"unknown key of an error", "turns:\n  - error:\n      code: 500\n", 3, []string{`"code"`, "status, message"}},
		{"unknown key of usage", "turns:\n  - text: a\n    usage: {tokens: 1}\n", 3, []string{`"tokens"`, "inputTokens"}},
		{"a key given twice", "turns:\n  - text: a\n    text: b\n", 3, []string{"text", "already defined"}},
		{"an open string", "turns:\n  - text: a\n  - text: \"b\n", 3, []string{"double-quoted"}},
		{"wrong indentation", "turns:\n  - text: a\n foo: x\n", 3, []string{"not allowed"}},
		{"a tab", "turns:\n\t- text: a\n", 2, nil},
		{"text that is a number", "turns:\n  - text: 42\n", 2, []string{"text must be a string", "quote"}},
		{"text that is nothing", "turns:\n  - text:\n", 2, []string{"text must be a string", "nothing"}},
		{"a turn that is nothing", "turns:\n  -\n", 2, []string{"turn 1 must be a mapping"}},
		{"a turn that says nothing", "turns:\n  - text: a\n  - delay: 1s\n", 3, []string{"turn 2 says nothing"}},
		{"an error with a reply", "turns:\n  - error: {status: 500}\n    text: a\n", 2, []string{"turn 1", "next turn"}},
		{"calls that are no list", "turns:\n  - toolCalls: {name: a}\n", 2, []string{"toolCalls must be a list"}},
		{"a call without a name", "turns:\n  - toolCalls:\n      - args: {}\n", 3, []string{"needs a name"}},
		{"args that are a list", "turns:\n  - toolCalls:\n      - name: a\n        args: [1]\n", 4, []string{"args must be a mapping"}},
		{"an alias in args", "turns:\n  - toolCalls:\n      - name: a\n        args: {a: &x 1, b: *x}\n", 4, []string{"anchors"}},
		{"a merge in args", "turns:\n  - toolCalls:\n      - name: a\n        args:\n          <<: {a: 1}\n", 5, []string{"key"}},
		{"infinity in args", "turns:\n  - toolCalls:\n      - name: a\n        args:\n          a: .inf\n", 5, []string{".inf"}},
		{"a delay without a unit", "turns:\n  - text: a\n    delay: 3\n", 3, []string{"delay", "200ms"}},
		{"a negative delay", "turns:\n  - text: a\n    delay: -3s\n", 3, []string{"delay"}},
		{"a pattern at fault", "turns:\n  - text: a\n    expect: /(/\n", 3, []string{"expect", "missing closing )"}},
		{"a status that is none", "turns:\n  - error: {status: 200}\n", 2, []string{"status", "200"}},
		{"a status of letters", "turns:\n  - error: {status: bad}\n", 2, []string{"status"}},
		{"negative usage", "turns:\n  - text: a\n    usage:\n      inputTokens: -1\n", 4, []string{"inputTokens"}},
		{"an end that is none", "turns:\n  - text: a\n    end: later\n", 3, []string{"end", "cut", "refused"}},
		{"placeholders that are no boolean", "placeholders: maybe\nturns:\n  - text: a\n", 1, []string{"placeholders", "true or false"}},
		{"two documents", "turns: [{text: a}]\n---\nturns: [{text: b}]\n", 3, []string{"second document"}},
		{"many brackets", "turns:\n" + strings.Repeat("[", 100), 2, []string{"brackets"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			turns, err := parse("dir/t.yaml", []byte(tc.yaml))
			if err == nil {
				t.Fatalf("parse = %+v, want an error", turns)
			}
			if at := fmt.Sprintf("dir/t.yaml:%d: ", tc.line); !strings.HasPrefix(err.Error(), at) {
				t.Errorf("error %q does not begin with %q", err, at)
			}
			for _, w := range tc.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q lacks %q", err, w)
				}
			}
		})
	}
}

func TestParse_Turns(t *testing.T) {
	t.Parallel()
	turns, err := parse("t.yaml", []byte(`# a script
turns:
  - text: |
      two
      lines
    delay: 1m30s
    usage: {inputTokens: 12, outputTokens: 3}
  - error: {status: 429, message: slow down}
  - toolCalls:
      - name: ask_user
        args:
          question: Which?
          options: [{label: A, description: "x: y"}, B]
          n: 0x10
          f: 2.50
          none: ~
          yes: true
      - {name: other, id: ""}
      - {name: broken, id: mine, args: "{broken"}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(turns) != 3 {
		t.Fatalf("%d turns, want 3", len(turns))
	}
	if got := turns[0]; got.text != "two\nlines\n" || got.delay != 90*time.Second || got.line != 3 || got.usage != (agent.Usage{InputTokens: 12, OutputTokens: 3}) {
		t.Errorf("turn 1 = %+v", got)
	}
	if got := turns[1]; got.fault == nil || *got.fault != (fault{429, "slow down"}) || got.line != 8 {
		t.Errorf("turn 2 = %+v", got)
	}
	want := []call{
		{id: "call_1", name: "ask_user", args: `{"question":"Which?","options":[{"label":"A","description":"x: y"},"B"],"n":16,"f":2.5,"none":null,"yes":true}`},
		{id: "", name: "other", args: "{}"},
		{id: "mine", name: "broken", args: "{broken", raw: true},
	}
	for i, w := range want {
		if got := turns[2].calls[i]; got != w {
			t.Errorf("call %d = %+v, want %+v", i, got, w)
		}
	}
}

// Whatever is read plays without a panic, and its arguments are JSON.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "turns:\n  - text: a\n", "turns: [{toolCalls: [{name: a, args: {b: [1, 2.5, ~]}}]}]",
		"turns:\n- toolCalls:\n  - name: x\n    args: &a {b: *a}\n", "turns:\n  - text: |\n      a\n  - error: {status: 500}\n",
		"? a\n: b\n", "!!binary x", "a: &a [*a]", "turns:\n  - args: \"{{answer}}\"\n", "%YAML 1.2\n---\n", "- - - -", "{{{{", "turns: >\n", "a: 'b", "<<: *x",
	} {
		f.Add([]byte(seed))
	}
	req := agent.Request{RunID: "r", Workspace: `/w"\`, Messages: []agent.Message{
		{Role: agent.RoleTool, Outputs: []agent.ToolOutput{{Name: "ask_user", Content: answered + "\"}\n\x00"}}},
	}}
	f.Fuzz(func(t *testing.T, data []byte) {
		turns, err := parse("f.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.yaml:") {
				t.Errorf("error %q names no line", err)
			}
			return
		}
		for _, one := range turns {
			_ = one.expected(req, placeholders(req))
			for _, c := range one.reply(placeholders(req)).ToolCalls {
				if !json.Valid(c.Args) {
					t.Errorf("arguments of %s are no JSON: %s", c.Name, c.Args)
				}
			}
		}
	})
}
