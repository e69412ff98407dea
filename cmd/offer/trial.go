package offer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// trialTime bounds a trial. A server on this machine may have to load the model.
const trialTime = 90 * time.Second

// TrialTool is what a model is asked to call in a trial.
const TrialTool = "connection_test"

// trialRequest asks for one call and as few words as possible.
func trialRequest() agent.Request {
	schema := json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`)
	return agent.Request{
		RunID: "trial", Mode: "trial",
		System:   "You test a connection. Call the tool you are told to call, once, and say nothing else.",
		Messages: []agent.Message{{Role: agent.RoleUser, Text: "Call " + TrialTool + " with the word ready."}},
		Tools: []agent.Definition{{
			Name: TrialTool, Description: "Tells that the connection works.", InputSchema: schema,
			Effect: agent.EffectReadOnly, Category: agent.CategoryRead,
		}},
	}
}

// errNoCall: a model answers, but is of no use here.
var errNoCall = errors.New("it answers, but called no tool: an agent needs a model that can")

// Try asks a model for one tiny reply that calls a tool. Nothing is recorded and
// nothing is tried twice.
func Try(ctx context.Context, m agent.Model) error {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	for chunk, err := range m.Stream(ctx, trialRequest()) {
		switch {
		case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
			return fmt.Errorf("no reply within %s", trialTime)
		case err != nil:
			return err
		case chunk.Reply != nil:
			return checkTrial(chunk.Reply)
		}
	}
	return errors.New("the stream ended without a reply")
}

func checkTrial(reply *agent.Reply) error {
	for _, call := range reply.ToolCalls {
		if call.Name == TrialTool && json.Valid(call.Args) {
			return nil
		}
	}
	return errNoCall
}
