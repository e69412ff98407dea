package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/golden"
)

// conversation has everything a run's history can hold. The first reply is of
// the model mine, the second of another vendor's.
func conversation(mine string, blocks string) agent.Request {
	return agent.Request{
		RunID: "run-1", System: "Be careful. Mind <tags> & more.",
		Tools: []agent.Definition{
			{Name: "read_file", Description: "Reads a file.", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)},
			{Name: "now"},
		},
		Messages: []agent.Message{
			{Role: agent.RoleUser, Text: "Context."},
			{Role: agent.RoleUser, Text: "Do <it>."},
			{Role: agent.RoleAssistant, Model: mine, Text: "Looking.", Blocks: json.RawMessage(blocks), ToolCalls: []agent.ToolCall{
				tool("call_1", "read_file", `{"path":"a"}`), tool("call_2", "read_file", `"path=b"`),
			}},
			{Role: agent.RoleTool, Outputs: []agent.ToolOutput{
				{CallID: "call_1", Name: "read_file", Content: "A"}, {CallID: "call_2", Name: "read_file", Content: "arguments are no object", IsError: true},
			}},
			{Role: agent.RoleAssistant, Model: mine},
			{Role: agent.RoleAssistant, Model: "anthropic/claude", Blocks: json.RawMessage(`{"thinking":"secret of another"}`), ToolCalls: []agent.ToolCall{
				tool("toolu_"+strings.Repeat("x", 80), "now", `{}`),
			}},
			{Role: agent.RoleTool, Outputs: []agent.ToolOutput{{CallID: "toolu_" + strings.Repeat("x", 80), Name: "now"}}},
			{Role: agent.RoleAssistant, Model: "anthropic/claude", Text: "Done."},
			{Role: agent.RoleUser, Text: "Go on."},
		},
	}
}

// received is the request a server got.
type received struct {
	path   string
	header http.Header
	body   []byte
}

// send asks a model of the provider at a server that tells what it got.
func send(t *testing.T, p Provider, name string, opts Options, req agent.Request) received {
	t.Helper()
	w := wires()[0]
	if p.API == Responses {
		w = wires()[1]
	}
	got := make(chan received, 1)
	server := serverFor(t, p.API, func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- received{r.URL.Path, r.Header, body}
		stream(rw, w.hello()...)
	})
	p.BaseURL = server.BaseURL
	if h := listen(t, open(t, p, name, opts), req); h.err != nil || h.reply.Text != "Hello" {
		t.Fatalf("reply %+v, %v", h.reply, h.err)
	}
	return <-got
}

func TestModel_Request(t *testing.T) {
	t.Parallel()
	env := func(name string) string {
		return map[string]string{"OPENAI_API_KEY": planted, "OPENROUTER_API_KEY": planted, "GEMINI_API_KEY": planted, "OPENAI_ORG_ID": "org-1"}[name]
	}
	configured := Provider{Name: "mine", API: Chat, APIKey: planted, Headers: map[string]string{"X-Team": "blue"}}
	responseBlocks := `{"v":1,"api":"responses","parts":[{"reasoning":` + reasoningItem + `},{"whole":true,"phase":"commentary"},{"call":0},{"reasoning":{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":"<&>"}},{"call":1}]}`
	tests := []struct {
		golden   string
		p        Provider
		name     string
		thinking string
		blocks   string
	}{
		{"responses", OpenAI(env), "gpt-5.1", "high", responseBlocks},
		{"responses-plain", OpenAI(env), "gpt-4.1", "high", ""},
		{"responses-strange-blocks", OpenAI(env), "gpt-5", "off", `{"v":1,"api":"responses","parts":[{"reasoning":{}},{"call":1}]}`},
		{"chat", configured, "qwen", "off", `{"v":1,"api":"chat","reasoningContent":"hm"}`},
		{"ollama", Ollama(env), "qwen3:8b", "low", `{"v":1,"api":"chat","reasoning":"hm"}`},
		{"openrouter", OpenRouter(env), "z-ai/glm", "medium", `{"v":1,"api":"chat","reasoningDetails":[{"type":"reasoning.text","text":"hm","signature":"s"}]}`},
		{"gemini", Gemini(env), "gemini-3-pro", "", `{"v":1,"api":"chat","extra":{"0":{"google":{"thought_signature":"sig"}}}}`},
	}
	for _, tc := range tests {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			got := send(t, tc.p, tc.name, Options{Thinking: tc.thinking}, conversation(tc.p.Name+"/"+tc.name, tc.blocks))
			var indented bytes.Buffer
			if err := json.Indent(&indented, got.body, "", "  "); err != nil {
				t.Fatal(err)
			}
			golden.Want(t, filepath.Join("testdata", tc.golden+".json"), strings.TrimSpace(indented.String())+"\n")
			checkHeader(t, got, tc.p)
		})
	}
}

