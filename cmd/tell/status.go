package tell

import (
	"fmt"
	"strconv"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Status says on one line where a run stands and why. status is as the store
// knows it, which can differ from that of the run.
func Status(run agent.Run, status agent.Status) string {
	line := string(status)
	switch {
	case run.Reason != "" && status == agent.StatusPaused:
		line += " (" + string(run.Reason) + ")"
	case status == agent.StatusFinished && run.FinishReason != agent.FinishStop:
		line += " (" + run.FinishReason + ")"
	}
	if run.Error != nil {
		line += ": " + text.Line(run.Error.Message)
	}
	return "run " + run.ID + " " + text.Line(line)
}

// Usage is what a run used, in words: steps, then tokens and cost where there
// were any.
func Usage(u agent.Usage) []string {
	facts := []string{fmt.Sprintf("%d %s", u.Steps, text.Plural(int(u.Steps), "step", "steps"))}
	if u.Tokens() > 0 {
		in := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
		facts = append(facts, fmt.Sprintf("%d tokens in, %d out", in, u.OutputTokens))
		facts = append(facts, costText(u.Cost))
	}
	return facts
}

// costText is a cost as people read it: cents, and more digits below one.
func costText(cost *float64) string {
	switch {
	case cost == nil:
		return "cost unknown"
	case *cost > 0 && *cost < 0.01:
		return "$" + strconv.FormatFloat(*cost, 'g', 2, 64)
	}
	return fmt.Sprintf("$%.2f", *cost)
}
