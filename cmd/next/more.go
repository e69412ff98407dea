package next

import (
	"math"
	"strconv"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// extraSteps is how many steps a run that used up its own is offered.
const extraSteps = 100

// moreOf are the flags without which a paused run would pause again at once.
func moreOf(run agent.Run) []string {
	u := run.Usage
	switch run.FinishReason {
	case agent.FinishMaxSteps:
		return []string{"--max-steps", strconv.FormatInt(u.Steps+extraSteps, 10)}
	case agent.FinishMaxTokens:
		return []string{"--max-tokens", strconv.FormatInt(2*max(u.Tokens(), run.Limits.MaxTokens), 10)}
	case agent.FinishMaxCost:
		if u.Cost == nil || *u.Cost < run.Limits.MaxCost { // it cannot be kept
			return []string{"--max-cost", "0"}
		}
		cents := math.Ceil(200 * max(*u.Cost, run.Limits.MaxCost)) // never 0, which lifts the limit
		return []string{"--max-cost", strconv.FormatFloat(cents/100, 'f', 2, 64)}
	case agent.FinishTimeout:
		driven := max(time.Duration(run.Driven), time.Duration(run.Limits.Timeout)) // longer where the machine slept
		return []string{"--timeout", (driven.Truncate(time.Second) + time.Duration(run.Limits.Timeout)).String()}
	}
	return nil
}
