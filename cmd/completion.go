package cmd

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/manual"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// addCompletion adds cobra's command for scripts of shells, with what it lacks:
// an unknown shell is an error, and fish runs nothing.
func (w *wiring) addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	c.Args, c.RunE = argsOf(cobra.NoArgs), w.showHelp
	c.Example = "  source <(agent completion bash)\n  agent completion fish | source\n  agent completion zsh --help    # how to keep it"
	for _, shell := range c.Commands() {
		shell.Args = argsOf(cobra.NoArgs)
		if shell.Name() == "fish" {
			shell.RunE = w.fishScript
		}
	}
}

// fishScript prints cobra's script for fish, mended: that one evaluates the words
// of the command line again without their quotes, so that Tab would run what
// stands in "$(…)" within a prompt or an answer.
func (w *wiring) fishScript(cmd *cobra.Command, _ []string) error {
	plain, err := cmd.Flags().GetBool("no-descriptions")
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := cmd.Root().GenFishCompletion(&b, !plain); err != nil {
		return err
	}
	const words = "set -l args (commandline -opc)"
	script := strings.Replace(b.String(), words, words+"[1] (commandline -opc | string escape)[2..-1]", 1)
	if script == b.String() {
		return errors.New("write completion for fish: the script is not the one that was expected")
	}
	_, err = io.WriteString(w.io.Out, script)
	return err
}

const completedRuns = 100

// runsOnly is what completes runs: they stand in their own order, and no file is
// one.
const runsOnly = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder

// completeRun offers runs for the first argument of a command.
func (w *wiring) completeRun(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, runsOnly
	}
	return w.completeRuns(cmd, args, typed)
}

// completeRuns offers the runs of this workspace, newest first, with their
// titles. What goes wrong is not worth a line in the middle of a command being
// typed: then nothing is offered.
func (w *wiring) completeRuns(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	workspace, err := w.workspace()
	if err != nil {
		return nil, runsOnly
	}
	store, err := w.readStore(cmd.Context())
	if err != nil {
		return nil, runsOnly
	}
	defer store.Close() //nolint:errcheck // only read
	runs, err := store.Runs(cmd.Context(), agent.RunQuery{Project: gitdir.Project(workspace), Limit: completedRuns})
	if err != nil || len(runs) == 0 {
		return nil, runsOnly
	}
	list := []cobra.Completion{cobra.CompletionWithDesc(latest, "the newest of this workspace")}
	for _, r := range runs {
		list = append(list, cobra.CompletionWithDesc(r.ID, string(r.Current())+": "+text.Field(r.Title, 60)))
	}
	return list, runsOnly
}

// openIn are the open items of the run a command line being typed names.
func (w *wiring) openIn(cmd *cobra.Command, args []string) []agent.Suspension {
	if len(args) == 0 {
		return nil
	}
	f, err := w.find(cmd.Context(), args[0])
	if err != nil {
		return nil
	}
	defer f.store.Close() //nolint:errcheck // only read
	return next.Waiting(f.state)
}

// completeCalls offers the calls of a run that wait for an answer.
func (w *wiring) completeCalls(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list []cobra.Completion
	for _, s := range w.openIn(cmd, args) {
		list = withChoice(list, s.ToolCallID, tell.OpenLine(s))
	}
	return list, runsOnly
}

// completeLabels offers the choices of the questions a run asks, or of the one
// --tool-call names.
func (w *wiring) completeLabels(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	call, _, _ := strings.Cut(cmd.Flag("tool-call").Value.String(), "#")
	var list []cobra.Completion
	for _, s := range w.openIn(cmd, args) {
		if s.Kind != agent.KindQuestion || call != "" && call != s.ToolCallID {
			continue
		}
		for _, o := range tell.QuestionOf(s).Options {
			list = withChoice(list, o.Label, o.Description)
		}
	}
	return list, runsOnly
}

// withChoice adds what a model named, unless it would not stand on the command
// line as it is.
func withChoice(list []cobra.Completion, choice, about string) []cobra.Completion {
	if choice == "" || choice != text.Field(choice, 200) || strings.Contains(choice, `\`) { // zsh takes a backslash away
		return list
	}
	return append(list, cobra.CompletionWithDesc(choice, text.Field(about, 80)))
}

// completeTopics offers commands, and what else there is help about.
func completeTopics(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	at, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var list []cobra.Completion
	for _, c := range manual.Below(at) {
		list = append(list, cobra.CompletionWithDesc(c.Name(), c.Short))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
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
		list = append(list, cobra.CompletionWithDesc(m.ID, text.Field(first, 80)))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
