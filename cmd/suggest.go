package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// slips is how many letters of a command or flag may be wrong for another to be
// meant.
const slips = 2

// nearCommand asks for the commands an unknown word may have meant, "" for
// none.
func nearCommand(cmd *cobra.Command, word string) string {
	cmd.SuggestionsMinimumDistance = slips
	return didYouMean(cmd.SuggestionsFor(word))
}

// otherWords are what commands are called elsewhere.
func otherWords(name string) []string {
	return map[string][]string{
		"run":    {"new", "do", "exec"},
		"resume": {"answer", "approve", "reject", "continue", "reply"},
		"list":   {"status", "runs", "ps", "inbox"},
		"show":   {"view", "info", "inspect"},
		"events": {"log", "logs", "history"},
		"cancel": {"stop", "kill", "abort"},
		"delete": {"rm", "remove"},
		"undo":   {"revert", "restore", "rollback"},
		"init":   {"setup", "login", "auth", "configure"},
	}[name]
}

// nearFlag is nearCommand for an error about an unknown flag.
func nearFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	name := unknown.GetSpecifiedName()
	var near []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && text.Distance(name, f.Name) <= min(slips, len(name)/2) {
			near = append(near, "--"+f.Name)
		}
	})
	return didYouMean(near)
}

// dashed says how a prompt is given that was taken for an unknown flag.
func dashed(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if cmd.Name() != "run" || !errors.As(err, &unknown) || nearFlag(cmd, err) != "" {
		return ""
	}
	return `; a prompt that begins with - comes behind --: agent run -- "-v prints nothing"`
}

func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", did you mean " + strings.Join(names, " or ") + "?"
}
