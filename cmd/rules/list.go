// Package rules shows which calls of tools run unasked: the rules in force, and
// what they make of one call.
package rules

import (
	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/permission"
)

// List is the JSON of permissions list.
type List struct {
	Rules      []Rule           `json:"rules"`
	Categories []Category       `json:"categories"`
	Yolo       Yolo             `json:"yolo"`
	Ignored    []config.Ignored `json:"ignored"`
	Warnings   []string         `json:"warnings"`
}

// Rule is a rule in JSON.
type Rule struct {
	Action agent.Action `json:"action"`
	Rule   string       `json:"rule"`
	Origin string       `json:"origin"`
}

// Category is what becomes of a category where no rule decides.
type Category struct {
	Category agent.Category `json:"category"`
	Action   agent.Action   `json:"action"`
	Origin   string         `json:"origin"`
}

// Yolo says whether everything is allowed that no rule denies.
type Yolo struct {
	Value  bool   `json:"value"`
	Origin string `json:"origin"`
}

// In is what a configuration permits, and policy as it was made of it.
func In(cfg *config.Config, policy permission.Policy) List {
	p := cfg.Permissions
	s := List{
		Rules: []Rule{}, Yolo: Yolo{cfg.Yolo.Value, cfg.Yolo.Origin.String()},
		Ignored: aboutPermissions(cfg.Ignored), Warnings: []string{},
		Categories: []Category{
			{agent.CategoryRead, policy.Default(agent.CategoryRead), p.Read.Origin.String()},
			{agent.CategoryEdit, policy.Default(agent.CategoryEdit), p.Edit.Origin.String()},
			{agent.CategoryExecute, policy.Default(agent.CategoryExecute), p.Execute.Origin.String()},
		},
	}
	for _, r := range policy.Rules {
		s.Rules = append(s.Rules, *ruleOf(r))
	}
	for _, p := range cfg.Warnings {
		s.Warnings = append(s.Warnings, p.Error())
	}
	return s
}

// Table shows the rules to a person, in the order in which they win.
func (l List) Table() *screen.Table {
	t := &screen.Table{Head: []string{"ACTION", "RULE", "FROM"}, Widest: []int{7, 80, 200}}
	for _, r := range l.Rules {
		t.Add(string(r.Action), r.Rule, r.Origin)
	}
	if l.Yolo.Value {
		t.Add(string(agent.ActionAllow), "whatever no rule denies (yolo)", l.Yolo.Origin)
	}
	for _, c := range l.Categories {
		t.Add(string(c.Action), string(c.Category)+", where no rule decides", c.Origin)
	}
	return t
}

// ruleOf is a rule as it is shown; nil for none.
func ruleOf(r *permission.Rule) *Rule {
	if r == nil {
		return nil
	}
	return &Rule{r.Action, r.Text, r.Origin}
}

// aboutPermissions are the ignored settings that are about permissions.
func aboutPermissions(all []config.Ignored) []config.Ignored {
	out := []config.Ignored{}
	for _, i := range all {
		if config.Permits(i.Key) {
			out = append(out, i)
		}
	}
	return out
}
