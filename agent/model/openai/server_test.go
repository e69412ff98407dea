package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/agent"
)

// planted is the key of every model in these tests; it must come out nowhere.
const planted = "sk-planted-0123456789abcdef"

// secretHeader is a header whose value must come out nowhere either.
const secretHeader = "team-secret-value"

// wire is one of the two formats: where it is asked, and how it says the
// simplest things.
type wire struct {
	api, path string
	begin     []string // a reply that has begun with the delta "Hel"
	rest      []string // and its end: "Hello", 7 tokens in, 2 out
	fault     string   // an error event in the middle, with %s for the message
}

func wires() []wire {
	return []wire{
		{
			api: Chat, path: "/v1/chat/completions",
			begin: []string{`{"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}`},
			rest: []string{
				`{"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}`,
				`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
				`{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`,
				`[DONE]`,
			},
			fault: `{"error":{"code":502,"message":%q}}`,
		},
		{
			api: Responses, path: "/v1/responses",
			begin: []string{
				`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress","output":[],"error":null,"usage":null}}`,
				`{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"msg_1","status":"in_progress","role":"assistant","content":[]}}`,
				`{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}`,
				`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hel"}`,
			},
			rest: []string{
				`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"lo"}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}]}}`,
				`{"type":"response.completed","response":{"id":"resp_1","status":"completed","error":null,"incomplete_details":null,"output":[{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}]}],"usage":{"input_tokens":7,"output_tokens":2,"total_tokens":9}}}`,
			},
			fault: `{"type":"error","code":"server_error","message":%q,"param":null}`,
		},
	}
}

func (w wire) hello() []string { return append(append([]string{}, w.begin...), w.rest...) }

// stream writes events as the server sends them.
func stream(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		var typed struct{ Type string }
		if json.Unmarshal([]byte(e), &typed) == nil && typed.Type != "" {
			fmt.Fprintf(w, "event: %s\n", typed.Type)
		}
		fmt.Fprintf(w, "data: %s\n\n", e)
		w.(http.Flusher).Flush()
	}
}

func serve(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { stream(w, events...) }
}

// serverFor starts a server and returns a provider of it. The handler finds the
// body read, so that the end of the request's context is the client's going.
func serverFor(t testing.TB, api string, handler http.HandlerFunc) Provider {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler(w, r)
	}))
	t.Cleanup(srv.Close)
	return Provider{
		Name: "test", BaseURL: srv.URL + "/v1", API: api, APIKey: planted, KeyEnv: "TEST_API_KEY",
		Headers: map[string]string{"X-Team": secretHeader},
	}
}

func open(t testing.TB, p Provider, name string, opts Options) *Model {
	t.Helper()
	if opts.Transport == nil {
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		opts.Transport = transport
	}
	m, err := New(p, name, opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func say(text string) agent.Request {
	return agent.Request{RunID: "run-1", Messages: []agent.Message{{Role: agent.RoleUser, Text: text}}}
}

// heard is what came of one request.
type heard struct {
	text, thought string
	chunks        []agent.Chunk
	reply         *agent.Reply
	err           error
}

func listen(t testing.TB, m *Model, req agent.Request) heard {
	t.Helper()
	var h heard
	for c, err := range m.Stream(t.Context(), req) {
		switch {
		case h.reply != nil || h.err != nil:
			t.Fatalf("something came after the end: %+v, %v", c, err)
		case err != nil:
			h.err = err
		case c.Reply != nil:
			h.reply = c.Reply
		case c.Reasoning:
			h.thought += c.Text
			h.chunks = append(h.chunks, c)
		default:
			h.text += c.Text
			h.chunks = append(h.chunks, c)
		}
	}
	if h.reply == nil && h.err == nil {
		t.Fatal("the stream ended without a reply or an error")
	}
	h.keepsSecrets(t)
	return h
}

// keepsSecrets looks for the planted key in all that came back.
func (h heard) keepsSecrets(t testing.TB) {
	t.Helper()
	seen := []string{fmt.Sprintf("%v %+v %#v", h.err, h.err, h.err)}
	for err := h.err; err != nil; err = errors.Unwrap(err) {
		seen = append(seen, fmt.Sprintf("%v %+v %#v", err, err, err))
	}
	var fault *agent.ProviderError
	if errors.As(h.err, &fault) {
		seen = append(seen, fault.Message, fault.Hint)
		if strings.ContainsAny(fault.Message+fault.Hint, "\n\r\x1b") {
			t.Errorf("message %q, hint %q: want one clean line each", fault.Message, fault.Hint)
		}
	}
	if h.reply != nil {
		seen = append(seen, string(h.reply.Blocks))
	}
	for _, s := range seen {
		if strings.Contains(s, planted) || strings.Contains(s, secretHeader) {
			t.Errorf("a secret shows in %s", s)
		}
	}
}

func (h heard) fault(t *testing.T) *agent.ProviderError {
	t.Helper()
	var fault *agent.ProviderError
	if !errors.As(h.err, &fault) {
		t.Fatalf("error %v, reply %+v; want a ProviderError", h.err, h.reply)
	}
	return fault
}

// scenario is one reply of a server and what is made of it.
type scenario struct {
	name    string
	events  []string
	text    string // deltas, and the reply's text
	thought string
	want    agent.Reply // Text and Blocks apart
	blocks  string      // "" for none
	fault   string      // instead of a reply: part of its message
	lasting bool        // the fault is not retryable
}

func (s scenario) run(t *testing.T, api string) {
	t.Helper()
	p := serverFor(t, api, serve(s.events...))
	h := listen(t, open(t, p, "m", Options{}), say("hi"))
	if s.fault != "" {
		fault := h.fault(t)
		if !strings.Contains(fault.Message, s.fault) || fault.Retryable == s.lasting {
			t.Errorf("fault %q, retryable %v; want %q, %v", fault.Message, fault.Retryable, s.fault, !s.lasting)
		}
		return
	}
	if h.err != nil {
		t.Fatal(h.err)
	}
	got := *h.reply
	if s.text != got.Text {
		t.Errorf("text %q, want %q", got.Text, s.text)
	}
	if want := strings.ReplaceAll(s.text, "\n\n", ""); h.text != want {
		t.Errorf("text deltas %q, want %q", h.text, want)
	}
	if h.thought != s.thought {
		t.Errorf("reasoning %q, want %q", h.thought, s.thought)
	}
	if diff := cmp.Diff(s.blocks, string(got.Blocks)); diff != "" {
		t.Errorf("blocks: %s", diff)
	}
	got.Text, got.Blocks = "", nil
	if diff := cmp.Diff(s.want, got); diff != "" {
		t.Errorf("reply: %s", diff)
	}
}

// tool is a call as a reply has it.
func tool(id, name, args string) agent.ToolCall {
	return agent.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

const soon = 2 * time.Second // 200 ms are wanted; a busy machine gets more
