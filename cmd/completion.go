package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
)

const completedRuns = 100

// completeRuns offers the runs of this workspace, newest first, with their
// titles. What goes wrong is not worth a line in the middle of a command being
// typed: then nothing is offered.
func (w *wiring) completeRuns(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const done = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	if len(args) > 0 {
		return nil, done
	}
	workspace, err := w.workspace()
	if err != nil {
		return nil, done
	}
	store, err := w.readStore(cmd.Context())
	if err != nil {
		return nil, done
	}
	defer store.Close() //nolint:errcheck // only read
	runs, err := store.Runs(cmd.Context(), agent.RunQuery{Project: projectOf(workspace), Limit: completedRuns})
	if err != nil || len(runs) == 0 {
		return nil, done
	}
	list := []cobra.Completion{cobra.CompletionWithDesc(latest, "the newest of this workspace")}
	for _, r := range runs {
		list = append(list, cobra.CompletionWithDesc(r.ID, string(r.Current())+": "+oneLine(r.Title, 60)))
	}
	return list, done
}

// completeModes offers the modes with their descriptions.
func (w *wiring) completeModes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, controller, err := w.modesHere()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var list []cobra.Completion
	for _, m := range controller.Modes() {
		first, _, _ := strings.Cut(m.Description, "\n")
		list = append(list, cobra.CompletionWithDesc(m.ID, oneLine(first, 80)))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
