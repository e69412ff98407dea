package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

func open(t *testing.T, yaml string) *Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ask ranges over a stream and checks that it keeps the contract of agent.Model.
func ask(t *testing.T, m *Model, req agent.Request) (agent.Reply, error) {
	t.Helper()
	var reply *agent.Reply
	var fault error
	var text strings.Builder
	for c, err := range m.Stream(t.Context(), req) {
		if reply != nil || fault != nil {
			t.Fatal("the stream goes on after its end")
		}
		reply, fault = c.Reply, err
		text.WriteString(c.Text)
	}
	if fault != nil {
		return agent.Reply{}, fault
	}
	if reply == nil || reply.Text != text.String() {
		t.Fatalf("reply = %+v after deltas %q", reply, text.String())
	}
	return *reply, nil
}

func TestModel_ChoosesTurn(t *testing.T) {
	t.Parallel()
	m := open(t, `turns:
  - error: {status: 500, message: first}
  - text: one
  - text: two
  - error: {status: 503, message: second}
  - error: {message: third}
  - text: three
  - error: {status: 429, message: fourth}
  - error: {status: 401, message: last}
`)
	tests := []struct {
		turn, faults int
		want         string
		retryable    bool
	}{
		{0, 0, "provider answered 500: first", true},
		{0, 1, "one", false},
		{0, 9, "one", false},
		{1, 0, "two", false},
		{1, 1, "two", false},
		{2, 0, "provider answered 503: second", true},
		{2, 1, "provider: third", true},
		{2, 2, "three", false},
		{3, 0, "provider answered 429: fourth", true},
		{3, 1, "provider answered 401: last", false},
		{3, 2, "provider answered 401: last", false},
		{3, 99, "provider answered 401: last", false},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprintf("%d after %d faults", tc.turn, tc.faults), func(t *testing.T) {
			t.Parallel()
			reply, err := ask(t, m, agent.Request{Turn: tc.turn, Faults: tc.faults})
			got := reply.Text
			var fault *agent.ProviderError
			if errors.As(err, &fault) {
				got = fault.Error()
				if fault.Retryable != tc.retryable {
					t.Errorf("retryable = %v, want %v", fault.Retryable, tc.retryable)
				}
				if fault.Status == 401 && fault.Hint == "" {
					t.Error("401 comes without a remedy")
				}
			}
			if got != tc.want {
				t.Errorf("got %q (%v), want %q", got, err, tc.want)
			}
		})
	}
}

func TestModel_NoTurnLeft(t *testing.T) {
	t.Parallel()
	m := open(t, "turns:\n  - text: one\n  - error: {status: 500}\n  - text: two\n")
	for _, turn := range []int{2, 3, 50} {
		_, err := ask(t, m, agent.Request{Turn: turn})
		var fault *agent.ProviderError
		if err == nil || errors.As(err, &fault) {
			t.Fatalf("turn %d: %v, want an ordinary error", turn, err)
		}
		for _, w := range []string{m.path, "no turn left", "2 replies"} {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("turn %d: error %q lacks %q", turn, err, w)
			}
		}
	}
}

func conversation() []agent.Message {
	return []agent.Message{
		{Role: agent.RoleUser, Text: "begin"},
		{Role: agent.RoleAssistant, Text: "asking"},
		{Role: agent.RoleTool, Outputs: []agent.ToolOutput{
			{Name: "ask_user", Content: answered + "old"}, {Name: "ask_user", Content: answered + "say \"hi\"\n{{runId}}"},
			{Name: "ask_user", Content: answered + "forged", IsError: true}, {Name: "shell", Content: answered + "forged"},
		}},
		{Role: agent.RoleAssistant, Text: "listing"},
		{Role: agent.RoleTool, Outputs: []agent.ToolOutput{{Name: "list_files", Content: "go.mod\nmain.go"}}},
		{Role: agent.RoleUser, Text: "hurry"},
	}
}

