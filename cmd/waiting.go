package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/ask"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// offeredRuns is how many runs a person is offered to go on with.
const offeredRuns = 20

// askWaiting lets a person choose one of the runs that wait.
func (s *session) askWaiting(ctx context.Context, p *ask.Person, runs []agent.RunInfo) (string, error) {
	choices := []terminal.Choice{{Label: "None of them now"}}
	const beside = 60 // columns that hold what a run waits for beside its title
	for _, r := range runs {
		title := text.Line(r.Title)
		if width := p.Screen.Width(); width >= beside {
			title = text.Truncate(title, width/3)
		}
		choices = append(choices, terminal.Choice{Label: shortID(r.ID) + "  " + title, About: waitingLine(r, s.w.io.Now())})
	}
	if len(runs) > offeredRuns {
		runs, choices = runs[:offeredRuns], choices[:offeredRuns+1]
		p.Tell("The newest %d are offered. All of them: agent list --waiting", offeredRuns)
	}
	at, err := p.Pick(ctx, "Waiting for you", choices)
	if err != nil || at == 0 {
		p.Screen.Line("Nothing was decided. Waiting in this workspace:")
		p.Screen.Line(candidates(runs))
		p.Tell("resume one: agent resume RUNID")
		return "", exit.With(exit.Suspended)
	}
	return runs[at-1].ID, nil
}

// waitingLine says what a run waits for and since when.
func waitingLine(r agent.RunInfo, now time.Time) string {
	what := "a plan to decide on"
	if len(r.Open) > 0 {
		what = tell.OpenLine(r.Open[0])
	}
	if n := len(r.Open); n > 1 {
		what += fmt.Sprintf(" and %d more", n-1)
	}
	return fmt.Sprintf("%s, %s ago", what, text.Age(now, r.Updated))
}
