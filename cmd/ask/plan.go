package ask

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// What a person can do about a plan, in the order of the list.
const (
	planLater = iota
	planApprove
	planNotes
	planFresh
	planChanges
	planEdit
	planReject
)

// plan reviews a plan. The reply is to the revision that was shown.
func (p *Person) plan(ctx context.Context, i item) (*Reply, error) {
	shown := i
	p.Present(func(on *screen.Screen) { p.show(ctx, on, shown) })
	for {
		at, err := p.Pick(ctx, fmt.Sprintf("Plan%s, revision %d", i.count, tell.PlanOf(i.sus).Revision), p.planChoices(i))
		if err != nil || at == planLater {
			return nil, err
		}
		if at == planEdit {
			now, err := p.editPlan(ctx, i)
			switch {
			case errors.Is(err, terminal.ErrLeft):
				return nil, err
			case err != nil:
				p.Tell("%v", err)
			case now != nil:
				i = *now
				p.Present(func(on *screen.Screen) { p.show(ctx, on, *now) })
			}
			continue
		}
		r, err := p.decide(ctx, i, at)
		if err != nil || r != nil {
			return r, err
		}
	}
}

func (p *Person) planChoices(i item) []terminal.Choice {
	mode := text.Field(p.Desk.AfterApproval(i.st.Run.Mode), 30)
	return []terminal.Choice{
		{Label: DecideLater},
		{Label: "Approve", About: "go on in mode " + mode},
		{Label: "Approve with notes…"},
		{Label: "Approve with a fresh context", About: "from task, answers and plan alone"},
		{Label: "Request changes…"},
		{Label: "Edit in " + p.Editor.name() + "…"},
		{Label: "Reject", About: "and wait for your next message"},
	}
}

// decide makes the decision at a place of the list; no reply if the words it
// takes were not given.
func (p *Person) decide(ctx context.Context, i item, at int) (*Reply, error) {
	d := agent.PlanDecision{Action: agent.Approved}
	if at == planChanges || at == planReject {
		d.Action = agent.Rejected
	}
	ask := map[int]string{planNotes: "Notes for the agent.", planChanges: "What should change?"}[at]
	if ask == "" {
		r := i.answered(d)
		r.Fresh = at == planFresh
		return r, nil
	}
	p.Tell("%s %s.", ask, ourWords)
	said, err := p.words(ctx, i.st.Run.ID, tell.PlanOf(i.sus).Plan)
	if err != nil || said == "" {
		return nil, err
	}
	d.Feedback = said
	return i.answered(d), nil
}

// editPlan opens the plan's file in the editor. If it was changed, what it
// holds now is recorded as the next revision and returned; it is approved by
// nobody yet.
func (p *Person) editPlan(ctx context.Context, i item) (*item, error) {
	run := i.st.Run
	file, err := p.Desk.PlanFile(ctx, i.st, i.sus)
	if err != nil {
		return nil, err
	}
	if err := p.edit(ctx, run.ID, file); err != nil {
		return nil, err
	}
	changed, err := p.Desk.Revise(ctx, run.ID, i.sus)
	if err != nil {
		return nil, err
	}
	if !changed {
		p.Tell("The file is unchanged.")
		return nil, nil
	}
	return p.again(ctx, i)
}

// again finds what is open of the same call now.
func (p *Person) again(ctx context.Context, i item) (*item, error) {
	st, waiting, err := p.Desk.Waiting(ctx, i.st.Run.ID)
	if err != nil {
		return nil, err
	}
	for _, sus := range waiting {
		if sus.ToolCallID == i.sus.ToolCallID {
			return &item{st: st, sus: sus, count: i.count}, nil
		}
	}
	return nil, fmt.Errorf("%w: the plan was decided meanwhile", agent.ErrAlreadyAnswered)
}
