package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/seed-3e5a1d81/agent/agent"
)

// kept is what Reply.Blocks holds of a reply that has more than text and
// calls: the order of its blocks, and in full those that agent.Message has no
// place for, thinking above all. Text and calls are not held twice.
type kept struct {
	Version int    `json:"v"`
	Prefix  string `json:"prefix"` // digest of what stood before the reply
	Content []part `json:"content"`

	thinking bool // whether thinking goes back
}

// part is one block: some bytes of the message's text, the next of its calls,
// or, as the provider sent it, anything else.
type part struct {
	Text int             `json:"text,omitempty"`
	Call bool            `json:"call,omitempty"`
	Raw  json.RawMessage `json:"raw,omitempty"`
}

const keptVersion = 1

// keptOf reads what was kept of a message, if this model made it.
func keptOf(msg agent.Message, model string) kept {
	var k kept
	if msg.Model != model || json.Unmarshal(msg.Blocks, &k) != nil || k.Version != keptVersion {
		return kept{}
	}
	return k
}

// blocks are the blocks of a message, in the order the model gave them.
func (k kept) blocks(msg agent.Message) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	text, calls := msg.Text, msg.ToolCalls
	for _, p := range k.inOrder(msg) {
		switch {
		case len(p.Raw) > 0:
			if b, ok := rawBlock(p.Raw); ok && (k.thinking || !isThinking(b)) {
				out = append(out, b)
			}
		case p.Call:
			out = append(out, callBlock(calls[0]))
			calls = calls[1:]
		default:
			if piece := text[:p.Text]; strings.TrimSpace(piece) != "" {
				out = append(out, sdk.NewTextBlock(piece))
			}
			text = text[p.Text:]
		}
	}
	return out
}

// inOrder are the parts, or, when they do not fit the message, as when a secret
// in its text was masked since: what was kept, the text, the calls.
func (k kept) inOrder(msg agent.Message) []part {
	text, calls := 0, 0
	var raws []part
	sound := true
	for _, p := range k.Content {
		switch {
		case len(p.Raw) > 0:
			raws = append(raws, p)
		case p.Call:
			calls++
		default:
			sound = sound && p.Text > 0
			text += p.Text
		}
	}
	if sound && text == len(msg.Text) && calls == len(msg.ToolCalls) {
		return k.Content
	}
	parts := append(raws, part{Text: len(msg.Text)})
	for range msg.ToolCalls {
		parts = append(parts, part{Call: true})
	}
	return parts
}

// rawBlock is a block that goes back as it came.
func rawBlock(raw json.RawMessage) (b sdk.ContentBlockParamUnion, ok bool) {
	var head struct{ Type string }
	if json.Unmarshal(raw, &head) != nil {
		return b, false
	}
	switch head.Type {
	case kindThinking:
		thinking := param.Override[sdk.ThinkingBlockParam](raw)
		b.OfThinking = &thinking
	case kindRedacted:
		redacted := param.Override[sdk.RedactedThinkingBlockParam](raw)
		b.OfRedactedThinking = &redacted
	default:
		b = param.Override[sdk.ContentBlockParamUnion](raw)
	}
	return b, true
}

func isThinking(b sdk.ContentBlockParamUnion) bool {
	return b.OfThinking != nil || b.OfRedactedThinking != nil
}
