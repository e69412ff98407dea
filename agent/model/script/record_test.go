package script

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/agent"
)

// journalOf is a journal that holds these replies and what stands around them.
func journalOf(t testing.TB, replies ...agent.MessagePayload) []agent.Event {
	t.Helper()
	events := []agent.Event{{Seq: 1, Type: agent.Start, RunID: "r", Payload: json.RawMessage(`{"prompt":"p"}`)}}
	for _, p := range replies {
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, agent.Event{Seq: int64(len(events) + 1), Type: agent.ModelMessage, RunID: "r", Payload: raw})
	}
	return events
}

// play returns the replies a script gives, one after the other.
func play(t testing.TB, data []byte, n int) []agent.Reply {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording.yaml")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Open(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	var out []agent.Reply
	for turn := range n {
		for c, err := range m.Stream(t.Context(), agent.Request{RunID: "other", Workspace: "/elsewhere", Turn: turn}) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Reply != nil {
				out = append(out, *c.Reply)
			}
		}
	}
	return out
}

// What a person would write by hand is what is recorded.
func TestRecord_Readable(t *testing.T) {
	t.Parallel()
	got, err := Record(journalOf(t,
		agent.MessagePayload{Text: "I ask.\nFirst:", FinishReason: "tool_calls", Usage: agent.Usage{InputTokens: 12, OutputTokens: 3, Steps: 1}, ToolCalls: []agent.ToolCall{
			{ID: "q", Name: "ask_user", Args: json.RawMessage(`{"question":"Which?","options":[{"label":"A","n":1.5},{"label":"B"},[1,[]]],"a b":null,"x":{}}`)},
			{ID: "w", Name: "write_file", Args: json.RawMessage(`{"path":"a.md","content":"# A\n\n- b: \"c\"\n"}`)},
			{ID: "b", Name: "shell", Args: json.RawMessage(`"{broken"`)},
		}},
		agent.MessagePayload{Text: "Done {{workspace}}", FinishReason: "max_tokens", End: agent.EndCut},
	))
	if err != nil {
		t.Fatal(err)
	}
	want := `# agent recording of run r. Play it with --model script:FILE.
placeholders: false
turns:
  - text: |-
      I ask.
      First:
    toolCalls:
      - id: "q"
        name: "ask_user"
        args:
          question: "Which?"
          options:
            - label: "A"
              n: 1.5
            - label: "B"
            - - 1
              - []
          "a b": null
          x: {}
      - id: "w"
        name: "write_file"
        args:
          path: "a.md"
          content: |
            # A

            - b: "c"
      - id: "b"
        name: "shell"
        args: "{broken"
    usage: {inputTokens: 12, outputTokens: 3}
  - text: "Done {{workspace}}"
    finishReason: "max_tokens"
    end: "cut"
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Fatal(diff)
	}
	if !IsRecording(got) || IsRecording([]byte("turns: []\n")) {
		t.Fatal("a recording is not told from a script")
	}
}

func TestRecord_NothingSaid(t *testing.T) {
	t.Parallel()
	if got, err := Record(journalOf(t)); err != nil || got != nil {
		t.Fatalf("Record = %q, %v", got, err)
	}
}

// odd are texts that YAML, placeholders or an editor could change.
var odd = []string{
	"", " ", "\n", "a\n", "a\nb", "a\nb\n\n", "\na\nb", " a\nb", "\ta\nb", "a\n\tb", "a \nb", "a\nb ", "a\r\nb", "\x00\x07\x7f", "a\u0085b\u2028c\u2029d\ufeff",
	"{{answer}}\n{{workspace}}", "# no comment\n---\n...\n- x", "'\"\\`", "yes", "~", "1.0", "[[[[[[", strings.Repeat("[", 200) + "\n" + strings.Repeat("{", 200),
	"emoji 😀 界", "\ufffd", "%YAML\n&a *a !b", "key: |\n  x", "a\n# b\n  c\n\n\n d", "<b>&amp;</b>", "a\u200bb\nc", "?\n:", "-\n-",
}

// Whatever a model said is played as it was said: text, IDs, names, arguments
// byte by byte, tokens.
func TestRecord_PlaysLiterally(t *testing.T) {
	t.Parallel()
	var replies []agent.MessagePayload
	for i, s := range odd {
		inner, _ := json.Marshal(s)
		p := agent.MessagePayload{Text: s, FinishReason: s, Usage: agent.Usage{OutputTokens: int64(i)}}
		for _, args := range []string{
			`{"a":` + string(inner) + `,` + string(inner) + `:[{"b":[` + string(inner) + `,1e400,-0,1.0,12345678901234567890]}]}`,
			`{` + string(inner) + `:{"c":` + string(inner) + `}}`, `{"\u0041":"\/"}`, `{"a":1,"a":2}`, `{"<<":{"a":1}}`, `{"a":true,"b":[],"c":{},"d":null}`, string(inner),
			strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100),
		} {
			p.ToolCalls = append(p.ToolCalls, agent.ToolCall{ID: "id" + s, Name: "n" + s, Args: json.RawMessage(args)})
		}
		replies = append(replies, p)
	}
	checkPlayed(t, replies)
}

func checkPlayed(t testing.TB, replies []agent.MessagePayload) {
	t.Helper()
	data, err := Record(journalOf(t, replies...))
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range play(t, data, len(replies)) {
		want := replies[i]
		if got.Text != want.Text || got.FinishReason != want.FinishReason || got.End != want.End || got.Usage != want.Usage || len(got.ToolCalls) != len(want.ToolCalls) {
			t.Fatalf("reply %d: %+v, want %+v\n%s", i, got, want, data)
		}
		for k, c := range want.ToolCalls {
			have := got.ToolCalls[k]
			if have.ID != c.ID || have.Name != c.Name || !sameArgs(have.Args, c.Args) {
				t.Fatalf("call %d: %q %s, want %q %s\n%s", k, have.ID, have.Args, c.ID, c.Args, data)
			}
		}
	}
}

// sameArgs compares objects byte by byte, and text in their place as text.
func sameArgs(a, b json.RawMessage) bool {
	return argsText(a) == argsText(b) && a[0] == b[0] || bytes.Equal(compact(a), compact(b))
}

func FuzzRecord(f *testing.F) {
	for _, s := range odd {
		f.Add(s, `{"a":"b"}`)
	}
	f.Add("a", `{"a":{"b":[1,{"c":"x\ny"}]}}`)
	f.Fuzz(func(t *testing.T, text, args string) {
		text = strings.ToValidUTF8(text, "\ufffd")
		raw := json.RawMessage(strings.ToValidUTF8(args, "\ufffd"))
		if !json.Valid(raw) || !strings.HasPrefix(args, "{") { // the journal holds it as a string
			raw, _ = json.Marshal(args)
			if strings.HasPrefix(strings.TrimSpace(args), "{") && json.Valid([]byte(args)) {
				return // a provider's adapter gives it as the object it is
			}
		}
		inner, _ := json.Marshal(text)
		checkPlayed(t, []agent.MessagePayload{{Text: text, FinishReason: text, ToolCalls: []agent.ToolCall{
			{ID: text, Name: text, Args: raw}, {ID: "x", Name: "y", Args: json.RawMessage(`{"k":[` + string(inner) + `,{` + string(inner) + `:` + string(inner) + `}]}`)},
		}}})
	})
}
