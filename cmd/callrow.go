package cmd

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// callFacts is what a line about a finished call adds: how a command exited,
// what an edit changed or how big the result is, and how long it took.
func callFacts(p agent.ResultPayload, diff *editDiff, took string) string {
	var facts []string
	switch code, exited := p.Result.Details["exitCode"].(float64); {
	case exited && code < 0:
		facts = append(facts, "killed")
	case exited:
		facts = append(facts, fmt.Sprintf("exit %d", int(code)))
	case diff != nil:
		facts = append(facts, diff.count())
	case took != "" && !p.Result.IsError: // not of what a person gave
		facts = append(facts, text.Size(len(p.Result.Content)))
	}
	if took != "" {
		facts = append(facts, took)
	}
	if len(facts) == 0 {
		return ""
	}
	return " · " + strings.Join(facts, " · ")
}

// faultRows is how many lines of a fault are shown on a terminal.
const faultRows = 6

// faultText is the telling part of what a failed call gave: the end of a
// command's output, the beginning of anything else.
func faultText(p agent.ResultPayload) string {
	lines := strings.Split(strings.TrimSpace(p.Result.Content), "\n")
	if len(lines) > faultRows {
		if p.ToolName == "shell" {
			lines = append([]string{"…"}, lines[len(lines)-faultRows:]...)
		} else {
			lines = append(lines[:faultRows:faultRows], "…")
		}
	}
	for i, l := range lines {
		lines[i] = text.Truncate(l, 400)
	}
	return strings.Join(lines, "\n")
}

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
func (v *textView) tasks(list []task) {
	if v.quiet || slices.Equal(list, v.todo) {
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
		v.err.Line(v.err.Look.Faint(screen.OffBar), mark, " ", oneLine(t.Content, v.err.Fit(160, 6)))
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
