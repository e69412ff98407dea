package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// responseEvent is one event of a streamed response; which fields it has
// depends on its type.
type responseEvent struct {
	Type         string          `json:"type"`
	OutputIndex  *int            `json:"output_index"`
	ItemID       string          `json:"item_id"`
	SummaryIndex int             `json:"summary_index"`
	Delta        words           `json:"delta"`
	Arguments    string          `json:"arguments"`
	Item         json.RawMessage `json:"item"`
	Response     *response       `json:"response"`
}

type response struct {
	Output     []json.RawMessage `json:"output"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		In     struct {
			Cached  int64 `json:"cached_tokens"`
			Written int64 `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		Out struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

// usage: what came from the cache or went into it is no input of its own.
func (r *response) usage() agent.Usage {
	u := r.Usage
	return agent.Usage{
		InputTokens: max(0, u.Input-u.In.Cached-u.In.Written), CacheReadTokens: u.In.Cached, CacheWriteTokens: u.In.Written,
		OutputTokens: u.Output, ReasoningTokens: u.Out.Reasoning,
	}
}

// item is one item of the output so far: reasoning, a message or a call.
type item struct {
	kind, id string
	call     partialCall
	text     strings.Builder
	refused  bool
	phase    string
	raw      json.RawMessage // whole, once it is
}

// itemData is an item as events and the response carry it.
type itemData struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	CallID    string    `json:"call_id"`
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
	Phase     string    `json:"phase"`
	Encrypted string    `json:"encrypted_content"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

// responseReply is the reply so far: items by their place in the output.
type responseReply struct {
	items map[int]*item
	final *response
}

func (r *respond) event(data []byte, emit func(agent.Chunk) bool) (done bool, err error) {
	data = bytes.TrimSpace(data)
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return false, nil // not of this API, but gateways send it; it ends nothing
	}
	var e responseEvent
	if err := decode(data, &e); err != nil {
		return false, err
	}
	chunk, listening := agent.Chunk{ID: e.ItemID, Text: string(e.Delta)}, true
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		it := r.item(e)
		it.text.WriteString(chunk.Text)
		it.refused = it.refused || e.Type == "response.refusal.delta"
		listening = chunk.Text == "" || emit(chunk)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		chunk.Reasoning = true
		listening = chunk.Text == "" || emit(chunk)
	case "response.reasoning_summary_part.added":
		listening = e.SummaryIndex == 0 || emit(agent.Chunk{ID: e.ItemID, Text: "\n\n", Reasoning: true})
	case "response.function_call_arguments.delta":
		r.item(e).call.args.WriteString(chunk.Text)
	case "response.function_call_arguments.done":
		r.item(e).call.set(e.Arguments)
	case "response.output_item.added", "response.output_item.done":
		err = r.item(e).read(e.Item, e.Type == "response.output_item.done")
	case "response.completed", "response.incomplete":
		return e.Response != nil, r.end(e.Response)
	case "response.failed", "response.cancelled", "error":
		return false, r.failed(e, data)
	case "":
		if c, ok := readComplaint(data); ok {
			return false, r.m.eventFault(c)
		}
	}
	if !listening {
		return false, errLeft
	}
	return false, err
}

// failed is the fault an event reports.
func (r *respond) failed(e responseEvent, data []byte) error {
	if e.Response != nil {
		data, _ = json.Marshal(map[string]json.RawMessage{"error": e.Response.Error})
	}
	c, _ := readComplaint(data)
	if e.Type == "error" && c.Type == "error" {
		c.Type = "" // the event's, not the error's
	}
	return r.m.eventFault(c)
}

// item returns the item an event is about. The place says which; where it is
// missing the ID does.
func (r *responseReply) item(e responseEvent) *item {
	id := e.ItemID
	if e.OutputIndex == nil {
		var data itemData
		if id == "" && json.Unmarshal(e.Item, &data) == nil {
			id = data.ID
		}
		for _, it := range r.items {
			if it.id == id {
				return it
			}
		}
		e.OutputIndex = new(int)
		for *e.OutputIndex = 0; r.items[*e.OutputIndex] != nil; *e.OutputIndex++ {
		}
	}
	it := r.items[*e.OutputIndex]
	if it == nil {
		it = &item{id: id}
		r.items[*e.OutputIndex] = it
	}
	return it
}

// set replaces the pieces of the arguments by the whole.
func (p *partialCall) set(args string) {
	if args != "" {
		p.args.Reset()
		p.args.WriteString(args)
	}
}

// read takes over what an item says of itself; what it leaves out stays as the
// deltas had it.
func (it *item) read(raw json.RawMessage, whole bool) error {
	var d itemData
	if err := decode(raw, &d); err != nil {
		return err
	}
	if d.Type != "" {
		it.kind = d.Type
	}
	if d.ID != "" {
		it.id = d.ID
	}
	if d.Phase != "" {
		it.phase = d.Phase
	}
	if d.CallID != "" {
		it.call.id = d.CallID
	}
	if d.Name != "" {
		it.call.name = d.Name
	}
	if !whole {
		return nil
	}
	it.call.set(string(d.Arguments))
	if it.kind == "message" && len(d.Content) > 0 {
		it.text.Reset()
		for _, c := range d.Content {
			it.text.WriteString(c.Text + c.Refusal)
			it.refused = it.refused || c.Type == "refusal"
		}
	}
	if it.kind == "reasoning" && (d.Encrypted != "" || len(d.Content) > 0) {
		it.raw = raw // without, there is nothing a server could make of it
	}
	return nil
}

// end takes the final response over. Its output is the last word, unless the
// server left it out.
func (r *responseReply) end(final *response) error {
	if final == nil {
		return garbled(nil)
	}
	r.final = final
	if len(final.Output) < len(r.items) {
		return nil
	}
	r.items = make(map[int]*item, len(final.Output))
	for i, raw := range final.Output {
		it := &item{}
		if err := it.read(raw, true); err != nil {
			return err
		}
		r.items[i] = it
	}
	return nil
}

func (r *respond) reply(bool) (*agent.Reply, error) {
	if r.final == nil {
		return nil, cut()
	}
	reply := &agent.Reply{Usage: r.final.usage(), FinishReason: r.final.Incomplete.Reason}
	kept := responseBlocks{Version: blocksVersion, API: Responses}
	var texts []string
	for _, i := range slices.Sorted(maps.Keys(r.items)) {
		switch it := r.items[i]; it.kind {
		case "reasoning":
			if it.raw != nil {
				kept.Parts = append(kept.Parts, responseBlock{Reasoning: it.raw})
			}
		case "function_call":
			if call, ok := it.call.call(r.final.Incomplete.Reason != ""); ok {
				n := len(reply.ToolCalls)
				kept.Parts = append(kept.Parts, responseBlock{Call: &n})
				reply.ToolCalls = append(reply.ToolCalls, call)
			}
		default:
			text := it.text.String()
			if text == "" {
				continue
			}
			kept.Parts = append(kept.Parts, responseBlock{Text: text, Phase: it.phase})
			texts = append(texts, text)
			if it.refused {
				reply.FinishReason = "refusal"
			}
		}
	}
	reply.Text, reply.End = strings.Join(texts, "\n\n"), endOf(reply.FinishReason)
	if reply.FinishReason == "" {
		reply.FinishReason = "completed"
	}
	reply.Blocks = kept.encode(len(texts) == 1)
	return reply, nil
}

// encode is nil where nothing is kept that text and calls do not say. A text in
// one piece is the reply's and not kept twice.
func (k responseBlocks) encode(onePiece bool) json.RawMessage {
	needed := slices.ContainsFunc(k.Parts, func(b responseBlock) bool { return b.Reasoning != nil || b.Phase != "" })
	if !needed {
		return nil
	}
	for i := range k.Parts {
		if k.Parts[i].Text != "" && onePiece {
			k.Parts[i].Text, k.Parts[i].Whole = "", true
		}
	}
	raw, err := json.Marshal(k)
	if err != nil { // of JSON that was read
		return nil
	}
	return raw
}
