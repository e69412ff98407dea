// Package demo is a scripted model that shows the whole flow on any workspace
// without a network: it asks, plans, revises, and after approval makes one
// small new file. It says of itself that it is scripted.
//
// It branches, so it is Go and not a script file.
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/words"
)

// Model is the demo. What it replies follows from the messages and the tools of
// a request alone: it can go on in any process, and asks nothing twice.
type Model struct{}

var _ agent.Model = Model{}

// New returns the demo.
func New() Model { return Model{} }

// ID is "demo".
func (Model) ID() string { return "demo" }

// Stream replies at once; it reports no usage, for it uses no tokens.
func (Model) Stream(ctx context.Context, req agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(agent.Chunk{}, context.Cause(ctx))
			return
		}
		words.Yield(reply(req), yield)
	}
}

func reply(req agent.Request) agent.Reply {
	m := next(read(req.Messages), offered(req.Tools))
	r := agent.Reply{Text: m.text, FinishReason: "stop"}
	for i, c := range m.calls {
		args, err := json.Marshal(c.args)
		if err != nil { // maps of strings and numbers always encode
			panic(fmt.Sprintf("encode arguments of %s: %v", c.tool, err))
		}
		r.ToolCalls = append(r.ToolCalls, agent.ToolCall{
			ID: fmt.Sprintf("demo_%d_%d", req.Turn+1, i+1), Name: c.tool, Args: args,
		})
		r.FinishReason = "tool_calls"
	}
	return r
}

func offered(tools []agent.Definition) map[string]bool {
	names := make(map[string]bool, len(tools))
	for _, t := range tools {
		names[t.Name] = true
	}
	return names
}
