package modes

import (
	_ "embed" // the instructions are text files
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
)

// IDs of the built-in modes.
const (
	Plan    = "plan"
	Build   = "build"
	Explore = "explore"
)

//go:embed plan.md
var planInstructions string

//go:embed build.md
var buildInstructions string

//go:embed explore.md
var exploreInstructions string

// Options shape the built-in modes. The zero value is useful.
type Options struct {
	// Tools names the agent's tools; the built-in modes name no others. Nil
	// means those of the product.
	Tools []string
	// ReadOnlyShell gives plan and explore the shell. Set it only where a
	// sandbox keeps commands from writing: nothing else would.
	ReadOnlyShell bool
}

// Builtin returns the modes plan (the default), build and explore, in this
// order, as new values the caller may change.
func Builtin(o Options) []agent.Mode {
	reading := []string{"list_files", "read_file", "find_files", "search_text", "tasks", "ask_user"}
	planning := []string{"submit_plan", "write_file", "edit_file"}
	if o.ReadOnlyShell {
		reading = append(reading, "shell")
	}
	all := o.Tools
	if all == nil {
		all = slices.Concat(reading[:6], planning, []string{"shell"})
	}
	return []agent.Mode{
		{
			ID: Plan, Name: "Plan", Default: true, TransitionsTo: Build, Writes: agent.WritesPlans,
			Description:    "Explore, ask, and write a plan for approval; nothing but plan files is written.",
			Instructions:   planInstructions,
			AvailableTools: among(all, slices.Concat(reading, planning)),
		},
		{
			ID: Build, Name: "Build", Writes: agent.WritesWorkspace,
			Description:    "Do the work, following the approved plan.",
			Instructions:   buildInstructions,
			AvailableTools: without(all, "submit_plan"),
		},
		{
			ID: Explore, Name: "Explore", Writes: agent.WritesNone,
			Description:    "Read and explain; nothing is written.",
			Instructions:   exploreInstructions,
			AvailableTools: among(all, reading),
		},
	}
}

// among returns the tools that are in allowed. It is never nil: a nil filter
// would let everything through.
func among(tools, allowed []string) []string {
	return filter(tools, func(t string) bool { return slices.Contains(allowed, t) })
}

func without(tools []string, name string) []string {
	return filter(tools, func(t string) bool { return t != name })
}

func filter(tools []string, keep func(string) bool) []string {
	out := make([]string, 0, len(tools))
	for _, t := range tools {
		if keep(t) {
			out = append(out, t)
		}
	}
	return out
}
