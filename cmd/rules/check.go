package rules

import (
	"encoding/json"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/permission"
)

// Check is the JSON of permissions check.
type Check struct {
	Action agent.Action    `json:"action"`
	Reason string          `json:"reason"`
	Rule   *Rule           `json:"rule"`
	Offer  string          `json:"offer"` // what "for this run" would grant; "" if nothing is asked
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Parts  []Part          `json:"parts"`
}

// Part is a part of a call in JSON.
type Part struct {
	What   string       `json:"what"`
	Action agent.Action `json:"action"`
	Rule   *Rule        `json:"rule"`
	Reason string       `json:"reason"`
}

// Of is what was decided on a call.
func Of(req agent.PermissionRequest, d permission.Decision) Check {
	s := Check{
		Action: d.Action, Reason: d.Reason, Rule: ruleOf(d.By), Offer: d.Rule,
		Tool: req.Tool.Name, Args: req.Args, Parts: []Part{},
	}
	for _, p := range d.Parts {
		if p.What != "" {
			s.Parts = append(s.Parts, Part{p.What, p.Action, ruleOf(p.By), p.Why})
		}
	}
	return s
}

// Table shows a person which rule decides each part of the call.
func (c Check) Table() *screen.Table {
	t := &screen.Table{Head: []string{"ACTION", "WHAT", "BY", "FROM"}, Widest: []int{7, 60, 60, 200}}
	for _, p := range c.Parts {
		by, from := p.Reason, ""
		if p.Rule != nil {
			by, from = p.Rule.Rule, p.Rule.Origin
		}
		t.Add(string(p.Action), p.What, by, from)
	}
	return t
}
