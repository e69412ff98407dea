// Package tools holds the tools a model can call, one file each, with their
// descriptions beside them. This file is the one list.
//
// Tools check what a model sends and answer nonsense with an error result that
// says what to do. File tools stay inside the workspace of the call, never
// touch what is denied, and write only what the mode of the call lets them.
// All tools are safe for concurrent use.
package tools

import (
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Config configures the tools as a set. The zero value is useful.
type Config struct {
	// PlansDir is the plans directory, relative to the workspace; "":
	// DefaultPlansDir.
	PlansDir string
	// Plans reads the plans that submit_plan is given; nil: a PlanDir of
	// PlansDir.
	Plans agent.PlanReader
	// Shell configures the tool shell; Denied is added to its own.
	Shell ShellConfig
	// Denied are absolute paths of files and directories that no tool may
	// touch: the agent's data.
	Denied []string
}

// All returns every tool, in the order they are offered.
func All(cfg Config) []agent.Tool {
	if cfg.Plans == nil {
		cfg.Plans = PlanDir{Dir: cfg.PlansDir}
	}
	cfg.Shell.Denied = slices.Concat(cfg.Shell.Denied, cfg.Denied)
	return []agent.Tool{
		ListFiles(cfg.Denied...),
		ReadFile(cfg.Denied...),
		FindFiles(cfg.Denied...),
		SearchText(cfg.Denied...),
		WriteFile(cfg.PlansDir, cfg.Denied...),
		EditFile(cfg.PlansDir, cfg.Denied...),
		Shell(cfg.Shell),
		Tasks(),
		AskUser(),
		SubmitPlan(cfg.Plans),
	}
}
