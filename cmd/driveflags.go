package cmd

import (
	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent/model"
)

// driveFlags are those run and resume share.
type driveFlags struct {
	Model    string
	Thinking string
	Record   string

	Answers      string
	AnyWorkspace bool

	permissionFlags
	limitFlags
	questionFlags
	actorFlags
}

func (d *driveFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&d.Model, "model", "", "model for the whole run, such as anthropic/NAME, demo or script:FILE; see agent models (AGENT_MODEL for runs that pin none)")
	f.StringVar(&d.Thinking, "thinking", "", "how much the model thinks, for the whole run: off, low, medium or high (default: as configured, else as the provider does)")
	f.StringVar(&d.Record, "record", "", "write the model's replies of the run so far to this file, as a script for --model script:FILE")
	_ = c.MarkFlagFilename("record", "yaml", "yml")
	_ = c.RegisterFlagCompletionFunc("thinking", cobra.FixedCompletions(model.ThinkingLevels(), cobra.ShellCompDirectiveNoFileComp))
	f.StringVar(&d.Answers, "answers", "", "answer questions and plans from this file (YAML or JSON, - for stdin) before anybody is asked")
	f.BoolVar(&d.AnyWorkspace, "any-workspace", false, "work in / or your home directory too, without being asked about it")
	d.permissionFlags.add(c)
	d.limitFlags.add(c)
	d.questionFlags.add(c)
	d.actorFlags.add(c)
	_ = c.MarkFlagFilename("answers", "yaml", "yml", "json")
}
