package cmd

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model"
)

// driveFlags are those run and resume share.
type driveFlags struct {
	Model    string
	Thinking string
	Record   string
	Yolo     bool
	Trust    bool

	MaxSteps int
	Timeout  time.Duration

	Answers string

	questionFlags
	actorFlags
}

func (d *driveFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&d.Model, "model", "", "model for the whole run, such as anthropic/NAME, demo or script:FILE; see agent models (AGENT_MODEL for runs that pin none)")
	f.StringVar(&d.Thinking, "thinking", "", "how much the model thinks, for this invocation: off, low, medium or high (default: as the provider does)")
	f.BoolVar(&d.Yolo, "yolo", false, "run commands without asking, for this invocation")
	f.BoolVar(&d.Trust, "trust-workspace", false, "trust the project's .mastracode/config.toml as it is, for this invocation")
	f.IntVar(&d.MaxSteps, "max-steps", 0, "most steps of the run, over all resumptions (default 100)")
	f.DurationVar(&d.Timeout, "timeout", 0, "most driven time of the run, such as 10m; waiting does not count (default none)")
	f.StringVar(&d.Record, "record", "", "write the model's replies of the run so far to this file, as a script for --model script:FILE")
	_ = c.MarkFlagFilename("record", "yaml", "yml")
	_ = c.RegisterFlagCompletionFunc("thinking", cobra.FixedCompletions(model.ThinkingLevels(), cobra.ShellCompDirectiveNoFileComp))
	f.StringVar(&d.Answers, "answers", "", "answer questions and plans from this file (YAML or JSON) before anybody is asked")
	d.questionFlags.add(c)
	d.actorFlags.add(c)
	_ = c.MarkFlagFilename("answers", "yaml", "yml", "json")
}

// limits returns what the flags set, nil if nothing.
func (d *driveFlags) limits(c *cobra.Command) (*agent.Limits, error) {
	steps, timeout := c.Flags().Changed("max-steps"), c.Flags().Changed("timeout")
	switch {
	case steps && d.MaxSteps <= 0:
		return nil, usagef("--max-steps %d: give a number above 0", d.MaxSteps)
	case timeout && d.Timeout <= 0:
		return nil, usagef("--timeout %s: give a duration above 0, such as 10m", d.Timeout)
	case !steps && !timeout:
		return nil, nil
	}
	return &agent.Limits{MaxSteps: d.MaxSteps, Timeout: agent.Duration(d.Timeout)}, nil
}
