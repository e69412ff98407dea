package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/seed-3e5a1d81/agent/agent"
)

// chatRequest is the body of a request. It is written here rather than with the
// SDK's types: those are in its root package, which costs a start-up several
// milliseconds and a build two minutes, and they have no place for what other
// vendors add.
type chatRequest struct {
	Model           string         `json:"model"`
	Messages        []chatMessage  `json:"messages"`
	Tools           []chatTool     `json:"tools,omitempty"`
	Stream          bool           `json:"stream"`
	StreamOptions   map[string]any `json:"stream_options"`
	ReasoningEffort string         `json:"reasoning_effort,omitempty"`
	Reasoning       map[string]any `json:"reasoning,omitempty"` // OpenRouter's
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	// What some vendors want back of an earlier reply.
	ReasoningContent string           `json:"reasoning_content,omitempty"`
	Reasoning        string           `json:"reasoning,omitempty"`
	ReasoningDetails []map[string]any `json:"reasoning_details,omitempty"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// chatBlocks is what is kept of a reply: what its vendor wants back.
type chatBlocks struct {
	Version          int                     `json:"v"`
	API              string                  `json:"api"`
	ReasoningContent string                  `json:"reasoningContent,omitempty"`
	Reasoning        string                  `json:"reasoning,omitempty"`
	ReasoningDetails []map[string]any        `json:"reasoningDetails,omitempty"`
	Extra            map[int]json.RawMessage `json:"extra,omitempty"` // by place of the call
}

const blocksVersion = 1

func (m *Model) chatRequest(req agent.Request) chatRequest {
	out := chatRequest{
		Model: m.name, Stream: true, StreamOptions: map[string]any{"include_usage": true},
		Messages: m.chatMessages(req),
	}
	for _, d := range req.Tools {
		out.Tools = append(out.Tools, chatTool{Type: "function", Function: chatFunction{d.Name, d.Description, schema(d)}})
	}
	switch effort := m.effort(); {
	case effort == "":
	case m.provider.vendor.nested:
		out.Reasoning = map[string]any{"effort": effort}
	default:
		out.ReasoningEffort = effort
	}
	return out
}

func (m *Model) chatMessages(req agent.Request) []chatMessage {
	var out []chatMessage
	say := func(role, text string) { out = append(out, chatMessage{Role: role, Content: &text}) }
	if req.System != "" {
		say("system", req.System)
	}
	for _, msg := range req.Messages {
		switch msg.Role {
		case agent.RoleUser:
			say("user", msg.Text)
		case agent.RoleAssistant:
			if msg.Text != "" || len(msg.ToolCalls) > 0 { // an empty one is refused
				out = append(out, m.chatAssistant(msg))
			}
		case agent.RoleTool:
			for _, o := range msg.Outputs {
				say("tool", output(o))
				out[len(out)-1].ToolCallID = wireID(o.CallID)
			}
		}
	}
	return out
}

func (m *Model) chatAssistant(msg agent.Message) chatMessage {
	out := chatMessage{Role: "assistant"}
	if msg.Text != "" {
		out.Content = &msg.Text
	}
	var kept chatBlocks
	own := msg.Model == m.ID() && json.Unmarshal(msg.Blocks, &kept) == nil && kept.API == Chat && kept.Version == blocksVersion
	if own {
		out.ReasoningContent, out.Reasoning, out.ReasoningDetails = kept.ReasoningContent, kept.Reasoning, kept.ReasoningDetails
	}
	for i, c := range msg.ToolCalls {
		call := chatCall{ID: wireID(c.ID), Type: "function"}
		call.Function.Name, call.Function.Arguments = c.Name, m.sentArgs(c)
		switch {
		case own:
			call.ExtraContent = kept.Extra[i]
		case i == 0 && m.provider.vendor.signed != nil && m.provider.vendor.signed(m.name):
			call.ExtraContent = json.RawMessage(unsigned)
		}
		out.ToolCalls = append(out.ToolCalls, call)
	}
	return out
}

// unsigned is what Gemini's documentation has for calls it did not make: the
// first of a message must carry a signature or this word.
const unsigned = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// chat is one exchange by chat completions.
type chat struct {
	m   *Model
	req agent.Request
	chatReply
}

func newChat(m *Model, req agent.Request) *chat { return &chat{m: m, req: req} }

func (c *chat) send(ctx context.Context, client *http.Client) (*http.Response, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c.m.chatRequest(c.req)); err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.m.endpoint("chat/completions"), &body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", userAgent)
	if c.m.provider.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+c.m.provider.APIKey)
	}
	for k, v := range c.m.provider.Headers {
		req.Header.Set(k, v)
	}
	return client.Do(req) //nolint:bodyclose // the caller's
}

const userAgent = "agent (github.com/seed-3e5a1d81/agent)"
