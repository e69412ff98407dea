package replay

import "github.com/seed-3e5a1d81/agent/agent"

// assumption is what a journal does not tell of a drive.
type assumption struct {
	onQuestion agent.OnQuestion
	stop       stop
	// after is, for stopAfter, how many replies and results came before.
	after int
	// short: the request that had no reply was one for a summary.
	short bool
}

// stop says when a drive that was stopped was.
type stop int

const (
	stopAsked  stop = iota // when something was needed that never came
	stopCommit             // right after the last record before the pause was durable
	stopAfter              // with the reply or the result that came last
	stopGate               // when it was asked whether a call with an effect may be made
)

// fewest is how far back from the last reply or result a stop is looked for.
const fewest = 12

// assumptions are those to try, the likeliest first: before anything was
// tried, and once it is known how many replies and results there are.
func assumptions(delivered int) []assumption {
	var list []assumption
	add := func(a assumption) {
		for _, q := range []agent.OnQuestion{agent.OnQuestionSuspend, agent.OnQuestionFallback, agent.OnQuestionReadOnlyFallback, agent.OnQuestionFail} {
			a.onQuestion = q
			list = append(list, a)
		}
	}
	if delivered == 0 {
		add(assumption{stop: stopAsked})
		add(assumption{stop: stopCommit})
		add(assumption{stop: stopGate})
		add(assumption{stop: stopAsked, short: true})
		add(assumption{stop: stopCommit, short: true})
		return list
	}
	for n := delivered; n > 0 && n > delivered-fewest; n-- {
		add(assumption{stop: stopAfter, after: n})
	}
	return list
}
