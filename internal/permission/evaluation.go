package permission

import (
	"fmt"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
)

// evaluation is one call on its way to a decision.
type evaluation struct {
	policy  Policy
	request agent.PermissionRequest
	rules   []*Rule // those that can be about it
	units   []*unit
	moved   bool   // the command line changes its directory
	line    string // the command line as an exact rule has it; "" if there is no single one
	digest  string // of the arguments, where a rule has one
}

// read finds the rules, and what the call does as far as they ask for it.
func (e *evaluation) read() {
	t := e.request.Tool
	patterns := false
	for _, r := range e.policy.Rules {
		about := r.names(t)
		if t.Name == shellTool && !about { // redirections read and write files
			about = r.category == agent.CategoryEdit || r.category == agent.CategoryRead && r.Action != agent.ActionAllow
			patterns = patterns || about
		}
		if !about {
			continue
		}
		e.rules = append(e.rules, r)
		patterns = patterns || r.path != nil || r.command != nil && !r.command.everything()
		if r.digest != "" && e.digest == "" {
			e.digest = argsDigest(e.request.Args)
		}
	}
	if !patterns {
		return
	}
	if t.Name == shellTool {
		e.readLines()
		return
	}
	all, exact := texts(e.request.Args, "path")
	if len(all) == 0 && tree(t) {
		all = []string{"."}
	}
	for _, p := range all {
		u := &unit{item: item{what: p}, places: placesOf(e.request.Workspace, p), tree: tree(t)}
		if !exact || len(all) > 1 {
			u.places = append(u.places, place{}) // one that no pattern allows
		}
		e.units = append(e.units, u)
	}
}

func (e *evaluation) readLines() {
	all, exact := texts(e.request.Args, "command")
	if exact && len(all) == 1 {
		e.line = escapeCommand(all[0])
	}
	for _, line := range all {
		switch {
		case e.policy.Foreign:
			e.units = append(e.units, &unit{item: item{what: line, unknown: "commands are not for a shell whose lines are read"}})
		default:
			e.add(nil, readLine(line, 0))
		}
	}
	if !exact || len(all) != 1 {
		e.units = append(e.units, &unit{item: item{unknown: "the arguments name no single command"}})
	}
}

// add notes items and what they run in turn.
func (e *evaluation) add(parent *unit, items []item) {
	for _, i := range items {
		u := &unit{item: i, parent: parent}
		e.units = append(e.units, u)
		switch {
		case i.command != nil:
			u.free = harmless(i.command)
			e.moved = e.moved || i.command.moves()
			e.add(u, i.command.inner)
		case i.sets != "":
			u.free = ownVariable(i.sets)
		case i.target != nil:
			u.free = i.target.fixed && (device(i.target.text) || !i.write && !network(i.target.text))
			if i.target.fixed {
				u.places = placesOf(e.request.Workspace, i.target.text)
			}
		}
	}
}

// decide is the decision; what would be asked about may have been granted.
func (e *evaluation) decide() Decision {
	d, ok := e.denied()
	if !ok {
		d = e.undenied()
	}
	if d.Action == agent.ActionAsk && e.granted(d.Rule) {
		return e.verdict(Part{Action: agent.ActionAllow, Why: "granted for this run"})
	}
	return d
}

// granted reports whether a person allowed the call for the rest of the run:
// by the rule that is offered now, or by that of this call alone.
func (e *evaluation) granted(offered string) bool {
	has := func(rule string) bool { return rule != "" && slices.Contains(e.request.Grants, rule) }
	return len(e.request.Grants) > 0 && (has(offered) || has(exact(e.request.Tool.Name, e.request.Args)))
}

// undenied goes through the rules in the order in which they win, where none
// surely denies.
func (e *evaluation) undenied() Decision {
	if parts := e.doubtful(agent.ActionDeny); len(parts) > 0 {
		return e.verdict(parts...)
	}
	if e.policy.Yolo {
		return e.verdict(Part{Action: agent.ActionAllow, Why: "everything is allowed (yolo)"})
	}
	if r := e.whole(agent.ActionAsk); r != nil {
		return e.verdict(Part{Action: agent.ActionAsk, By: r})
	}
	r := e.whole(agent.ActionAllow)
	if r == nil {
		return e.each()
	}
	if parts := e.doubtful(agent.ActionAsk); len(parts) > 0 {
		return e.verdict(parts...)
	}
	return e.verdict(Part{Action: agent.ActionAllow, By: r})
}

// verdict is a decision on the call as a whole.
func (e *evaluation) verdict(parts ...Part) Decision {
	d := Decision{Parts: parts}
	first := strictest(parts)
	d.Action, d.By = first.Action, first.By
	d.Reason = e.reason(first)
	if d.Action == agent.ActionAsk {
		d.Rule = offer(e.request)
	}
	return d
}

