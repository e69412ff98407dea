package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// joinModes makes the list of modes: the user's, and those of the project
// whose names are free. What a mode leads to must exist; the user's modes do
// not lean on a project's.
func (l *loader) joinModes() {
	known := slices.Clone(l.opts.BuiltinModes)
	for _, m := range l.userModes {
		known = append(known, m.Value.ID)
	}
	for _, m := range l.userModes {
		if fault := l.modeFault(m, known); fault != nil {
			l.problems = append(l.problems, *fault)
		}
	}
	project := slices.DeleteFunc(l.projectModes, func(m Value[agent.Mode]) bool {
		return slices.ContainsFunc(known, func(id string) bool { return strings.EqualFold(id, m.Value.ID) })
	})
	if !l.cfg.Project.Trusted {
		// A stranger's mode must not lead into one the user keeps for own use.
		known = l.opts.BuiltinModes
	}
	l.cfg.Modes = slices.Concat(l.userModes, l.sound(project, known))
	l.checkDefault()
}

// sound drops modes that are wrong, and then those that led to them.
func (l *loader) sound(modes []Value[agent.Mode], known []string) []Value[agent.Mode] {
	for {
		ids := slices.Clone(known)
		for _, m := range modes {
			ids = append(ids, m.Value.ID)
		}
		var fault *Problem
		i := slices.IndexFunc(modes, func(m Value[agent.Mode]) bool {
			fault = l.modeFault(m, ids)
			return fault != nil
		})
		if i < 0 {
			return modes
		}
		l.projectFaults(l.cfg.Project.Trusted, *fault)
		modes = slices.Delete(modes, i, i+1)
	}
}

func (l *loader) modeFault(m Value[agent.Mode], known []string) *Problem {
	v := m.Value
	message := ""
	switch tool := l.unknownTool(v); {
	case v.TransitionsTo != "" && !slices.Contains(known, v.TransitionsTo):
		message = fmt.Sprintf("transitionsTo names %s, which is no mode", v.TransitionsTo)
	case tool != "":
		message = fmt.Sprintf("names %q, which is no tool", shorten(tool))
	default:
		return nil
	}
	return &Problem{Origin: m.Origin, Key: "modes." + v.ID, Message: message}
}

func (l *loader) unknownTool(m agent.Mode) string {
	if l.opts.Tools == nil {
		return ""
	}
	for _, name := range slices.Concat(m.AvailableTools, m.Tools, m.AdditionalTools) {
		if !slices.ContainsFunc(l.opts.Tools, func(d agent.Definition) bool { return d.Name == name }) {
			return name
		}
	}
	return ""
}

func (l *loader) checkDefault() {
	id := l.cfg.DefaultModeID
	if id.Value == "" || slices.Contains(l.opts.BuiltinModes, id.Value) ||
		slices.ContainsFunc(l.cfg.Modes, func(m Value[agent.Mode]) bool { return m.Value.ID == id.Value }) {
		return
	}
	l.problems = append(l.problems, Problem{Origin: id.Origin, Key: "defaultModeId",
		Message: fmt.Sprintf("names %s, which is no mode", id.Value)})
}
