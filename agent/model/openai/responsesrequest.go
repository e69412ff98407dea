package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/seed-3e5a1d81/agent/agent"
)

// responseBlocks is what is kept of a reply, in its order.
type responseBlocks struct {
	Version int             `json:"v"`
	API     string          `json:"api"`
	Parts   []responseBlock `json:"parts"`
}

// responseBlock is one item: reasoning as it came, the rest by reference.
type responseBlock struct {
	Reasoning json.RawMessage `json:"reasoning,omitempty"`
	Call      *int            `json:"call,omitempty"`  // place among the reply's calls
	Whole     bool            `json:"whole,omitempty"` // the reply's text, if it is one piece
	Text      string          `json:"text,omitempty"`  // a piece of it
	Phase     string          `json:"phase,omitempty"` // of the text
}

// respond is one exchange by the Responses API.
type respond struct {
	m   *Model
	req agent.Request
	responseReply
}

func newResponses(m *Model, req agent.Request) *respond {
	return &respond{m: m, req: req, responseReply: responseReply{items: make(map[int]*item)}}
}

func (r *respond) send(ctx context.Context, client *http.Client) (*http.Response, error) {
	params, err := r.m.responseParams(r.req)
	if err != nil {
		return nil, err
	}
	opts := []option.RequestOption{
		option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithBaseURL(r.m.endpoint("")),
		option.WithHeader("Accept", "text/event-stream"), option.WithHeader("User-Agent", userAgent),
		option.WithJSONSet("stream", true),
	}
	if r.m.provider.APIKey != "" {
		opts = append(opts, option.WithAPIKey(r.m.provider.APIKey))
	}
	for k, v := range r.m.provider.Headers {
		opts = append(opts, option.WithHeader(k, v))
	}
	var res *http.Response
	service := responses.NewResponseService(opts...)
	if _, err := service.New(ctx, params, option.WithResponseBodyInto(&res)); err != nil {
		return nil, err
	}
	return res, nil
}

func (m *Model) responseParams(req agent.Request) (responses.ResponseNewParams, error) {
	p := responses.ResponseNewParams{
		Model: shared.ResponsesModel(m.name), Store: param.NewOpt(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: m.responseInput(req)},
	}
	if req.System != "" {
		p.Instructions = param.NewOpt(req.System)
	}
	if m.provider.vendor.cacheKey && req.RunID != "" {
		p.PromptCacheKey = param.NewOpt(req.RunID)
	}
	if reasons(m.name) {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if effort := m.effort(); effort != "" {
		p.Reasoning.Effort = shared.ReasoningEffort(effort)
		if m.opts.Thinking != "off" {
			p.Reasoning.Summary = shared.ReasoningSummaryAuto
		}
	}
	for _, d := range req.Tools {
		var parameters map[string]any
		if err := json.Unmarshal(schema(d), &parameters); err != nil {
			return p, fmt.Errorf("read schema of %s: %w", d.Name, err)
		}
		tool := responses.ToolParamOfFunction(d.Name, parameters, false)
		tool.OfFunction.Description = param.NewOpt(d.Description)
		p.Tools = append(p.Tools, tool)
	}
	return p, nil
}

func (m *Model) responseInput(req agent.Request) []responses.ResponseInputItemUnionParam {
	out := []responses.ResponseInputItemUnionParam{}
	for _, msg := range req.Messages {
		switch msg.Role {
		case agent.RoleUser:
			out = append(out, responses.ResponseInputItemParamOfMessage(msg.Text, responses.EasyInputMessageRoleUser))
		case agent.RoleAssistant:
			out = append(out, m.responseAssistant(msg)...)
		case agent.RoleTool:
			for _, o := range msg.Outputs {
				item := responses.ResponseInputItemParamOfFunctionCallOutput(output(o))
				item.OfFunctionCallOutput.CallID = param.NewOpt(wireID(o.CallID))
				out = append(out, item)
			}
		}
	}
	return out
}

// responseAssistant is an earlier reply: in its own order with its reasoning
// if this model gave it, as text and calls otherwise.
func (m *Model) responseAssistant(msg agent.Message) []responses.ResponseInputItemUnionParam {
	var out []responses.ResponseInputItemUnionParam
	for _, b := range m.parts(msg) {
		switch {
		case b.Reasoning != nil:
			raw := param.Override[responses.ResponseReasoningItemParam](b.Reasoning)
			out = append(out, responses.ResponseInputItemUnionParam{OfReasoning: &raw})
		case b.Call != nil:
			c := msg.ToolCalls[*b.Call]
			out = append(out, responses.ResponseInputItemParamOfFunctionCall(m.sentArgs(c), wireID(c.ID), c.Name))
		case b.Whole && msg.Text != "" || b.Text != "":
			text := b.Text
			if b.Whole {
				text = msg.Text
			}
			said := responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleAssistant)
			said.OfMessage.Phase = responses.EasyInputMessagePhase(b.Phase)
			out = append(out, said)
		}
	}
	return out
}

// parts are the items of an earlier reply. What was kept of it counts only if
// it is this model's and names every call once.
func (m *Model) parts(msg agent.Message) []responseBlock {
	var kept responseBlocks
	if msg.Model == m.ID() && json.Unmarshal(msg.Blocks, &kept) == nil && kept.API == Responses &&
		kept.Version == blocksVersion && kept.complete(len(msg.ToolCalls)) {
		return kept.Parts
	}
	parts := []responseBlock{{Whole: true}}
	for i := range msg.ToolCalls {
		parts = append(parts, responseBlock{Call: &i})
	}
	return parts
}

func (k responseBlocks) complete(calls int) bool {
	next := 0
	for _, b := range k.Parts {
		if b.Call == nil {
			continue
		}
		if *b.Call != next {
			return false
		}
		next++
	}
	return next == calls
}