func checkHeader(t *testing.T, got received, p Provider) {
	t.Helper()
	want := map[string]string{"Content-Type": "application/json", "Accept": "text/event-stream", "User-Agent": userAgent, "Authorization": ""}
	if p.APIKey != "" {
		want["Authorization"] = "Bearer " + planted
	}
	for k, v := range p.Headers {
		want[k] = v
	}
	for k, v := range want {
		if got.header.Get(k) != v {
			t.Errorf("header %s is %q, want %q", k, got.header.Get(k), v)
		}
	}
	path := "/v1/chat/completions"
	if p.API == Responses {
		path = "/v1/responses"
	}
	if got.path != path {
		t.Errorf("path %s, want %s", got.path, path)
	}
}

// The SDK's own variables must not reach servers of others.
func TestModel_ReadsNoEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-somebody-else")
	t.Setenv("OPENAI_ADMIN_KEY", "sk-admin-of-somebody")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: sk-custom")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	for _, api := range []string{Chat, Responses} {
		got := send(t, Provider{Name: "mine", API: api}, "m", Options{}, say("hi"))
		for k, v := range got.header {
			if strings.Contains(strings.Join(v, " "), "sk-") {
				t.Errorf("%s: header %s is %q", api, k, v)
			}
		}
		if got.header.Get("Authorization") != "" {
			t.Errorf("%s: authorized without a key", api)
		}
	}
}

// What is kept of a reply goes back as it came.
func TestModel_ReasoningComesBack(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	second := make(chan []byte, 1)
	p := serverFor(t, Responses, func(rw http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			stream(rw, completed(reasoningItem, callItem("a", "f", "{}")))
			return
		}
		body, _ := io.ReadAll(r.Body)
		second <- body
		stream(rw, completed(messageItem(0, "ok")))
	})
	m := open(t, p, "m", Options{})
	first := listen(t, m, say("hi")).reply
	req := say("hi")
	req.Messages = append(req.Messages,
		agent.Message{Role: agent.RoleAssistant, Model: m.ID(), ToolCalls: first.ToolCalls, Blocks: first.Blocks},
		agent.Message{Role: agent.RoleTool, Outputs: []agent.ToolOutput{{CallID: "a", Name: "f", Content: "x"}}})
	listen(t, m, req)
	if body := <-second; !bytes.Contains(body, []byte(reasoningItem)) {
		t.Errorf("the reasoning item is not in %s", body)
	}
}

// Reasoning that a server cannot decrypt any more must not end the run.
func TestModel_RefusedReasoning(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	p := serverFor(t, Responses, func(rw http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"encrypted_content":`)) {
			answer(400, "application/json", `{"error":{"message":"could not be verified","code":"invalid_encrypted_content"}}`)(rw, r)
			return
		}
		stream(rw, wires()[1].hello()...)
	})
	m := open(t, p, "m", Options{})
	h := listen(t, m, conversation(m.ID(), `{"v":1,"api":"responses","parts":[{"reasoning":`+reasoningItem+`},{"call":0},{"call":1}]}`))
	if h.err != nil || h.reply.Text != "Hello" || asked.Load() != 2 {
		t.Errorf("reply %+v, %v after %d requests", h.reply, h.err, asked.Load())
	}
}

func TestModel_RefusedReasoningTwice(t *testing.T) {
	t.Parallel()
	p := serverFor(t, Responses, answer(400, "application/json", `{"error":{"message":"could not be verified","code":"invalid_encrypted_content"}}`))
	fault := listen(t, open(t, p, "m", Options{}), say("hi")).fault(t)
	if fault.Status != 400 || fault.Retryable || fault.Message != "could not be verified" {
		t.Errorf("fault %+v", fault)
	}
}
