package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed tasks.md
var tasksDescription string

const tasksSchema = `{"type":"object","properties":{` +
	`"tasks":{"type":"array","description":"The whole list, in order; it replaces the one before.","items":{"type":"object","properties":{` +
	`"content":{"type":"string","description":"What is to be done."},` +
	`"status":{"type":"string","enum":["pending","in_progress","completed"]}},` +
	`"required":["content","status"]}}},"required":["tasks"]}`

type tasks struct{}

// Tasks returns the tool tasks: the model's list of what is to do, kept in the
// journal as its own result and shown to the person. Details["tasks"] is the
// list as given. It changes nothing, so it counts as read-only.
func Tasks() agent.Tool { return tasks{} }

// Definition implements agent.Tool.
func (tasks) Definition() agent.Definition {
	return agent.Definition{
		Name: "tasks", Description: tasksDescription, InputSchema: json.RawMessage(tasksSchema),
		Effect: agent.EffectReadOnly, Category: agent.CategoryInteract,
	}
}

// Call implements agent.Tool.
func (tasks) Call(_ context.Context, call agent.Call) (agent.Result, error) {
	list, err := parseTasks(call.Args)
	if err != nil {
		return refuse("tasks", err)
	}
	var out strings.Builder
	done := 0
	for _, t := range list {
		mark := map[string]string{"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}[t.Status]
		fmt.Fprintf(&out, "%s %s\n", mark, t.Content)
		if t.Status == "completed" {
			done++
		}
	}
	fmt.Fprintf(&out, "%d of %s completed.", done, plural(len(list), "task"))
	return agent.Result{Content: out.String(), Details: map[string]any{"tasks": list}}, nil
}

// task is one line of the list.
type task struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

func parseTasks(raw json.RawMessage) ([]task, error) {
	a, err := decodeArgs(raw)
	if err != nil {
		return nil, err
	}
	if _, given := a["tasks"]; !given {
		return nil, errors.New("tasks is required: give the whole list, empty to clear it")
	}
	items, err := a.objects("tasks")
	if err != nil {
		return nil, err
	}
	list := make([]task, len(items))
	for i, item := range items {
		if list[i].Content, err = item.required("content"); err != nil {
			return nil, fmt.Errorf("tasks[%d]: %w", i, err)
		}
		if list[i].Status, err = item.text("status"); err != nil {
			return nil, fmt.Errorf("tasks[%d]: %w", i, err)
		}
		switch list[i].Status {
		case "pending", "in_progress", "completed":
		default:
			return nil, fmt.Errorf("tasks[%d]: status %q is unknown: use pending, in_progress or completed", i, list[i].Status)
		}
	}
	return list, nil
}
