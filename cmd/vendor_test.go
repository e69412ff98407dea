package cmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// vendorTurn is one reply of a vendor: words and calls, or a fault. {{key}} in
// its words becomes the key the request came with.
type vendorTurn struct {
	Text      string           `json:"text"`
	ToolCalls []vendorToolCall `json:"toolCalls"`
	Status    int              `json:"status"`
	Message   string           `json:"message"`
	Broken    string           `json:"broken"` // the error with which the stream ends
	Hangs     bool             `json:"hangs"`  // half of it is said, then nothing
}

type vendorToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// vendor is a server of all three wire formats that plays its turns one after
// the other, the last one again and again.
type vendor struct {
	*httptest.Server
	turns []vendorTurn
	log   io.Writer      // a line of JSON for each request
	hangs chan struct{}  // a turn that hangs has begun
	left  chan time.Time // its client has gone

	mu    sync.Mutex
	asked int
}

func newVendor(log io.Writer, turns ...vendorTurn) *vendor {
	v := &vendor{turns: turns, log: log, hangs: make(chan struct{}, 1), left: make(chan time.Time, 1)}
	v.Server = httptest.NewServer(v)
	return v
}

// cmdVendor is "vendor NAME FILE": it starts a vendor that plays the lines of
// FILE, sets NAME to its address without a version, and logs requests to
// $WORK/NAME.log.
func cmdVendor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: vendor NAME file")
	}
	var turns []vendorTurn
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		var turn vendorTurn
		ts.Check(json.Unmarshal([]byte(line), &turn))
		turns = append(turns, turn)
	}
	log, err := os.Create(ts.MkAbs(ts.Getenv("WORK") + "/" + args[0] + ".log"))
	ts.Check(err)
	v := newVendor(log, turns...)
	ts.Defer(func() { v.Close(); _ = log.Close() })
	ts.Setenv(args[0], v.URL)
}

// ServeHTTP plays the next turn in the format that the path asks for.
func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if strings.HasSuffix(r.URL.Path, "/models") {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"small","object":"model"},{"id":"large","object":"model"},{"id":"bad\u001b[2J"}]}`)
		return
	}
	v.mu.Lock()
	turn := v.turns[min(v.asked, len(v.turns)-1)]
	v.asked++
	entry, _ := json.Marshal(map[string]any{"path": r.URL.Path, "header": r.Header, "body": json.RawMessage(body)})
	fmt.Fprintf(v.log, "%s\n", entry)
	v.mu.Unlock()

	key := cmp.Or(r.Header.Get("X-Api-Key"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	turn = turn.with(key)
	if turn.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(turn.Status)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":%s}}`, quoted(turn.Message))
		return
	}
	var events []string
	switch {
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		events = append(turn.chat(), "[DONE]")
	case strings.HasSuffix(r.URL.Path, "/responses"):
		events = turn.responses()
	case strings.HasSuffix(r.URL.Path, "/messages"):
		events = turn.messages()
	default:
		http.NotFound(w, r)
		return
	}
	if turn.Broken != "" { // all formats take this for a fault
		events = append(events[:len(events)/2], `{"type":"error","error":{"type":"server_error","message":`+quoted(turn.Broken)+`},"code":"server_error","message":`+quoted(turn.Broken)+`}`)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if turn.Hangs {
		events = events[:len(events)/2]
		defer v.hang(w, r)
	}
	for _, e := range events {
		var typed struct{ Type string }
		if json.Unmarshal([]byte(e), &typed) == nil && typed.Type != "" {
			fmt.Fprintf(w, "event: %s\n", typed.Type)
		}
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
}

// hang says what was written and waits until the client has gone.
func (v *vendor) hang(w http.ResponseWriter, r *http.Request) {
	w.(http.Flusher).Flush()
	v.hangs <- struct{}{}
	<-r.Context().Done()
	v.left <- time.Now()
}

// with is the turn with the key in its words.
func (t vendorTurn) with(key string) vendorTurn {
	put := func(s *string) { *s = strings.ReplaceAll(*s, "{{key}}", key) }
	put(&t.Text)
	put(&t.Message)
	put(&t.Broken)
	t.ToolCalls = slices.Clone(t.ToolCalls)
	for i := range t.ToolCalls {
		escaped := strings.Trim(quoted(key), `"`)
		t.ToolCalls[i].Args = json.RawMessage(strings.ReplaceAll(string(t.ToolCalls[i].Args), "{{key}}", escaped))
	}
	return t
}

// quoted is s as JSON.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a text has no fault
	return strings.TrimSpace(b.String())
}