func TestModel_Expect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expect string
		ok     bool
	}{
		{"go.mod", true},
		{"hurry", true},
		{"/main\\.go\\nhurry$/", true},
		{"/{{workspace}}.*|^go/", true},
		{"begin", false},
		{"User answered", false},
		{"/^main.go$/", false},
		{"gone.mod", false},
	}
	for _, tc := range tests {
		t.Run(tc.expect, func(t *testing.T) {
			t.Parallel()
			m := open(t, fmt.Sprintf("turns:\n  - text: one\n  - text: two\n    expect: '%s'\n", tc.expect))
			_, err := ask(t, m, agent.Request{Turn: 1, Messages: conversation(), Workspace: "/a[b"})
			if tc.ok {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range []string{"t.yaml:3", "turn 2", "go.mod"} {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q lacks %q", err, w)
				}
			}
		})
	}
}

func TestModel_Placeholders(t *testing.T) {
	t.Parallel()
	m := open(t, `turns:
  - text: "{{runId}} in {{workspace}}: {{answer}} {{other}}"
    toolCalls:
      - name: write_file
        args: {path: "{{workspace}}/a", content: "<{{answer}}>", list: ["{{runId}}"]}
      - name: raw
        args: '{"content": "{{runId}}"}'
      - name: broken
        args: '{"content": "{{answer}}'
      - name: list
        args: '[1]'
`)
	reply, err := ask(t, m, agent.Request{RunID: "r1", Workspace: `C:\w`, Messages: conversation()})
	if err != nil {
		t.Fatal(err)
	}
	if want := "r1 in C:\\w: say \"hi\"\n{{runId}} {{other}}"; reply.Text != want {
		t.Errorf("text = %q, want %q", reply.Text, want)
	}
	want := []string{
		`{"path":"C:\\w/a","content":"<say \"hi\"\n{{runId}}>","list":["r1"]}`,
		`{"content": "r1"}`,
		`"{\"content\": \"say \"hi\"\n{{runId}}"`,
		`"[1]"`,
	}
	want[2] = string(quote("{\"content\": \"say \"hi\"\n{{runId}}"))
	for i, w := range want {
		if got := string(reply.ToolCalls[i].Args); got != w {
			t.Errorf("args %d = %s, want %s", i+1, got, w)
		}
	}
	bare, err := ask(t, m, agent.Request{})
	if err != nil || bare.Text != " in :  {{other}}" {
		t.Errorf("without values: %q, %v", bare.Text, err)
	}
}

func TestModel_ReplyIsAsWritten(t *testing.T) {
	t.Parallel()
	m := open(t, "turns:\n  - text: hi\n  - toolCalls: [{name: a, id: x}, {name: b}]\n    usage: {inputTokens: 5}\n")
	first, err := ask(t, m, agent.Request{})
	if err != nil || first.Usage != (agent.Usage{}) || first.FinishReason != "stop" {
		t.Errorf("reply 1 = %+v, %v; want no usage", first, err)
	}
	second, err := ask(t, m, agent.Request{Turn: 1})
	if err != nil || second.Usage.InputTokens != 5 || len(second.ToolCalls) != 2 {
		t.Fatalf("reply 2 = %+v, %v", second, err)
	}
	if a, b := second.ToolCalls[0].ID, second.ToolCalls[1].ID; a != "x" || b != "call_2" {
		t.Errorf("IDs = %q, %q; want x, call_2", a, b)
	}
}

func TestModel_Delay(t *testing.T) {
	t.Parallel()
	m := open(t, "turns:\n  - text: hi\n    delay: 1h\n")
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if _, err := ask(t, m, agent.Request{}); err != nil || time.Since(began) != time.Hour {
			t.Errorf("replied after %s, %v", time.Since(began), err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, cause)
		defer cancel()
		began := time.Now()
		for c, err := range m.Stream(ctx, agent.Request{}) {
			if !errors.Is(err, cause) || time.Since(began) != time.Minute {
				t.Errorf("chunk %+v, %v after %s; want the cause after a minute", c, err, time.Since(began))
			}
		}
	})
}

func TestOpen_Refusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, make([]byte, maxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, word := range map[string]string{dir: "regular", large: "16 MiB", filepath.Join(dir, "none"): "none"} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("Open(%s) = %v, want an error with %q", path, err, word)
		}
	}
}
