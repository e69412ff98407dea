// Package permission decides which calls may run unasked: it reads rules such
// as shell(go test *), and the calls they are about. Policy is the
// agent.Permissions of the command line.
//
// A command line is read, not run: every command in it, in pipelines, lists,
// substitutions, functions, loops, here-documents and scripts given to other
// programs, has to be allowed. What cannot be known before it runs is asked
// about.
package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Policy decides by its rules, and where none is about a call, by the category
// of the tool: reading, editing within what the mode may write, and asking are
// allowed, commands are asked about. A tool of no known category is asked about
// too. The zero value is useful, and safe for concurrent use.
//
// Among the rules that are about a call one that denies wins over the person's
// grants, these over one that asks, that over one that allows. A command line
// is as allowed as what it runs least allowed.
type Policy struct {
	// Yolo allows every call that no rule denies.
	Yolo  bool
	Rules []*Rule
	// Read, Edit and Execute decide on calls of these categories where no rule
	// does; "": the above. What asks a person is never gated.
	Read, Edit, Execute agent.Action
	// Foreign says that commands are not for a POSIX shell: what they run is
	// not known then.
	Foreign bool
}

var _ agent.Permissions = Policy{}

// Decision is a Verdict with its grounds.
type Decision struct {
	agent.Verdict
	By    *Rule  // nil: no rule
	Parts []Part // what was decided on, for a command line one after the other
}

// Part is one thing a call does, and what becomes of it.
type Part struct {
	What   string
	Action agent.Action
	By     *Rule  // nil: no rule
	Why    string // where no rule decides, or may only
}

// Decide returns the verdict on one call. Where it asks, the verdict offers
// the rule that would allow this call for the rest of the run.
func (p Policy) Decide(r agent.PermissionRequest) agent.Verdict { return p.Explain(r).Verdict }

// Explain is Decide with the grounds. It looks at the file system, to resolve
// links, where rules have paths.
func (p Policy) Explain(r agent.PermissionRequest) Decision {
	e := &evaluation{policy: p, request: r}
	e.read()
	return e.decide()
}

// Default is what becomes of calls of a category where no rule decides.
func (p Policy) Default(c agent.Category) agent.Action {
	switch c {
	case agent.CategoryInteract:
		return agent.ActionAllow
	case agent.CategoryRead:
		return cmp.Or(p.Read, agent.ActionAllow)
	case agent.CategoryEdit:
		return cmp.Or(p.Edit, agent.ActionAllow)
	case agent.CategoryExecute:
		return cmp.Or(p.Execute, agent.ActionAsk)
	}
	return agent.ActionAsk
}

// Closed are the patterns of paths that a rule denies to everything that
// reads: tools pass them over where they look through directories.
func (p Policy) Closed() []string {
	var out []string
	for _, r := range p.Rules {
		if r.Action == agent.ActionDeny && r.tool == "" && r.category == agent.CategoryRead && r.path != nil {
			out = append(out, r.path.plain)
		}
	}
	return out
}

// General is what becomes of the calls of a tool whatever their arguments, and
// how many rules decide on some of them.
func (p Policy) General(t agent.Definition) (action agent.Action, some int) {
	if t.Asks == agent.KindQuestion || t.Asks == agent.KindPlan {
		return agent.ActionAllow, 0
	}
	decided := map[agent.Action]bool{}
	for _, r := range p.Rules {
		switch {
		case !r.names(t):
		case r.bare() || r.command.everything():
			decided[r.Action] = true
		default:
			some++
		}
	}
	switch {
	case decided[agent.ActionDeny]:
		return agent.ActionDeny, some
	case p.Yolo:
		return agent.ActionAllow, some
	case decided[agent.ActionAsk]:
		return agent.ActionAsk, some
	case decided[agent.ActionAllow]:
		return agent.ActionAllow, some
	}
	return p.Default(t.Category), some
}

// reasonOf says what becomes of a call where no rule decides.
func reasonOf(t agent.Definition, action agent.Action) string {
	switch {
	case action == agent.ActionAllow:
		return fmt.Sprintf("calls of category %q are allowed where no rule decides", t.Category)
	case action == agent.ActionDeny:
		return fmt.Sprintf("calls of category %q are denied by configuration", t.Category)
	case t.Category == agent.CategoryExecute:
		return t.Name + " runs commands"
	case t.Category == agent.CategoryRead || t.Category == agent.CategoryEdit:
		return fmt.Sprintf("calls of category %q are asked about by configuration", t.Category)
	}
	return fmt.Sprintf("%s is of no category that runs unasked", t.Name)
}

// strictest is the part that decides on all: one that is denied, else one that
// is asked about, else the first.
func strictest(parts []Part) Part {
	for _, action := range []agent.Action{agent.ActionDeny, agent.ActionAsk} {
		if i := slices.IndexFunc(parts, func(p Part) bool { return p.Action == action }); i >= 0 {
			return parts[i]
		}
	}
	return parts[0]
}

// told is a part of a call in a sentence.
func told(what string) string {
	const most = 120
	what = strings.Join(strings.Fields(what), " ")
	if r := []rune(what); len(r) > most {
		what = string(r[:most]) + "…"
	}
	return what
}
