package cmd

import (
	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/modes"
)

const modesLong = `List the modes: what each may write, its tools, and where an approved plan leads.
A run begins in the default mode or in --mode ID.`

func newModesCmd(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use: "modes", Short: "List modes", Long: modesLong,
		Example: "  agent modes\n  agent modes --output json",
		Args:    argsOf(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return modesRun(w) },
	}
}

// listedMode is a mode in the JSON of modes.
type listedMode struct {
	ID            string       `json:"id"`
	Name          string       `json:"name"`
	Description   string       `json:"description"`
	Writes        agent.Writes `json:"writes"`
	TransitionsTo string       `json:"transitionsTo"`
	ModelID       string       `json:"defaultModelId"`
	Default       bool         `json:"default"`
	Tools         []string     `json:"tools"`
}

func modesRun(w *wiring) error {
	_, controller, err := w.modesHere()
	if err != nil {
		return err
	}
	list := listedModes(controller)
	if w.g.machine() {
		return printList(w, "modes", list)
	}
	t := screen.Table{Head: []string{"ID", "DEFAULT", "WRITES", "LEADS TO", "DESCRIPTION"}, Widest: []int{20, 7, 10, 20, 100}}
	for _, m := range list {
		isDefault := ""
		if m.Default {
			isDefault = "yes"
		}
		t.Add(m.ID, isDefault, string(m.Writes), m.TransitionsTo, m.Description)
	}
	return w.printTable(&t)
}

func listedModes(c *modes.Controller) []listedMode {
	var list []listedMode
	for _, m := range c.Modes() {
		writes := m.Writes
		if writes == "" {
			writes = agent.WritesWorkspace
		}
		list = append(list, listedMode{
			ID: m.ID, Name: m.Name, Description: m.Description, Writes: writes, TransitionsTo: m.TransitionsTo,
			ModelID: m.DefaultModelID, Default: m.ID == c.Default().ID, Tools: append([]string{}, c.Tools(m.ID)...),
		})
	}
	return list
}

func modeIDs(c *modes.Controller) []string {
	var ids []string
	for _, m := range c.Modes() {
		ids = append(ids, m.ID)
	}
	return ids
}
