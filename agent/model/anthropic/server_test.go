package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// marker is the key the tests plant; it must not be seen anywhere.
const marker = "sk-ant-MARKER-0123456789"

// server plays one act per request, the last one again and again, and keeps
// what it was asked.
type server struct {
	*httptest.Server
	t      testing.TB
	mu     sync.Mutex
	acts   []act
	bodies []string
	heads  []http.Header
}

// act answers one request.
type act func(w http.ResponseWriter, r *http.Request)

func serve(t testing.TB, acts ...act) *server {
	t.Helper()
	s := &server{t: t, acts: acts}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("read request: %v", err)
	}
	s.mu.Lock()
	n := len(s.bodies)
	s.bodies, s.heads = append(s.bodies, string(body)), append(s.heads, r.Header)
	s.mu.Unlock()
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		s.t.Errorf("asked for %s %s", r.Method, r.URL.Path)
	}
	s.acts[min(n, len(s.acts)-1)](w, r)
}

func (s *server) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

// body is the nth request, decoded.
func (s *server) body(n int) map[string]any {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var v map[string]any
	if n >= len(s.bodies) {
		s.t.Fatalf("%d requests, want one more than %d", len(s.bodies), n)
	}
	if err := json.Unmarshal([]byte(s.bodies[n]), &v); err != nil {
		s.t.Fatalf("request %d: %v", n, err)
	}
	return v
}

// open opens a model of the server.
func (s *server) open(name string, change ...func(*Options)) *Model {
	s.t.Helper()
	o := Options{APIKey: marker, BaseURL: s.URL, HTTPClient: s.Client()}
	for _, c := range change {
		c(&o)
	}
	m, err := Open(name, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return m.(*Model)
}

// plays streams bytes as they are.
func plays(pieces ...string) act {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, p := range pieces {
			io.WriteString(w, p)
			w.(http.Flusher).Flush()
		}
	}
}

// then plays bytes and then does something with the open stream.
func then(rest act, pieces ...string) act {
	return func(w http.ResponseWriter, r *http.Request) {
		plays(pieces...)(w, r)
		rest(w, r)
	}
}

// hangs waits until the client has gone.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// resets breaks the connection.
func resets(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// answers gives a response that is no stream.
func answers(status int, kind, body string, header ...string) act {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// fails is an error of the API.
func fails(status int, kind, message string, header ...string) act {
	body, _ := json.Marshal(map[string]any{
		"type": "error", "error": map[string]any{"type": kind, "message": message}, "request_id": "req_1",
	})
	return answers(status, "application/json", string(body), header...)
}

// What follows writes events as the API's documentation shows them.

func sse(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

func begins() string {
	return sse("message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-sonnet-5-5","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":300,"cache_read_input_tokens":2000,"output_tokens":1}}}`)
}

func opens(i int, block string) string {
	return sse("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, block))
}

func deltas(i int, delta string) string {
	return sse("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, delta))
}

func closes(i int) string {
	return sse("content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i))
}

func quote(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

// textBlock comes in the pieces given.
func textBlock(i int, pieces ...string) string {
	out := opens(i, `{"type":"text","text":""}`)
	for _, p := range pieces {
		out += deltas(i, `{"type":"text_delta","text":`+quote(p)+`}`)
	}
	return out + closes(i)
}

func thinkingBlock(i int, signature string, pieces ...string) string {
	out := opens(i, `{"type":"thinking","thinking":"","signature":""}`)
	for _, p := range pieces {
		out += deltas(i, `{"type":"thinking_delta","thinking":`+quote(p)+`}`)
	}
	return out + deltas(i, `{"type":"signature_delta","signature":`+quote(signature)+`}`) + closes(i)
}

func openTool(i int, id, name string) string {
	return opens(i, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, id, name))
}

func input(i int, piece string) string {
	return deltas(i, `{"type":"input_json_delta","partial_json":`+quote(piece)+`}`)
}

func toolBlock(i int, id, name string, pieces ...string) string {
	out := openTool(i, id, name) + input(i, "")
	for _, p := range pieces {
		out += input(i, p)
	}
	return out + closes(i)
}

func ends(reason string) string {
	return sse("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":15}}`, reason)) +
		sse("message_stop", `{"type":"message_stop"}`)
}

const ping = "event: ping\ndata: {\"type\": \"ping\"}\n\n"

// heard is all that came of a stream.
type heard struct {
	text, thought string
	chunks        []agent.Chunk
	reply         *agent.Reply
	err           error
}

// listen ranges over a stream and checks what holds for every one.
func listen(t testing.TB, m agent.Model, req agent.Request) heard {
	t.Helper()
	var h heard
	for c, err := range m.Stream(t.Context(), req) {
		switch {
		case h.reply != nil || h.err != nil:
			t.Fatalf("something after the end: %+v, %v", c, err)
		case err != nil:
			h.err = err
		case c.Reply != nil:
			h.reply = c.Reply
		default:
			h.chunks = append(h.chunks, c)
			if c.Reasoning {
				h.thought += c.Text
			} else {
				h.text += c.Text
			}
		}
	}
	if (h.reply == nil) == (h.err == nil) {
		t.Fatalf("reply %+v and error %v", h.reply, h.err)
	}
	if h.err != nil && strings.Contains(fmt.Sprintf("%s %+v %#v", h.err, h.err, h.err), marker) {
		t.Errorf("the key is in the error: %#v", h.err)
	}
	return h
}

func says(text string) agent.Request {
	return agent.Request{System: "Be kind.", Messages: []agent.Message{{Role: agent.RoleUser, Text: text}}}
}

// within fails unless done is closed soon.
func within(t *testing.T, d time.Duration, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatalf("%s: not within %s", what, d)
	}
}
