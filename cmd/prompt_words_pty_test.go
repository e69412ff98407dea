//go:build linux || darwin

package cmd

// What prompts show, and where it stands below the first choice of a plan.
const (
	decideLater  = "Decide later"
	skipQuestion = "Skip this question"

	planApprove = 1
	planNotes   = 2
	planFresh   = 3
	planChanges = 4
	planEdit    = 5
)
