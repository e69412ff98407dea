package ask

import (
	"context"
	"encoding/json"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// approval asks whether a call may run.
func (p *Person) approval(ctx context.Context, i item) (*Reply, error) {
	var asked agent.ApprovalRequest
	_ = json.Unmarshal(i.sus.Payload, &asked) // without a rule none is offered
	p.Present(func(on *screen.Screen) { p.showCall(ctx, on, i, asked.Rule) })
	choices := []terminal.Choice{{Label: DecideLater}, {Label: "Deny"}, {Label: "Deny and say why…"}, {Label: "Allow once"}}
	if asked.Rule != "" {
		choices = append(choices, terminal.Choice{Label: "Allow for this run", About: text.Field(asked.Rule, 200)})
	}
	for {
		at, err := p.Pick(ctx, "This call"+i.count, choices)
		if err != nil {
			return nil, err
		}
		switch at {
		case 0:
			return nil, nil
		case 1:
			return i.answered(agent.ApprovalDecision{Action: agent.Rejected}), nil
		case 3:
			return i.answered(agent.ApprovalDecision{Action: agent.Approved, Scope: agent.ScopeOnce}), nil
		case 4:
			return i.answered(agent.ApprovalDecision{Action: agent.Approved, Scope: agent.ScopeRun}), nil
		}
		p.Tell("Why not? %s.", ourWords)
		why, err := p.words(ctx, i.st.Run.ID, tell.Args(i.sus.Args))
		if err != nil {
			return nil, err
		}
		if why != "" {
			return i.answered(agent.ApprovalDecision{Action: agent.Rejected, Feedback: why}), nil
		}
	}
}

// showCall prints a call that may need approval, and the rule that would cover
// more calls like it.
func (p *Person) showCall(ctx context.Context, on *screen.Screen, i item, rule string) {
	p.show(ctx, on, i)
	if rule != "" {
		on.Line("Allowing it for this run allows, without asking again:")
		on.SetOff(rule)
	}
}

// doubt asks what became of a call whose process died.
func (p *Person) doubt(ctx context.Context, i item) (*Reply, error) {
	p.Present(func(on *screen.Screen) { p.show(ctx, on, i) })
	at, err := p.Pick(ctx, "This call"+i.count, []terminal.Choice{
		{Label: DecideLater},
		{Label: "It happened", About: "go on as if it had ended"},
		{Label: "Run it again"},
		{Label: "Stop the run", About: "for good"},
	})
	if err != nil || at == 0 {
		return nil, err
	}
	action := []string{"", agent.Happened, agent.Again, agent.Stop}[at]
	return i.answered(agent.DoubtDecision{Action: action}), nil
}
