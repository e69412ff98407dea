package tell

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// task is one entry of the model's list of what is to do.
type task struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// mostTasks is how many tasks are shown.
const mostTasks = 30

// taskList is the list a call of tasks set, nil of any other call.
func taskList(p agent.ResultPayload) []task {
	var args struct {
		Tasks []task `json:"tasks"`
	}
	if p.ToolName != "tasks" || p.Result.IsError || json.Unmarshal(p.Args, &args) != nil {
		return nil
	}
	return args.Tasks
}

// tasks shows the list if it is another one than the last.
func (v *Live) tasks(list []task) {
	if v.how.Quiet || slices.Equal(list, v.todo) {
		return
	}
	v.todo = list
	for _, t := range list[:min(len(list), mostTasks)] {
		mark := v.err.Look.Faint("·")
		switch t.Status {
		case "completed":
			mark = v.err.Look.Good("✓")
		case "in_progress":
			mark = v.err.Look.Ours("▸")
		}
		v.err.Line(v.err.Look.Faint(screen.OffBar), mark, " ", text.Field(t.Content, v.err.Fit(160, 6)))
	}
	if n := len(list) - mostTasks; n > 0 {
		v.err.Line(v.err.Look.Faint(fmt.Sprintf("%s… %d more", screen.OffBar, n)))
	}
}

// tasksDone says how many tasks are done.
func tasksDone(list []task) string {
	n := 0
	for _, t := range list {
		if t.Status == "completed" {
			n++
		}
	}
	return fmt.Sprintf(" · %d of %d done", n, len(list))
}
