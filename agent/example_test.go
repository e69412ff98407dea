package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/modes"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// A model asks a question, the run suspends, an answer resumes it.
func Example_ask() {
	ctx := context.Background()
	m, err := model.Open("script:testdata/scripts/repo.yaml", model.Options{})
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		ID:           "assistant",
		Name:         "Assistant",
		Instructions: "Ask the user for clarification when the request is ambiguous.",
		Model:        m,
		Tools:        []agent.Tool{tools.AskUser()},
		Store:        runstore.Memory(),
	})
	if err != nil {
		log.Fatal(err)
	}

	stream := a.Stream(ctx, "Summarize my project")
	for event, err := range stream.Events() {
		if err != nil {
			log.Fatal(err)
		}
		if event.Type == agent.ToolCallSuspended {
			asked, err := agent.Decode[agent.SuspendedPayload](event)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s wants to know: %s\n", asked.ToolName, asked.Payload)
		}
	}

	// Days later, perhaps in another process over the same store:
	resumed := a.ResumeStream(ctx, "the main repository", agent.Resume{RunID: stream.RunID()})
	for text := range resumed.TextStream() {
		fmt.Print(text)
	}
	if resumed.Err() != nil {
		log.Fatal(resumed.Err())
	}
	// Output:
	// ask_user wants to know: {"question":"Which repository?"}
	// Summary of the main repository.
}

// A multi select takes a list; a wrong answer is refused and consumes nothing.
func Example_multiSelect() {
	ctx := context.Background()
	m, err := model.Open("script:testdata/scripts/next.yaml", model.Options{})
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{Model: m, Tools: []agent.Tool{tools.AskUser()}, Store: runstore.Memory()})
	if err != nil {
		log.Fatal(err)
	}
	stream := a.Stream(ctx, "What is left?")
	for range stream.Events() {
	}

	wrong := a.ResumeStream(ctx, "Add tests", agent.Resume{RunID: stream.RunID()})
	for range wrong.Events() {
	}
	fmt.Println(agent.Code(wrong.Err()))

	resumed := a.ResumeStream(ctx, []string{"Add tests", "Update docs"}, agent.Resume{RunID: stream.RunID()})
	for text := range resumed.TextStream() {
		fmt.Print(text)
	}
	// Output:
	// invalid_answer
	// On it: Add tests, Update docs.
}

// A plan is rejected with feedback, submitted again and approved; the approval
// moves the run from the mode that plans to the one that builds.
func Example_plan() {
	ctx := context.Background()
	workspace, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(workspace)

	m, err := model.Open("script:testdata/scripts/plan.yaml", model.Options{})
	if err != nil {
		log.Fatal(err)
	}
	all := tools.All(tools.Config{})
	var names []string
	for _, t := range all {
		names = append(names, t.Definition().Name)
	}
	controller, err := modes.New(modes.Config{Modes: modes.Builtin(modes.Options{}), Tools: names, Registered: names})
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{Model: m, Tools: all, Modes: controller, Store: runstore.Memory()})
	if err != nil {
		log.Fatal(err)
	}

	stream := a.StreamTask(ctx, agent.Task{Prompt: "Refactor the auth module", Workspace: workspace})
	show(stream)
	id := stream.RunID()
	show(a.ResumeStream(ctx, agent.PlanDecision{Action: "rejected", Feedback: "Add error handling steps"}, agent.Resume{RunID: id}))

	open, err := a.Open(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	var plan agent.PlanSubmission
	if err := json.Unmarshal(open[0].Payload, &plan); err != nil {
		log.Fatal(err)
	}
	show(a.ResumeStream(ctx, agent.PlanDecision{Action: "approved"}, agent.Resume{
		RunID: id, ToolCallID: open[0].ToolCallID, Digest: plan.Digest, // what was shown is what is approved
	}))
	// Output:
	// plan revision 1: Refactor auth
	// plan revision 2: Refactor auth
	// mode plan -> build
	// finished: The module is split and errors are handled.
}

// show prints what a person would want to know of a stream.
func show(stream *agent.Stream) {
	for event, err := range stream.Events() {
		if err != nil {
			log.Fatal(err)
		}
		switch event.Type {
		case agent.ToolCallSuspended:
			s, _ := agent.Decode[agent.SuspendedPayload](event)
			var plan agent.PlanSubmission
			if json.Unmarshal(s.Payload, &plan) == nil {
				fmt.Printf("plan revision %d: %s\n", plan.Revision, plan.Title)
			}
		case agent.ModeChanged:
			c, _ := agent.Decode[agent.ModeChangedPayload](event)
			fmt.Printf("mode %s -> %s\n", c.PreviousModeID, c.ModeID)
		case agent.Finish:
			f, _ := agent.Decode[agent.FinishPayload](event)
			fmt.Printf("finished: %s\n", f.Text)
		}
	}
}

// Tools work without an agent too; they then return what they would have asked
// as a readable string.
func Example_toolAlone() {
	res, err := tools.AskUser().Call(context.Background(), agent.Call{
		Args: json.RawMessage(`{"question": "Which colour?", "options": [{"label": "Red", "description": "warm"}, {"label": "Blue"}]}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Content)
	// Output:
	// [Question for user]: Which colour?
	// Choices (single_select):
	// - Red: warm
	// - Blue
}
