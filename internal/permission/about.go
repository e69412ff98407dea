package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// catches reports whether an asking or denying rule is about a unit.
func (e *evaluation) catches(r *Rule, u *unit) match {
	onShell := e.request.Tool.Name == shellTool
	switch {
	case onShell && r.names(e.request.Tool):
		switch {
		case r.command == nil:
			return no // decided on as a whole
		case u.unknown != "":
			return perhaps
		case u.command != nil:
			return r.command.catches(u.command)
		}
		return no
	case onShell:
		return e.catchesTarget(r, u)
	case r.path == nil:
		return no
	case u.tree && r.Action == agent.ActionDeny && r.tool == "":
		return certain(r.path.touches(u.places, false)) // what lies below is closed to the tool
	case u.tree && r.Action == agent.ActionDeny:
		if r.path.touches(u.places, false) {
			return yes
		}
		return min(perhaps, certain(r.path.touches(u.places, true)))
	}
	return certain(r.path.touches(u.places, u.tree))
}

func certain(ok bool) match {
	if ok {
		return yes
	}
	return no
}

// catchesTarget is catches for a rule about files and a redirection.
func (e *evaluation) catchesTarget(r *Rule, u *unit) match {
	wanted := agent.CategoryRead
	if u.write {
		wanted = agent.CategoryEdit
	}
	switch {
	case u.target == nil || r.category != wanted || r.digest != "" || device(u.target.text):
		return no
	case !u.target.fixed:
		return perhaps
	case r.path == nil || r.path.touches(u.places, false):
		return yes
	case e.moved && !filepath.IsAbs(u.target.text):
		return perhaps
	}
	return no
}

// permits reports whether an allowing rule stands for a unit: for a command
// also where it stands for the one that runs it, and names it.
func (e *evaluation) permits(r *Rule, u *unit) bool {
	switch {
	case e.request.Tool.Name != shellTool:
		return r.path != nil && r.path.covers(u.places, u.tree)
	case r.names(e.request.Tool) && e.namesWord(r, u):
		return true
	case u.target != nil:
		return e.permitsTarget(r, u)
	case u.command == nil || !r.names(e.request.Tool):
		return false
	}
	if named, ok := e.stands(r, u.command); ok && !slices.ContainsFunc(u.command.guarded, func(i int) bool { return !named(i) }) {
		return true
	}
	if u.parent == nil || u.at == 0 || u.carried {
		return false
	}
	named, ok := e.stands(r, u.parent.command)
	return ok && named(u.at) && !slices.ContainsFunc(u.command.guarded, func(i int) bool { return !named(u.at + i) })
}

// namesWord reports whether a unit comes from a word of another command that
// the rule names as it stands.
func (e *evaluation) namesWord(r *Rule, u *unit) bool {
	for ; u.parent != nil; u = u.parent {
		if !u.carried {
			continue
		}
		if named, ok := e.stands(r, u.parent.command); ok && named(u.at) {
			return true
		}
	}
	return false
}

// stands reports whether a rule stands for a command, and which words it names.
// What a relative path leads to is not known where the directory changes.
func (e *evaluation) stands(r *Rule, c *command) (named func(int) bool, ok bool) {
	program := c.words[0].text
	if e.moved && strings.Contains(program, "/") && !filepath.IsAbs(program) {
		return nil, false
	}
	return r.command.allows(c)
}

// permitsTarget reports whether a rule allows to write a file of the workspace,
// or one that it names from the root on.
func (e *evaluation) permitsTarget(r *Rule, u *unit) bool {
	switch {
	case !u.write || !u.target.fixed || r.category != agent.CategoryEdit || r.digest != "":
		return false
	case !e.request.Mode.MayWriteWorkspace() || e.moved && !filepath.IsAbs(u.target.text):
		return false
	case r.path != nil:
		return r.path.covers(u.places, false) && r.path.meant(u.places)
	case slices.ContainsFunc(u.places, place.delicate):
		return false
	}
	return !slices.ContainsFunc(u.places, func(p place) bool { return p.rel == "" })
}
