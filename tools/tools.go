// Package tools holds the tools a model can call, one file each, with their
// descriptions beside them. This file is the one list.
//
// Tools check what a model sends and answer nonsense with an error result that
// says what to do. File tools stay inside the workspace of the call, never
// touch what is closed to all of them (Closed), and write only what the mode of the call lets them.
// All tools are safe for concurrent use.
package tools

import (
	"cmp"
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
	// Shell configures the tool shell; what is closed here is added to what it
	// closes itself.
	Shell ShellConfig
	// Denied are absolute paths of files and directories that no tool may
	// touch: the agent's data, see DeniedFor.
	Denied []string
	// Secrets are patterns of what no tool may touch either, and Home is the
	// user's home directory, whose keys are closed without a pattern; see
	// Closed for both.
	Secrets []string
	Home    string
}

// All returns every tool, in the order they are offered.
func All(cfg Config) []agent.Tool {
	if cfg.Plans == nil {
		cfg.Plans = PlanDir{Dir: cfg.PlansDir}
	}
	closed := Closed{Paths: cfg.Denied, Secrets: cfg.Secrets, Home: cfg.Home}
	cfg.Shell.Closed = Closed{
		Paths:   slices.Concat(cfg.Shell.Closed.Paths, cfg.Denied),
		Secrets: slices.Concat(cfg.Shell.Closed.Secrets, cfg.Secrets),
		Home:    cmp.Or(cfg.Shell.Closed.Home, cfg.Home),
	}
	return []agent.Tool{
		ListFiles(closed),
		ReadFile(closed),
		FindFiles(closed),
		SearchText(closed),
		WriteFile(cfg.PlansDir, closed),
		EditFile(cfg.PlansDir, closed),
		Shell(cfg.Shell),
		Tasks(),
		AskUser(),
		SubmitPlan(cfg.Plans),
	}
}
