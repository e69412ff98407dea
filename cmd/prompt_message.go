package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// message asks for the next message to a run whose turn has ended. An empty
// line, Ctrl-D, Ctrl-C and a signal all mean that there is none.
func (p *prompter) message(ctx context.Context, st *agent.State) (string, error) {
	p.screen.Line()
	p.tell("Your next message? (Ctrl-G opens an editor, empty ends)")
	said, err := p.words(ctx, st.Run.ID, st.Run.Text)
	if errors.Is(err, terminal.ErrLeft) {
		return "", nil
	}
	return said, err
}

// task asks what to do. There is no run yet that could wait.
func (p *prompter) task(ctx context.Context) (string, error) {
	p.tell("What should the agent do? (Ctrl-G opens an editor)")
	said, err := p.words(ctx, "", "")
	switch {
	case errors.Is(err, terminal.ErrLeft):
		p.tell("Nothing was started.")
		return "", exitWith(exitSuspended)
	case err == nil && said == "":
		return "", noPrompt()
	}
	return said, err
}

// chooseWaiting lets a person choose one of the runs that wait.
func (p *prompter) chooseWaiting(ctx context.Context, runs []agent.RunInfo) (string, error) {
	choices := []terminal.Choice{{Label: "None of them now"}}
	const beside = 60 // columns that hold what a run waits for beside its title
	for _, r := range runs {
		title := text.Line(r.Title)
		if width := p.screen.Width(); width >= beside {
			title = text.Truncate(title, width/3)
		}
		choices = append(choices, terminal.Choice{Label: shortID(r.ID) + "  " + title, About: waitingLine(r, p)})
	}
	at, err := p.pick(ctx, "Waiting for you", choices)
	if err != nil || at == 0 {
		p.screen.Line("Nothing was decided. Waiting in this workspace:")
		p.screen.Line(candidates(runs))
		p.tell("resume one: agent resume RUNID")
		return "", exitWith(exitSuspended)
	}
	return runs[at-1].ID, nil
}

// waitingLine says what a run waits for and since when.
func waitingLine(r agent.RunInfo, p *prompter) string {
	what := "a plan to decide on"
	if len(r.Open) > 0 {
		what = tell.OpenLine(r.Open[0])
	}
	if n := len(r.Open); n > 1 {
		what += fmt.Sprintf(" and %d more", n-1)
	}
	return fmt.Sprintf("%s, %s ago", what, text.Age(p.s.w.io.Now(), r.Updated))
}