// reason is why, in a sentence for the person and the model.
func (e *evaluation) reason(p Part) string {
	what := ""
	if p.What != "" && escapeCommand(p.What) != e.line && e.request.Tool.Name == shellTool {
		what = ": " + told(p.What)
	}
	switch {
	case p.By != nil && p.Why != "":
		return fmt.Sprintf("%s, and %s (%s) may be about it%s", p.Why, p.By, p.By.Origin, what)
	case p.By != nil && p.Action == agent.ActionDeny:
		return fmt.Sprintf("denied by the rule %s (%s)%s", p.By.Text, p.By.Origin, what)
	case p.By != nil && p.Action == agent.ActionAsk:
		return fmt.Sprintf("the rule %s (%s) asks%s", p.By.Text, p.By.Origin, what)
	case p.By != nil:
		return fmt.Sprintf("allowed by the rule %s (%s)", p.By.Text, p.By.Origin)
	}
	return p.Why + what
}

// denied is the decision of a rule that surely denies.
func (e *evaluation) denied() (Decision, bool) {
	if r := e.whole(agent.ActionDeny); r != nil {
		return e.verdict(Part{Action: agent.ActionDeny, By: r}), true
	}
	var parts []Part
	for _, u := range e.units {
		if r, m := e.strongest(agent.ActionDeny, u); m == yes {
			parts = append(parts, Part{What: u.what, Action: agent.ActionDeny, By: r})
		}
	}
	if len(parts) == 0 {
		return Decision{}, false
	}
	return e.verdict(parts...), true
}

// doubtful are the units that a rule of an action is about, or may be.
func (e *evaluation) doubtful(action agent.Action) []Part {
	var parts []Part
	for _, u := range e.units {
		r, m := e.strongest(action, u)
		switch m {
		case yes:
			parts = append(parts, Part{What: u.what, Action: agent.ActionAsk, By: r})
		case perhaps:
			parts = append(parts, Part{What: u.what, Action: agent.ActionAsk, By: r, Why: u.doubt()})
		}
	}
	return parts
}

// whole is the first rule of an action that is about the call as a whole.
func (e *evaluation) whole(action agent.Action) *Rule {
	for _, r := range e.rules {
		if r.Action != action || !r.names(e.request.Tool) {
			continue
		}
		if r.bare() || r.command.everything() || r.digest != "" && r.digest == e.digest || r.exact != "" && r.exact == e.line {
			return r
		}
	}
	return nil
}

// strongest is the rule of an action, asking or denying, that is most surely
// about a unit.
func (e *evaluation) strongest(action agent.Action, u *unit) (by *Rule, m match) {
	for _, r := range e.rules {
		if r.Action != action {
			continue
		}
		if got := e.catches(r, u); got > m {
			by, m = r, got
		}
		if m == yes {
			break
		}
	}
	return by, m
}

// each decides on every unit by itself.
func (e *evaluation) each() Decision {
	t := e.request.Tool
	rest := e.policy.Default(t.Category)
	if len(e.units) == 0 {
		return e.verdict(Part{Action: rest, Why: reasonOf(t, rest)})
	}
	var parts []Part
	for _, u := range e.units {
		if u.command != nil && u.command.clear && len(u.command.inner) > 0 && !e.anyCatches(u) {
			continue // what it runs is decided on
		}
		parts = append(parts, e.one(u, rest))
	}
	return e.verdict(parts...)
}

func (e *evaluation) anyCatches(u *unit) bool {
	_, m := e.strongest(agent.ActionAsk, u)
	return m != no
}

// one decides on one unit, of which no rule denies anything.
func (e *evaluation) one(u *unit, rest agent.Action) Part {
	p := Part{What: u.what}
	if r, m := e.strongest(agent.ActionAsk, u); m != no {
		p.Action, p.By = agent.ActionAsk, r
		if m == perhaps {
			p.Why = u.doubt()
		}
		return p
	}
	if r := e.allowing(u); r != nil {
		p.Action, p.By = agent.ActionAllow, r
		return p
	}
	if u.free {
		p.Action, p.Why = agent.ActionAllow, "changes nothing by itself"
		return p
	}
	p.Action, p.Why = rest, e.uncovered(u, rest)
	return p
}

// uncovered says why no rule allows a unit.
func (e *evaluation) uncovered(u *unit, rest agent.Action) string {
	t := e.request.Tool
	switch {
	case rest != agent.ActionAsk || t.Name != shellTool:
		return reasonOf(t, rest)
	case u.unknown != "":
		return u.unknown
	case !slices.ContainsFunc(e.rules, func(r *Rule) bool { return r.Action == agent.ActionAllow && r.names(t) }):
		return reasonOf(t, rest)
	case u.target != nil:
		return "no rule allows to open this file"
	}
	return "no rule allows it"
}

// allowing is the first rule that allows a unit.
func (e *evaluation) allowing(u *unit) *Rule {
	for _, r := range e.rules {
		if r.Action == agent.ActionAllow && e.permits(r, u) {
			return r
		}
	}
	return nil
}
