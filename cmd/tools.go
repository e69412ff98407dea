package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/permission"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/modes"
)

const toolsLong = `List the tools the model can be offered: the category that permissions go by, what
repeating a call does, and for each mode what becomes of calls:

  allow     they run unasked
  ask       a person is asked about each
  deny      they never run
  -         the mode does not offer the tool

"allow plans" writes plan files only, "allow none" writes nothing. A "*" says that
rules decide on some calls in another way: agent permissions list.`

func newToolsCmd(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use: "tools", Short: "List tools, and what each mode allows", Long: toolsLong,
		Example: "  agent tools\n  agent tools --output json",
		Args:    argsOf(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return toolsRun(w) },
	}
}

// listedTool is a tool in the JSON of tools.
type listedTool struct {
	agent.Definition
	Modes       []string         `json:"modes"`
	Permissions []toolPermission `json:"permissions"`
}

// toolPermission is what a mode that offers a tool lets it do.
type toolPermission struct {
	Mode   string       `json:"mode"`
	Action agent.Action `json:"action"`
	Writes agent.Writes `json:"writes"`
	Rules  int          `json:"rules"` // that decide on some calls in another way
}

func toolsRun(w *wiring) error {
	cfg, err := w.configurationHere()
	if err != nil {
		return err
	}
	all, controller, err := w.modesOf(cfg)
	if err != nil {
		return err
	}
	policy, err := w.policy(cfg)
	if err != nil {
		return err
	}
	var list []listedTool
	for _, t := range all {
		list = append(list, listToolOf(t.Definition(), controller, policy))
	}
	if w.g.machine() {
		return printList(w, "tools", list)
	}
	return w.printTools(list, modeIDs(controller))
}

func listToolOf(d agent.Definition, controller *modes.Controller, policy permission.Policy) listedTool {
	out := listedTool{d, []string{}, []toolPermission{}}
	action, rules := policy.General(d)
	for _, m := range listedModes(controller) {
		if slices.Contains(m.Tools, d.Name) {
			out.Modes = append(out.Modes, m.ID)
			out.Permissions = append(out.Permissions, toolPermission{m.ID, action, m.Writes, rules})
		}
	}
	return out
}

func (w *wiring) printTools(list []listedTool, ids []string) error {
	t := screen.Table{Head: []string{"NAME", "CATEGORY", "EFFECT"}, Widest: []int{20, 10, 12}}
	for _, id := range ids {
		t.Head, t.Widest = append(t.Head, strings.ToUpper(text.Field(id, 20))), append(t.Widest, 20)
	}
	t.Head, t.Widest = append(t.Head, "DESCRIPTION"), append(t.Widest, 100)
	for _, d := range list {
		row := []string{d.Name, string(d.Category), string(d.Effect)}
		for _, id := range ids {
			row = append(row, d.in(id))
		}
		first, _, _ := strings.Cut(strings.TrimSpace(d.Description), "\n")
		t.Add(append(row, first)...)
	}
	return w.printTable(&t)
}

// in says in a word or two what a mode allows of a tool.
func (t listedTool) in(mode string) string {
	i := slices.IndexFunc(t.Permissions, func(p toolPermission) bool { return p.Mode == mode })
	if i < 0 {
		return "-"
	}
	p := t.Permissions[i]
	words := string(p.Action)
	if p.Rules > 0 {
		words += "*"
	}
	changes := t.Category == agent.CategoryEdit || t.Category == agent.CategoryExecute
	if changes && p.Writes != agent.WritesWorkspace && p.Action != agent.ActionDeny {
		words = fmt.Sprintf("%s %s", words, p.Writes)
	}
	return words
}
