package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
)

const toolsLong = `List the tools the model can be offered: what repeating a call does, the category
permissions go by, and the modes that have it.`

func newToolsCmd(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use: "tools", Short: "List tools", Long: toolsLong,
		Example: "  agent tools\n  agent tools --output json",
		Args:    argsOf(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return toolsRun(w) },
	}
}

// listedTool is a tool in the JSON of tools.
type listedTool struct {
	agent.Definition
	Modes []string `json:"modes"`
}

func toolsRun(w *wiring) error {
	all, controller, err := w.modesHere()
	if err != nil {
		return err
	}
	in := map[string][]string{}
	for _, id := range modeIDs(controller) {
		for _, name := range controller.Tools(id) {
			in[name] = append(in[name], id)
		}
	}
	var list []listedTool
	for _, t := range all {
		d := t.Definition()
		list = append(list, listedTool{d, append([]string{}, in[d.Name]...)})
	}
	if w.g.machine() {
		return printList(w, "tools", list)
	}
	return w.printTools(list)
}

func (w *wiring) printTools(list []listedTool) error {
	t := table{head: []string{"NAME", "CATEGORY", "EFFECT", "MODES", "DESCRIPTION"}, widest: []int{20, 10, 12, 30, 100}}
	for _, d := range list {
		first, _, _ := strings.Cut(strings.TrimSpace(d.Description), "\n")
		t.add(d.Name, string(d.Category), string(d.Effect), strings.Join(d.Modes, ","), first)
	}
	return w.printTable(&t)
}
