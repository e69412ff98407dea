package agent

import (
	"context"
	"encoding/json"
	"iter"
)

// Model is a language model. Implementations are safe for concurrent use.
type Model interface {
	// ID is "provider/model" or another name the resolver understands.
	ID() string
	// Stream asks for one reply: deltas as they come, then exactly one Chunk
	// with the whole Reply, which is the last. A fault of the provider is a
	// *ProviderError, once, last; a stream that ends without a Reply counts as
	// cut. Any other error fails the run. Retries are the loop's business.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Request is one question to a model.
type Request struct {
	RunID     string
	Workspace string
	Mode      string
	Turn      int // replies this model ID has given in the run so far
	Faults    int // attempts at this turn that failed so far
	System    string
	Messages  []Message
	Tools     []Definition
}

// Role says who speaks in a Message.
type Role string

// Roles of a conversation.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one turn of the conversation in a vendor-neutral form. Every tool
// call of an assistant message is answered by a ToolOutput in the RoleTool
// message that follows it.
type Message struct {
	Role      Role
	Text      string
	ToolCalls []ToolCall   // RoleAssistant
	Outputs   []ToolOutput // RoleTool, in call order
	Model     string       // RoleAssistant: the model that said it
	note      bool         // words of the loop, not of the person
	// Blocks is what the adapter of Model kept of the reply (thinking blocks
	// and the like); only that adapter reads it.
	Blocks json.RawMessage
}

// ToolCall is a call a model asked for. Args is a JSON object; what a model
// sent instead of one is kept as a JSON string.
type ToolCall struct {
	ID   string          `json:"toolCallId"`
	Name string          `json:"toolName"`
	Args json.RawMessage `json:"args"`
}

// ToolOutput is the result of one call as the model reads it.
type ToolOutput struct {
	CallID  string
	Name    string
	Content string
	IsError bool
}

// Chunk is a piece of a reply: a delta (Text, or Reasoning with Text), or the
// last one with the whole Reply.
type Chunk struct {
	ID        string // groups the deltas of one block
	Text      string
	Reasoning bool
	Reply     *Reply
}

// Reply is a whole reply of a model.
type Reply struct {
	Text         string
	ToolCalls    []ToolCall
	Usage        Usage
	FinishReason string // as the provider names it; "" is fine
	End          End
	Blocks       json.RawMessage
}

// End says how a reply came to an end it did not choose; "" for one that did.
type End string

// Ends of replies the loop acts on.
const (
	EndCut     End = "cut"     // at the most tokens a reply may have
	EndRefused End = "refused" // the model, or a filter of its provider, declined
)

// Usage counts tokens and steps. InputTokens leaves out what was read from or
// written to the provider's cache; ReasoningTokens are part of OutputTokens.
// Cost is in US dollars, nil when unknown.
type Usage struct {
	InputTokens      int64    `json:"inputTokens"`
	OutputTokens     int64    `json:"outputTokens"`
	CacheReadTokens  int64    `json:"cacheReadTokens"`
	CacheWriteTokens int64    `json:"cacheWriteTokens"`
	ReasoningTokens  int64    `json:"reasoningTokens"`
	Steps            int64    `json:"steps"`
	Cost             *float64 `json:"cost"`
}

// Tokens is everything that went in and came out.
func (u Usage) Tokens() int64 {
	return u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens
}

// add returns the sum; the cost of a sum is known when every part's is.
func (u Usage) add(v Usage) Usage {
	sum := Usage{
		InputTokens:      u.InputTokens + v.InputTokens,
		OutputTokens:     u.OutputTokens + v.OutputTokens,
		CacheReadTokens:  u.CacheReadTokens + v.CacheReadTokens,
		CacheWriteTokens: u.CacheWriteTokens + v.CacheWriteTokens,
		ReasoningTokens:  u.ReasoningTokens + v.ReasoningTokens,
		Steps:            u.Steps + v.Steps,
	}
	switch {
	case u.Steps == 0:
		sum.Cost = v.Cost
	case u.Cost != nil && v.Cost != nil:
		c := *u.Cost + *v.Cost
		sum.Cost = &c
	}
	return sum
}

// ModelFacts is what is known of a model beside its name; zero fields are
// unknown.
type ModelFacts struct {
	ContextWindow int64   // tokens a request and its reply may have together
	MaxOutput     int64   // tokens a reply may have
	Prices        *Prices // nil: unknown, which is not the same as nothing
}

// Prices are in US dollars per million tokens.
type Prices struct {
	Input, Output, CacheRead, CacheWrite float64
}

// of is what tokens cost.
func (p Prices) of(u Usage) float64 {
	return (float64(u.InputTokens)*p.Input + float64(u.OutputTokens)*p.Output +
		float64(u.CacheReadTokens)*p.CacheRead + float64(u.CacheWriteTokens)*p.CacheWrite) / 1e6
}