// halves streams a text in two pieces, as replies are cut anywhere.
func halves(s string) []string {
	if len(s) < 2 {
		return []string{s}
	}
	return []string{s[:len(s)/2], s[len(s)/2:]}
}

// chat is the turn as events of chat completions.
func (t vendorTurn) chat() []string {
	var out []string
	add := func(delta string) {
		out = append(out, `{"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":`+delta+`,"finish_reason":null}]}`)
	}
	for _, piece := range halves(t.Text) {
		add(`{"role":"assistant","content":` + quoted(piece) + `}`)
	}
	reason := "stop"
	for i, c := range t.ToolCalls {
		reason = "tool_calls"
		pieces := halves(string(c.Args))
		add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}]}`, i, c.ID, c.Name, quoted(pieces[0])))
		for _, p := range pieces[1:] {
			add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quoted(p)))
		}
	}
	return append(out,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"`+reason+`"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}}`)
}

// responses is the turn as events of the Responses API.
func (t vendorTurn) responses() []string {
	out := []string{`{"type":"response.created","response":{"id":"resp_1","status":"in_progress","output":[]}}`}
	var items []string
	if t.Text != "" {
		for _, p := range halves(t.Text) {
			out = append(out, `{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":`+quoted(p)+`}`)
		}
		items = append(items, `{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":`+quoted(t.Text)+`,"annotations":[]}]}`)
	}
	for _, c := range t.ToolCalls {
		items = append(items, fmt.Sprintf(`{"type":"function_call","id":"fc_%s","call_id":%q,"name":%q,"arguments":%s,"status":"completed"}`, c.ID, c.ID, c.Name, quoted(string(c.Args))))
	}
	return append(out, `{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[`+strings.Join(items, ",")+`],"usage":{"input_tokens":1000,"output_tokens":100,"total_tokens":1100}}}`)
}

// messages is the turn as events of the Messages API.
func (t vendorTurn) messages() []string {
	out := []string{`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":1000,"output_tokens":1}}}`}
	index, reason := 0, "end_turn"
	block := func(start string, deltas ...string) {
		out = append(out, fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, start))
		for _, d := range deltas {
			out = append(out, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, d))
		}
		out = append(out, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
		index++
	}
	if t.Text != "" {
		var deltas []string
		for _, p := range halves(t.Text) {
			deltas = append(deltas, `{"type":"text_delta","text":`+quoted(p)+`}`)
		}
		block(`{"type":"text","text":""}`, deltas...)
	}
	for _, c := range t.ToolCalls {
		reason = "tool_use"
		var deltas []string
		for _, p := range halves(string(c.Args)) {
			deltas = append(deltas, `{"type":"input_json_delta","partial_json":`+quoted(p)+`}`)
		}
		block(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, c.ID, c.Name), deltas...)
	}
	return append(out, `{"type":"message_delta","delta":{"stop_reason":"`+reason+`"},"usage":{"output_tokens":100}}`, `{"type":"message_stop"}`)
}

// cmdExpand is "expand FROM TO": it copies a file with the variables of the
// script in it replaced.
func cmdExpand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: expand from to")
	}
	to := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(to), 0o755))
	ts.Check(os.WriteFile(to, []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), 0o600))
}
