package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Kinds of blocks and reasons to stop that mean something here.
const (
	kindText     = "text"
	kindToolUse  = "tool_use"
	kindThinking = "thinking"
	kindRedacted = "redacted_thinking"

	stopPause     = "pause_turn"
	stopRefusal   = "refusal"
	stopMaxTokens = "max_tokens"
	stopWindow    = "model_context_window_exceeded"
)

// answer gathers a reply from the events of its streams; there are several
// when the provider paused.
type answer struct {
	prefix string
	blocks []*block
	byNo   map[int]*block // of the stream at hand
	done   agent.Usage    // of earlier streams
	now    usage
	stop   string
	why    stopDetails
}

// block is one block of content in the making.
type block struct {
	no    int // among all of the answer
	kind  string
	start json.RawMessage // as it was announced
	head  struct {
		ID, Name, Text string
		Input          json.RawMessage
	}
	text, thinking, signature, input literal
}

// literal is a JSON string in the making, kept as it is written, without its
// quotes: what is taken apart and put together again could come back changed.
type literal []byte

func (l *literal) add(piece json.RawMessage) error {
	if len(piece) == 0 || string(piece) == "null" {
		return nil
	}
	if len(piece) < 2 || piece[0] != '"' {
		return errors.New("a piece of text is no string")
	}
	*l = append(*l, piece[1:len(piece)-1]...)
	return nil
}

func (l literal) raw() json.RawMessage {
	return json.RawMessage(`"` + string(l) + `"`)
}

func (l literal) String() string {
	var s string
	if json.Unmarshal(l.raw(), &s) != nil {
		return "" // cannot be: the pieces were strings
	}
	return s
}

// begin is a new stream of the same answer.
func (a *answer) begin() {
	a.done, a.now = a.usage(), usage{}
	a.byNo = map[int]*block{}
	a.stop, a.why = "", stopDetails{}
}

// take takes an event in and returns what there is to show of it. Events and
// deltas of unknown types are skipped: the API may gain some at any time.
func (a *answer) take(e event) (agent.Chunk, error) {
	switch e.Type {
	case "message_start":
		a.now.update(e.Message.Usage)
	case "message_delta":
		a.now.update(e.Usage)
		if e.Delta.StopReason != "" {
			a.stop, a.why = e.Delta.StopReason, e.Delta.StopDetails
		}
	case "content_block_start":
		return a.start(e)
	case "content_block_delta":
		b := a.byNo[e.Index]
		if b == nil {
			return agent.Chunk{}, fmt.Errorf("a piece of block %d came before the block", e.Index)
		}
		return b.delta(e.Delta)
	}
	return agent.Chunk{}, nil
}

func (a *answer) start(e event) (agent.Chunk, error) {
	if a.byNo[e.Index] != nil {
		return agent.Chunk{}, fmt.Errorf("block %d began twice", e.Index)
	}
	var head struct{ Type string }
	b := &block{no: len(a.blocks), start: e.ContentBlock}
	if json.Unmarshal(e.ContentBlock, &head) != nil || json.Unmarshal(e.ContentBlock, &b.head) != nil {
		return agent.Chunk{}, fmt.Errorf("block %d is no block", e.Index)
	}
	b.kind = head.Type
	a.byNo[e.Index] = b
	a.blocks = append(a.blocks, b)
	if b.kind != kindText || b.head.Text == "" {
		return agent.Chunk{}, nil
	}
	text, err := json.Marshal(b.head.Text)
	if err != nil {
		return agent.Chunk{}, err
	}
	return b.delta(delta{Type: "text_delta", Text: text})
}

func (b *block) delta(d delta) (agent.Chunk, error) {
	chunk := agent.Chunk{ID: strconv.Itoa(b.no)}
	switch d.Type {
	case "text_delta":
		chunk.Text = shown(d.Text)
		return chunk, b.text.add(d.Text)
	case "thinking_delta":
		chunk.Text, chunk.Reasoning = shown(d.Thinking), true
		return chunk, b.thinking.add(d.Thinking)
	case "signature_delta":
		return agent.Chunk{}, b.signature.add(d.Signature)
	case "input_json_delta":
		return agent.Chunk{}, b.input.add(d.PartialJSON)
	}
	return agent.Chunk{}, nil
}

