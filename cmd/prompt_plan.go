package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/tools"
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

// plan reviews a plan. An approval names the revision and the digest that were
// shown (see session.resumeOf).
func (p *prompter) plan(ctx context.Context, i item) (*reply, error) {
	shown := i
	p.present(func(on *screen.Screen) { p.show(ctx, on, shown) })
	for {
		at, err := p.pick(ctx, fmt.Sprintf("Plan%s, revision %d", i.count, tell.PlanOf(i.sus).Revision), p.planChoices(i))
		if err != nil || at == planLater {
			return nil, err
		}
		if at == planEdit {
			now, err := p.editPlan(ctx, i)
			switch {
			case errors.Is(err, terminal.ErrLeft):
				return nil, err
			case err != nil:
				p.tell("%v", err)
			case now != nil:
				i = *now
				p.present(func(on *screen.Screen) { p.show(ctx, on, *now) })
			}
			continue
		}
		r, err := p.decide(ctx, i, at)
		if err != nil || r != nil {
			return r, err
		}
	}
}

func (p *prompter) planChoices(i item) []terminal.Choice {
	mode := text.Field(p.s.modes.AfterApproval(i.st.Run.Mode), 30)
	return []terminal.Choice{
		{Label: decideLater},
		{Label: "Approve", About: "go on in mode " + mode},
		{Label: "Approve with notes…"},
		{Label: "Approve with a fresh context", About: "from task, answers and plan alone"},
		{Label: "Request changes…"},
		{Label: "Edit in " + p.editorName() + "…"},
		{Label: "Reject", About: "and wait for your next message"},
	}
}

// decide makes the decision at a place of the list; no reply if the words it
// takes were not given.
func (p *prompter) decide(ctx context.Context, i item, at int) (*reply, error) {
	d := agent.PlanDecision{Action: agent.Approved}
	if at == planChanges || at == planReject {
		d.Action = agent.Rejected
	}
	ask := map[int]string{planNotes: "Notes for the agent.", planChanges: "What should change?"}[at]
	if ask == "" {
		r := i.answered(d)
		r.fresh = at == planFresh
		return r, nil
	}
	p.tell("%s %s.", ask, ourWords)
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
func (p *prompter) editPlan(ctx context.Context, i item) (*item, error) {
	plan, ok := planAt(i.st, i.sus)
	host := p.s.planHost(i.sus.ToolName)
	if !ok || host == nil {
		return nil, errors.New("this plan has no file to edit")
	}
	run := i.st.Run
	file, err := host.PlanReader().ReadPlan(ctx, run.ID, run.Workspace, plan.Path)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = p.restorePlan(ctx, host.PlanReader(), run.Workspace, plan)
	}
	var fault tools.PlanFault
	if errors.As(err, &fault) { // the editor is what mends it
		file.Path, err = plan.Path, nil
	}
	if err != nil {
		return nil, fmt.Errorf("edit plan: %w", err)
	}
	if err := p.edit(ctx, run.ID, filepath.Join(run.Workspace, filepath.FromSlash(file.Path))); err != nil {
		return nil, err
	}
	changed, err := p.s.revise(ctx, run.ID, i.sus)
	if err != nil {
		return nil, err
	}
	if !changed {
		p.tell("The file is unchanged.")
		return nil, nil
	}
	return p.again(ctx, i)
}

// restorePlan writes a plan whose file is missing, to be edited.
func (p *prompter) restorePlan(ctx context.Context, reader agent.PlanReader, workspace string, plan agent.Plan) (agent.PlanFile, error) {
	source, err := p.s.store.Blob(ctx, plan.Digest)
	if err != nil {
		return agent.PlanFile{}, err
	}
	file := agent.PlanFile{Path: plan.Path, Title: plan.Title, Plan: plan.Body, Digest: plan.Digest, Source: source}
	return file, reader.RestorePlan(ctx, workspace, file)
}

// again finds what is open of the same call now.
func (p *prompter) again(ctx context.Context, i item) (*item, error) {
	st, _, err := loadRun(ctx, p.s.store, i.st.Run.ID)
	if err != nil {
		return nil, err
	}
	for _, sus := range waitingOf(st) {
		if sus.ToolCallID == i.sus.ToolCallID {
			return &item{st: st, sus: sus, count: i.count}, nil
		}
	}
	return nil, fmt.Errorf("%w: the plan was decided meanwhile", agent.ErrAlreadyAnswered)
}

// planAt is the revision a suspension shows.
func planAt(st *agent.State, sus agent.Suspension) (agent.Plan, bool) {
	for _, plan := range st.Plans() {
		if plan.ToolCallID == sus.ToolCallID && plan.N == sus.N {
			return plan, plan.Digest != ""
		}
	}
	return agent.Plan{}, false
}
