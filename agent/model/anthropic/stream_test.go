package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/agent"
)

func call(id, name, args string) agent.ToolCall {
	return agent.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

// usual is the usage that begins and ends tell.
func usual() agent.Usage {
	return agent.Usage{InputTokens: 25, OutputTokens: 15, CacheReadTokens: 2000, CacheWriteTokens: 300}
}

func TestModel_Stream(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		stream  []string
		text    string // of the deltas; of the reply too, unless it says otherwise
		thought string
		want    agent.Reply
	}{
		{
			"text in pieces", []string{begins(), textBlock(0, "Hel", "lo"), ends("end_turn")},
			"Hello", "", agent.Reply{Text: "Hello", FinishReason: "end_turn"},
		},
		{
			"pings between", []string{begins(), ping, textBlock(0, "Hi"), ping, ends("end_turn"), ping},
			"Hi", "", agent.Reply{Text: "Hi", FinishReason: "end_turn"},
		},
		{
			"event types of tomorrow",
			[]string{
				begins(), sse("weather", `{"type":"weather","rain":true}`), opens(0, `{"type":"text","text":""}`),
				deltas(0, `{"type":"colour_delta","colour":"red"}`), deltas(0, `{"type":"text_delta","text":"Hi"}`), closes(0), ends("end_turn"),
			},
			"Hi", "", agent.Reply{Text: "Hi", FinishReason: "end_turn"},
		},
		{
			"text with the start", []string{begins(), opens(0, `{"type":"text","text":"A \"b\""}`), deltas(0, `{"type":"text_delta","text":"c"}`), ends("end_turn")},
			`A "b"c`, "", agent.Reply{Text: `A "b"c`, FinishReason: "end_turn"},
		},
		{
			"every kind of letter", []string{begins(), textBlock(0, "日本", "語 👩‍👩‍👧 e\u0301 \u202e\x00\n", `\u0041`), ends("end_turn")},
			"日本語 👩‍👩‍👧 e\u0301 \u202e\x00\n" + `\u0041`, "", agent.Reply{Text: "日本語 👩‍👩‍👧 e\u0301 \u202e\x00\n" + `\u0041`, FinishReason: "end_turn"},
		},
		{
			"a letter cut in two",
			[]string{begins(), opens(0, `{"type":"text","text":""}`), deltas(0, `{"type":"text_delta","text":"\ud83d"}`), deltas(0, `{"type":"text_delta","text":"\ude00"}`), ends("end_turn")},
			"\uFFFD\uFFFD", "", agent.Reply{Text: "😀", FinishReason: "end_turn"},
		},
		{
			"lines that end as on Windows", []string{strings.ReplaceAll(begins()+textBlock(0, "Hi")+ends("end_turn"), "\n", "\r\n")},
			"Hi", "", agent.Reply{Text: "Hi", FinishReason: "end_turn"},
		},
		{
			"bytes one by one", strings.Split(begins()+textBlock(0, "Grüß dich")+ends("end_turn"), ""),
			"Grüß dich", "", agent.Reply{Text: "Grüß dich", FinishReason: "end_turn"},
		},
		{
			"a call in pieces",
			[]string{begins(), textBlock(0, "Let me look."), toolBlock(1, "toolu_1", "read_file", `{"path":`, ` "a`, `.md"}`), ends("tool_use")},
			"Let me look.", "",
			agent.Reply{Text: "Let me look.", FinishReason: "tool_use", ToolCalls: []agent.ToolCall{call("toolu_1", "read_file", `{"path": "a.md"}`)}},
		},
		{
			"a call without arguments", []string{begins(), toolBlock(0, "toolu_1", "list_files"), ends("tool_use")},
			"", "", agent.Reply{FinishReason: "tool_use", ToolCalls: []agent.ToolCall{call("toolu_1", "list_files", `{}`)}},
		},
		{
			"a call with its arguments at the start",
			[]string{begins(), opens(0, `{"type":"tool_use","id":"toolu_1","name":"list_files","input":{"depth":1}}`), closes(0), ends("tool_use")},
			"", "", agent.Reply{FinishReason: "tool_use", ToolCalls: []agent.ToolCall{call("toolu_1", "list_files", `{"depth":1}`)}},
		},
		{
			"parallel calls interleaved",
			[]string{
				begins(), openTool(0, "toolu_a", "read_file"), openTool(1, "toolu_b", "read_file"),
				input(1, `{"path":`), input(0, `{"pa`), input(1, `"b"}`), closes(1), input(0, `th":"a"}`), closes(0), ends("tool_use"),
			},
			"", "", agent.Reply{FinishReason: "tool_use", ToolCalls: []agent.ToolCall{call("toolu_a", "read_file", `{"path":"a"}`), call("toolu_b", "read_file", `{"path":"b"}`)}},
		},
		{
			"arguments that are no JSON", []string{begins(), toolBlock(0, "toolu_1", "read_file", `{"path": oops`), ends("tool_use")},
			"", "", agent.Reply{FinishReason: "tool_use", ToolCalls: []agent.ToolCall{call("toolu_1", "read_file", `"{\"path\": oops"`)}},
		},
		{
			"no ID, and one twice",
			[]string{begins(), toolBlock(0, "", "a"), toolBlock(1, "x", "a"), toolBlock(2, "x", "a"), ends("tool_use")},
			"", "", agent.Reply{FinishReason: "tool_use", ToolCalls: []agent.ToolCall{call("", "a", `{}`), call("x", "a", `{}`), call("x", "a", `{}`)}},
		},
		{"empty", []string{begins(), ends("end_turn")}, "", "", agent.Reply{FinishReason: "end_turn"}},
		{
			"thinking", []string{begins(), thinkingBlock(0, "EqoBCkgIARABGAIi+/=", "Let me <see>", " & think"), textBlock(1, "Yes."), ends("end_turn")},
			"Yes.", "Let me <see> & think", agent.Reply{Text: "Yes.", FinishReason: "end_turn"},
		},
		{
			"the length is reached", []string{begins(), textBlock(0, "Once upon"), ends("max_tokens")},
			"Once upon", "", agent.Reply{Text: "Once upon", FinishReason: "max_tokens", End: agent.EndCut},
		},
		{
			"the length is reached in a call", []string{begins(), toolBlock(0, "toolu_1", "shell", `{"command":"rm -rf /tmp/`), ends("max_tokens")},
			"", "", agent.Reply{FinishReason: "max_tokens", End: agent.EndCut, ToolCalls: []agent.ToolCall{call("toolu_1", "shell", `"{\"command\":\"rm -rf /tmp/"`)}},
		},
		{
			"the window is full before a call's arguments", []string{begins(), toolBlock(0, "toolu_1", "list_files"), ends("model_context_window_exceeded")},
			"", "", agent.Reply{FinishReason: "model_context_window_exceeded", End: agent.EndCut, ToolCalls: []agent.ToolCall{call("toolu_1", "list_files", `""`)}},
		},
		{
			"refused", []string{begins(), ends("refusal")},
			"The model declined to answer this request.", "",
			agent.Reply{Text: "The model declined to answer this request.", FinishReason: "refusal", End: agent.EndRefused},
		},
		{
			"refused in the middle, with a reason",
			[]string{
				begins(), thinkingBlock(0, "sig", "Hm"), textBlock(1, "First you"), toolBlock(2, "toolu_1", "shell", `{}`),
				sse("message_delta", `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"Not this."}},"usage":{"output_tokens":15}}`), sse("message_stop", `{"type":"message_stop"}`),
			},
			"First you\n\nThe model declined to answer this request (cyber): Not this.", "Hm",
			agent.Reply{Text: "First you\n\nThe model declined to answer this request (cyber): Not this.", FinishReason: "refusal", End: agent.EndRefused},
		},
		{
			"usage with details",
			[]string{
				begins(), textBlock(0, "Hi"),
				sse("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":26,"cache_creation_input_tokens":null,"output_tokens":90,"output_tokens_details":{"thinking_tokens":70}}}`), sse("message_stop", `{"type":"message_stop"}`),
			},
			"Hi", "", agent.Reply{Text: "Hi", FinishReason: "end_turn", Usage: agent.Usage{InputTokens: 26, OutputTokens: 90, CacheReadTokens: 2000, CacheWriteTokens: 300, ReasoningTokens: 70}},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := listen(t, serve(t, plays(tc.stream...)).open("claude-sonnet-5-5"), says("Hello"))
			if h.err != nil {
				t.Fatal(h.err)
			}
			if h.text != tc.text || h.thought != tc.thought {
				t.Errorf("heard %q, thought %q; want %q, %q", h.text, h.thought, tc.text, tc.thought)
			}
			if (tc.want.Usage == agent.Usage{}) {
				tc.want.Usage = usual()
			}
			got := *h.reply
			got.Blocks = nil
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
			if hasBlocks := len(h.reply.Blocks) > 0; hasBlocks != (tc.name == "thinking") {
				t.Errorf("blocks %s", h.reply.Blocks)
			}
		})
	}
}

func TestModel_Stream_ChunksAreGroupedByBlock(t *testing.T) {
	t.Parallel()
	h := listen(t, serve(t, plays(begins(), thinkingBlock(0, "s", "a", "b"), textBlock(1, "c"), textBlock(2, "d", "e"), ends("end_turn"))).open("claude-opus-5-5"), says("x"))
	var got []string
	for _, c := range h.chunks {
		got = append(got, c.ID+c.Text)
	}
	if want := []string{"0a", "0b", "1c", "2d", "2e"}; !cmp.Equal(got, want) {
		t.Errorf("chunks %q, want %q", got, want)
	}
}

func TestModel_Stream_Pause(t *testing.T) {
	t.Parallel()
	s := serve(t,
		plays(begins(), thinkingBlock(0, "sig1", "One"), textBlock(1, "a"), ends("pause_turn")),
		plays(begins(), opens(0, `{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}`), input(0, `{"query":"x"}`), closes(0), textBlock(1, "b"), ends("pause_turn")),
		plays(begins(), textBlock(0, "c"), toolBlock(1, "toolu_1", "list_files"), ends("tool_use")),
	)
	h := listen(t, s.open("claude-opus-5-5"), says("Go"))
	if h.err != nil || h.reply.Text != "abc" || len(h.reply.ToolCalls) != 1 || h.reply.FinishReason != "tool_use" {
		t.Fatalf("reply %+v, %v", h.reply, h.err)
	}
	if h.reply.Usage.InputTokens != 75 || h.reply.Usage.OutputTokens != 45 {
		t.Errorf("usage %+v: want the sum of three", h.reply.Usage)
	}
	want := `[{"signature":"sig1","thinking":"One","type":"thinking"},{"text":"a","type":"text"},` +
		`{"id":"srv_1","input":{"query":"x"},"name":"web_search","type":"server_tool_use"},{"text":"b","type":"text"}]`
	if got := contentOf(t, s.body(2), 1); got != want || len(s.body(2)["messages"].([]any)) != 2 {
		t.Errorf("continued with\n%s, want\n%s", got, want)
	}
}

func TestModel_Stream_PausesEnd(t *testing.T) {
	t.Parallel()
	s := serve(t, plays(begins(), textBlock(0, "a"), ends("pause_turn")))
	h := listen(t, s.open("claude-opus-5-5"), says("Go"))
	if h.err != nil || h.reply.FinishReason != "pause_turn" || s.asked() != maxPauses+1 {
		t.Errorf("%d requests, reply %+v, %v", s.asked(), h.reply, h.err)
	}
}

func TestModel_Stream_SlowFirstByte(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		<-release
		plays(begins(), textBlock(0, "Hi"), ends("end_turn"))(w, r)
	})
	time.AfterFunc(100*time.Millisecond, func() { close(release) })
	if h := listen(t, s.open("claude-sonnet-5-5"), says("x")); h.err != nil || h.reply.Text != "Hi" {
		t.Errorf("reply %+v, %v", h.reply, h.err)
	}
}

// Pings keep a stream alive, however long the model thinks.
func TestModel_Stream_PingsAreLife(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		plays(begins())(w, r)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for range 8 {
			<-tick.C
			plays(ping)(w, r)
		}
		plays(textBlock(0, "Hi"), ends("end_turn"))(w, r)
	})
	m := s.open("claude-sonnet-5-5", func(o *Options) { o.Stall = 250 * time.Millisecond })
	if h := listen(t, m, says("x")); h.err != nil || h.reply.Text != "Hi" {
		t.Errorf("reply %+v, %v", h.reply, h.err)
	}
}

// A reader who takes his time is no fault of the provider's.
func TestModel_Stream_SlowReader(t *testing.T) {
	t.Parallel()
	const stall = 100 * time.Millisecond
	s := serve(t, plays(begins(), textBlock(0, "a", "b"), ends("end_turn")))
	m := s.open("claude-sonnet-5-5", func(o *Options) { o.Stall = stall })
	var last agent.Chunk
	for c, err := range m.Stream(t.Context(), says("x")) {
		if err != nil {
			t.Fatal(err)
		}
		last = c
		<-time.After(2 * stall)
	}
	if last.Reply == nil || last.Reply.Text != "ab" {
		t.Errorf("reply %+v", last.Reply)
	}
}

func TestModel_Stream_ClientGoes(t *testing.T) {
	t.Parallel()
	const soon = 2 * time.Second // 200 ms are wanted; a busy machine gets more
	tests := []struct {
		name string
		act  func(gone chan<- struct{}) act
		go_  func(ctx context.Context, cancel context.CancelFunc, m *Model) error
	}{
		{"cancel before the first byte", func(gone chan<- struct{}) act {
			return func(w http.ResponseWriter, r *http.Request) { hangs(w, r); close(gone) }
		}, func(ctx context.Context, cancel context.CancelFunc, m *Model) error {
			time.AfterFunc(50*time.Millisecond, cancel)
			for _, err := range m.Stream(ctx, says("x")) {
				return err
			}
			return nil
		}},
		{"cancel in the middle", func(gone chan<- struct{}) act {
			return then(func(w http.ResponseWriter, r *http.Request) { hangs(w, r); close(gone) }, begins(), opens(0, `{"type":"text","text":"Hi"}`))
		}, func(ctx context.Context, cancel context.CancelFunc, m *Model) error {
			for c, err := range m.Stream(ctx, says("x")) {
				if err != nil {
					return err
				}
				if c.Text == "Hi" {
					cancel()
				}
			}
			return nil
		}},
		{"the reader leaves", func(gone chan<- struct{}) act {
			return then(func(w http.ResponseWriter, r *http.Request) { hangs(w, r); close(gone) }, begins(), opens(0, `{"type":"text","text":"Hi"}`))
		}, func(ctx context.Context, _ context.CancelFunc, m *Model) error {
			for range m.Stream(ctx, says("x")) {
				break
			}
			return context.Canceled // what the others give
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{})
			m := serve(t, tc.act(gone)).open("claude-sonnet-5-5")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if err := tc.go_(ctx, cancel, m); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want that it was canceled", err)
			}
			within(t, soon, "the server sees the client go", gone)
		})
	}
}

func TestModel_Stream_Concurrent(t *testing.T) {
	t.Parallel()
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		plays(begins(), textBlock(0, "Hi"), ends("end_turn"))(w, r)
	}).open("claude-sonnet-5-5")
	done := make(chan error)
	for range 8 {
		go func() {
			var last error
			for _, err := range m.Stream(context.WithoutCancel(t.Context()), says("x")) {
				last = err
			}
			done <- last
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkStream measures what a reply of 100 deltas costs beyond the time
// that the server and the connection take, measured by reading the same bytes
// with net/http alone.
func BenchmarkStream(b *testing.B) {
	pieces := make([]string, 100)
	for i := range pieces {
		pieces[i] = "some words of a reply "
	}
	body := begins() + textBlock(0, pieces...) + ends("end_turn")
	s := serve(b, answers(http.StatusOK, "text/event-stream", body))
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			res, err := s.Client().Post(s.URL+"/v1/messages", "application/json", strings.NewReader("{}"))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil {
				b.Fatal(err)
			}
			res.Body.Close()
		}
	})
	b.Run("adapter", func(b *testing.B) {
		m := s.open("claude-sonnet-5-5")
		for b.Loop() {
			for _, err := range m.Stream(b.Context(), says("Hello")) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
