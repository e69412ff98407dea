package rules

import (
	"encoding/json"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Call reads a call of one of the tools as people write it: TOOL(WHAT), or what
// the named tool, "" for shell, is called with.
func Call(words []string, name string, tools []agent.Definition) (agent.PermissionRequest, error) {
	what := text.ShellJoin(words)
	if len(words) == 1 {
		what = words[0]
	}
	if before, rest, ok := strings.Cut(what, "("); name == "" && ok && toolOf(before, tools) != nil {
		if inner, closed := strings.CutSuffix(rest, ")"); closed {
			name, what = before, inner
		}
	}
	if name == "" {
		name = "shell"
	}
	tool := toolOf(name, tools)
	if tool == nil {
		return agent.PermissionRequest{}, exit.Hintf(exit.Refusef("tool_missing", "unknown tool %q", name), "agent tools lists the tools")
	}
	if strings.TrimSpace(what) == "" && tool.Category != agent.CategoryInteract {
		return agent.PermissionRequest{}, exit.Usagef("name a call: agent permissions check 'shell(git push)'")
	}
	args, err := argsFor(*tool, what)
	return agent.PermissionRequest{Tool: *tool, Args: args}, err
}

// toolOf is the tool of a name, or one of a category; nil if there is none.
func toolOf(name string, tools []agent.Definition) *agent.Definition {
	switch agent.Category(name) {
	case agent.CategoryRead:
		name = "read_file"
	case agent.CategoryEdit:
		name = "edit_file"
	case agent.CategoryExecute:
		name = "shell"
	}
	for _, d := range tools {
		if d.Name == name {
			return &d
		}
	}
	return nil
}

// argsFor are the arguments that matter of a call.
func argsFor(tool agent.Definition, what string) (json.RawMessage, error) {
	switch {
	case tool.Category == agent.CategoryExecute:
		return json.Marshal(map[string]string{"command": what})
	case tool.Category == agent.CategoryRead || tool.Category == agent.CategoryEdit:
		return json.Marshal(map[string]string{"path": what})
	case strings.TrimSpace(what) == "":
		return json.RawMessage("{}"), nil
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal([]byte(what), &args); err != nil {
		return nil, exit.Usagef("%s takes its arguments as a JSON object: %v", tool.Name, err)
	}
	return json.RawMessage(what), nil
}
