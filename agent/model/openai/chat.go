package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// chatEvent is one event of a stream of chat completions.
type chatEvent struct {
	Choices []struct {
		Index        int       `json:"index"`
		Delta        chatDelta `json:"delta"`
		FinishReason string    `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage `json:"usage"`
}

type chatDelta struct {
	Content          words            `json:"content"`
	Refusal          words            `json:"refusal"`
	ReasoningContent words            `json:"reasoning_content"`
	Reasoning        words            `json:"reasoning"`
	ReasoningDetails []map[string]any `json:"reasoning_details"`
	ToolCalls        []callDelta      `json:"tool_calls"`
}

type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

type chatUsage struct {
	Prompt     int64    `json:"prompt_tokens"`
	Completion int64    `json:"completion_tokens"`
	Cost       *float64 `json:"cost"`
	In         struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// tokens: what came from the cache is no input of its own.
func (c *chat) tokens() agent.Usage {
	u := c.usage
	if u == nil {
		return agent.Usage{}
	}
	usage := agent.Usage{
		InputTokens: max(0, u.Prompt-u.In.Cached), CacheReadTokens: u.In.Cached,
		OutputTokens: u.Completion, ReasoningTokens: u.Out.Reasoning,
	}
	if c.m.provider.vendor.priced {
		usage.Cost = u.Cost
	}
	return usage
}

// words is a text, or a list of parts of which those with text count.
type words string

// UnmarshalJSON takes anything; what is no text is none.
func (w *words) UnmarshalJSON(data []byte) error {
	text := ""
	if json.Unmarshal(data, &text) == nil {
		*w = words(text)
		return nil
	}
	var parts []struct{ Text string }
	if json.Unmarshal(data, &parts) == nil {
		for _, p := range parts {
			*w += words(p.Text)
		}
	}
	return nil
}

// arguments are a piece of JSON in a string; some servers send the JSON itself.
type arguments string

// UnmarshalJSON takes both.
func (a *arguments) UnmarshalJSON(data []byte) error {
	text := ""
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	*a = arguments(text)
	return nil
}

// chatReply is the reply so far.
type chatReply struct {
	text, refusal, reasoning strings.Builder
	reasoningContent         bool // the name the reasoning came by
	details                  []map[string]any
	calls                    []*partialCall
	byIndex                  map[int]*partialCall
	finish                   string
	usage                    *chatUsage
}

func (c *chat) event(data []byte, emit func(agent.Chunk) bool) (done bool, err error) {
	data = bytes.TrimSpace(data)
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return true, nil
	}
	if bytes.Contains(data, []byte(`"error"`)) || bytes.Contains(data, []byte(`"message"`)) {
		if fault := c.m.reported(data); fault != nil {
			return false, fault
		}
	}
	var e chatEvent
	if err := decode(data, &e); err != nil {
		return false, err
	}
	if e.Usage != nil {
		c.usage = e.Usage
	}
	for _, choice := range e.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.FinishReason != "" {
			c.finish = choice.FinishReason
		}
		if !c.add(choice.Delta, emit) {
			return false, errLeft
		}
	}
	return false, nil
}

// reported returns the error an event of a chat reports, nil if none.
func (m *Model) reported(data []byte) error {
	var e struct {
		Choices json.RawMessage `json:"choices"`
		Error   json.RawMessage `json:"error"`
	}
	if decode(data, &e) == nil && (len(e.Error) > 0 || len(e.Choices) == 0) {
		if c, ok := readComplaint(data); ok {
			return m.eventFault(c)
		}
	}
	return nil
}

// decode reads an event. A field of an unexpected type is left out; the others
// are read all the same.
func decode(data []byte, event any) error {
	err := json.Unmarshal(data, event)
	if err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return garbled(err)
	}
	return nil
}

// add takes a delta in; false means that nobody listens any more.
func (r *chatReply) add(d chatDelta, emit func(agent.Chunk) bool) bool {
	thought := string(d.ReasoningContent)
	if thought != "" {
		r.reasoningContent = true
	} else {
		thought = string(d.Reasoning)
	}
	r.reasoning.WriteString(thought)
	r.addDetails(d.ReasoningDetails)
	for _, piece := range d.ToolCalls {
		r.addCall(piece)
	}
	r.text.WriteString(string(d.Content))
	r.refusal.WriteString(string(d.Refusal))
	said := string(d.Content + d.Refusal)
	return (thought == "" || emit(agent.Chunk{ID: "reasoning", Text: thought, Reasoning: true})) &&
		(said == "" || emit(agent.Chunk{ID: "text", Text: said}))
}

func (r *chatReply) addCall(d callDelta) {
	c := r.find(d)
	if c == nil {
		c = &partialCall{id: d.ID}
		r.calls = append(r.calls, c)
	}
	if d.Index != nil {
		if r.byIndex == nil {
			r.byIndex = make(map[int]*partialCall)
		}
		r.byIndex[*d.Index] = c
	}
	if c.id == "" {
		c.id = d.ID
	}
	if name := d.Function.Name; name != c.name && c.args.Len() == 0 {
		c.name += name
	}
	if args := string(d.Function.Arguments); args != "null" {
		c.args.WriteString(args)
	}
	if len(d.ExtraContent) > 0 && string(d.ExtraContent) != "null" {
		c.extra = d.ExtraContent
	}
}

// find returns the call a piece belongs to, nil for a new one. IDs decide
// where there are any: some servers give all calls the same index, or none.
func (r *chatReply) find(d callDelta) *partialCall {
	if d.ID != "" {
		if i := slices.IndexFunc(r.calls, func(c *partialCall) bool { return c.id == d.ID }); i >= 0 {
			return r.calls[i]
		}
	}
	begins := d.Function.Name != ""
	if d.Index != nil {
		if c := r.byIndex[*d.Index]; c != nil && (d.ID == "" || c.id == "" || !begins) {
			return c
		}
		return nil
	}
	if n := len(r.calls); n > 0 && !begins {
		return r.calls[n-1]
	}
	return nil
}

// addDetails joins the pieces of OpenRouter's reasoning_details.
func (r *chatReply) addDetails(pieces []map[string]any) {
	for _, p := range pieces {
		n := len(r.details)
		if n == 0 || r.details[n-1]["type"] != p["type"] || r.details[n-1]["index"] != p["index"] {
			r.details = append(r.details, p)
			continue
		}
		last := r.details[n-1]
		for k, v := range p {
			before, _ := last[k].(string)
			switch text, ok := v.(string); {
			case ok && (k == "text" || k == "summary" || k == "data"):
				last[k] = before + text
			case v != nil:
				last[k] = v
			}
		}
	}
}

// reply: a stream that ended after a reason to finish lacks nothing but its
// last words, which not every server says.
func (c *chat) reply(whole bool) (*agent.Reply, error) {
	if !whole && c.finish == "" || c.finish == "error" {
		return nil, cut()
	}
	reply := &agent.Reply{Text: c.text.String(), Usage: c.tokens(), FinishReason: c.finish}
	if c.refusal.Len() > 0 {
		reply.Text += c.refusal.String()
		reply.FinishReason = "refusal"
	}
	reply.End = endOf(reply.FinishReason)
	extra := make(map[int]json.RawMessage)
	for _, p := range c.calls {
		call, ok := p.call(c.finish == "length" || c.finish == "content_filter")
		if !ok {
			continue
		}
		if p.extra != nil {
			extra[len(reply.ToolCalls)] = p.extra
		}
		reply.ToolCalls = append(reply.ToolCalls, call)
	}
	reply.Blocks = c.blocks(len(reply.ToolCalls) > 0, extra)
	return reply, nil
}

// blocks keeps what the next request has to bring along. That is only so
// while calls are being answered.
func (c *chat) blocks(calls bool, extra map[int]json.RawMessage) json.RawMessage {
	kept := chatBlocks{Version: blocksVersion, API: Chat, Extra: extra}
	switch {
	case !calls:
		return nil
	case len(c.details) > 0:
		kept.ReasoningDetails = c.details
	case c.reasoningContent:
		kept.ReasoningContent = c.reasoning.String()
	case c.m.provider.vendor.reasoning:
		kept.Reasoning = c.reasoning.String()
	}
	if len(extra) == 0 && len(kept.ReasoningDetails) == 0 && kept.ReasoningContent+kept.Reasoning == "" {
		return nil
	}
	raw, err := json.Marshal(kept)
	if err != nil { // of JSON that was read
		return nil
	}
	return raw
}
