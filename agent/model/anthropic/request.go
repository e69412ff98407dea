package anthropic

import (
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/seed-3e5a1d81/agent/agent"
)

// request is one question in the provider's form.
type request struct {
	params sdk.MessageNewParams
	prefix string // digest of all the model reads before it answers
	thinks bool   // carries thinking blocks of earlier replies
}

// request maps a question.
func (m *Model) request(req agent.Request, c conversation) (request, error) {
	p := sdk.MessageNewParams{Model: m.name, MaxTokens: m.maxTokens, Tools: toolParams(req.Tools)}
	if req.System != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	m.kind.think(m.thinking, &p)
	c.model = m.id
	c.binds = m.kind.binds()
	c.plain = c.plain || p.Thinking.OfDisabled != nil
	if err := c.begin(p.System, p.Tools); err != nil {
		return request{}, fmt.Errorf("encode request of %s: %w", m.id, err)
	}
	for _, msg := range req.Messages {
		c.add(msg)
	}
	messages, prefix, err := c.end()
	if err != nil {
		return request{}, fmt.Errorf("encode request of %s: %w", m.id, err)
	}
	p.Messages = messages
	if p.Thinking.OfEnabled != nil && (c.plain || !beganThinking(messages)) {
		p.Thinking = sdk.ThinkingConfigParamUnion{}
	}
	cache(&p)
	return request{params: p, prefix: prefix, thinks: c.thinks}, nil
}

// beganThinking reports whether a budget of thinking is allowed: the last turn
// of the assistant must begin with thinking if it called tools. It does not
// when another model, or this one without thinking, gave it.
func beganThinking(messages []sdk.MessageParam) bool {
	for i := len(messages) - 1; i >= 0; i-- {
		a := messages[i].OfAssistant
		if a == nil {
			continue
		}
		calls := false
		for _, b := range a.Content {
			calls = calls || b.OfToolUse != nil
		}
		return !calls || a.Content[0].OfThinking != nil || a.Content[0].OfRedactedThinking != nil
	}
	return true
}

func toolParams(defs []agent.Definition) []sdk.ToolUnionParam {
	tools := make([]sdk.ToolUnionParam, len(defs))
	for i, d := range defs {
		t := &sdk.ToolParam{Name: d.Name}
		if d.Description != "" {
			t.Description = sdk.String(d.Description)
		}
		if len(d.InputSchema) > 0 {
			t.InputSchema = param.Override[sdk.ToolInputSchemaParam](d.InputSchema)
		}
		tools[i].OfTool = t
	}
	return tools
}

// cache marks where the provider may keep what it read: after the tools, the
// system prompt, and the newest two turns of the user. The older of these two
// is what the request before marked, so it is found however many blocks the
// step between them has.
func cache(p *sdk.MessageNewParams) {
	mark := sdk.NewCacheControlEphemeralParam()
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = mark
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = mark
	}
	marked := 0
	for i := len(p.Messages) - 1; i >= 0 && marked < 2; i-- {
		u := p.Messages[i].OfUser
		if u == nil {
			continue
		}
		marked++
		switch last := u.Content[len(u.Content)-1]; {
		case last.OfText != nil:
			last.OfText.CacheControl = mark
		case last.OfToolResult != nil:
			last.OfToolResult.CacheControl = mark
		}
	}
}

// inputOf is the object the API wants for a call's arguments.
func inputOf(args json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(args, &object) == nil && object != nil {
		return args
	}
	var was any = string(args)
	if json.Valid(args) {
		was = args
	}
	wrapped, err := json.Marshal(map[string]any{"_invalid": was})
	if err != nil { // nested too deep to be wrapped
		return json.RawMessage(`{}`)
	}
	return wrapped
}