func shown(piece json.RawMessage) string {
	var s string
	if json.Unmarshal(piece, &s) != nil {
		return "" // add tells
	}
	return s
}

// args is what the model gave as arguments: an object, or a JSON string with
// what it gave instead.
func (b *block) args(cut bool) json.RawMessage {
	given := []byte(b.input.String())
	switch {
	case len(bytes.TrimSpace(given)) > 0 && json.Valid(given):
		return given
	case len(bytes.TrimSpace(given)) > 0:
		quoted, err := json.Marshal(string(given))
		if err == nil {
			return quoted
		}
	case cut: // {} would be taken for what it wanted to say
		return json.RawMessage(`""`)
	case len(b.head.Input) > 0 && string(b.head.Input) != "null":
		return b.head.Input
	}
	return json.RawMessage(`{}`)
}

// raw is the block as the provider sent it, its pieces put in place.
func (b *block) raw() (json.RawMessage, error) {
	pieces := map[string]literal{"thinking": b.thinking, "signature": b.signature, "text": b.text}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(b.start, &fields); err != nil {
		return nil, fmt.Errorf("encode block %d: %w", b.no, err)
	}
	changed := false
	for name, l := range pieces {
		if len(l) > 0 {
			fields[name], changed = l.raw(), true
		}
	}
	if len(b.input) > 0 {
		fields["input"], changed = b.args(false), true
	}
	if !changed {
		return b.start, nil
	}
	return json.Marshal(fields)
}

// reply is the whole reply. A refused one keeps its text alone: the API wants
// neither calls nor thinking of it back.
func (a *answer) reply() *agent.Reply {
	r := &agent.Reply{Usage: a.usage(), FinishReason: a.stop, End: a.end()}
	k := kept{Version: keptVersion, Prefix: a.prefix}
	cut := r.End == agent.EndCut
	more := false
	for i, b := range a.blocks {
		switch b.kind {
		case kindText:
			if text := b.text.String(); text != "" {
				r.Text += text
				k.Content = append(k.Content, part{Text: len(text)})
			}
		case kindToolUse:
			r.ToolCalls = append(r.ToolCalls, agent.ToolCall{
				ID: b.head.ID, Name: b.head.Name, Args: b.args(cut && i == len(a.blocks)-1),
			})
			k.Content = append(k.Content, part{Call: true})
		default:
			if raw, err := b.raw(); err == nil {
				k.Content = append(k.Content, part{Raw: raw})
				more = true
			}
		}
	}
	if a.stop == stopRefusal {
		r.ToolCalls, more = nil, false
		r.Text += a.refusal()
	}
	if more {
		r.Blocks, _ = json.Marshal(k) // the parts are valid JSON
	}
	return r
}

// end is how the loop understands the reason to stop.
func (a *answer) end() agent.End {
	switch a.stop {
	case stopMaxTokens, stopWindow:
		return agent.EndCut
	case stopRefusal:
		return agent.EndRefused
	}
	return ""
}

// refusal says in the reply's text that there will be no more of it.
func (a *answer) refusal() string {
	s := "The model declined to answer this request"
	if a.why.Category != "" {
		s += " (" + a.why.Category + ")"
	}
	if why := strings.TrimSpace(a.why.Explanation); why != "" {
		s += ": " + why
	} else {
		s += "."
	}
	for _, b := range a.blocks {
		if b.kind == kindText && len(b.text) > 0 {
			return "\n\n" + s
		}
	}
	return s
}

// message is the answer so far, to be continued.
func (a *answer) message(model string) agent.Message {
	r := a.reply()
	return agent.Message{Role: agent.RoleAssistant, Text: r.Text, ToolCalls: r.ToolCalls, Model: model, Blocks: r.Blocks}
}

// usage is the sum over the streams. Input does not count what was read from
// the cache or written to it.
func (a *answer) usage() agent.Usage {
	u := a.done
	u.InputTokens += value(a.now.Input)
	u.OutputTokens += value(a.now.Output)
	u.CacheReadTokens += value(a.now.CacheRead)
	u.CacheWriteTokens += value(a.now.CacheWrite)
	u.ReasoningTokens += value(a.now.Details.Thinking)
	return u
}
