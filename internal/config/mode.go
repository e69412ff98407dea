package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// modeField reads one field of a mode.
type modeField struct {
	name string
	put  func(m *agent.Mode, raw any) error
}

func modeFields() []modeField {
	return []modeField{
		{"id", into(func(m *agent.Mode) *string { return &m.ID }, plain(identifier))},
		{"name", into(func(m *agent.Mode) *string { return &m.Name }, plain(line))},
		{"description", into(func(m *agent.Mode) *string { return &m.Description }, plain(line))},
		{"instructions", into(func(m *agent.Mode) *string { return &m.Instructions }, plain(filled))},
		{"availableTools", into(func(m *agent.Mode) *[]string { return &m.AvailableTools }, texts)},
		{"tools", into(func(m *agent.Mode) *[]string { return &m.Tools }, texts)},
		{"additionalTools", into(func(m *agent.Mode) *[]string { return &m.AdditionalTools }, texts)},
		{"writes", into(func(m *agent.Mode) *agent.Writes { return &m.Writes },
			words(agent.WritesNone, agent.WritesPlans, agent.WritesWorkspace))},
		{"defaultModelId", into(func(m *agent.Mode) *string { return &m.DefaultModelID }, plain(line))},
		{"transitionsTo", into(func(m *agent.Mode) *string { return &m.TransitionsTo }, plain(identifier))},
		{"default", into(func(m *agent.Mode) *bool { return &m.Default }, truth)},
		{"metadata", into(func(m *agent.Mode) *map[string]any { return &m.Metadata }, anyTable)},
	}
}

func into[T any](field func(*agent.Mode) *T, read reader[T]) func(*agent.Mode, any) error {
	return func(m *agent.Mode, raw any) (err error) {
		*field(m), err = read(raw)
		return err
	}
}

func anyTable(raw any) (map[string]any, error) {
	table, ok := raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("is %s, write a table", kindOf(raw))
	}
	return table, nil
}

// maxModes bounds the work a stranger's file can cause.
const maxModes = 100

// modes reads [[modes]].
func (r *reading) modes(raw any) {
	items, ok := tables(raw)
	if !ok {
		r.fault("modes", fmt.Sprintf("is %s, write each mode as [[modes]]", kindOf(raw)))
		return
	}
	if len(items) > maxModes {
		r.fault("modes", fmt.Sprintf("are %d, at most %d are read", len(items), maxModes))
		return
	}
	for i, table := range items {
		path := fmt.Sprintf("modes[%d]", i)
		if m, ok := r.mode(path, table); ok {
			r.takeMode(path, m)
		}
	}
}

// mode reads one mode; not ok if anything in it is wrong.
func (r *reading) mode(path string, table map[string]any) (m agent.Mode, ok bool) {
	before := len(r.faults)
	fields := modeFields()
	for _, name := range r.doc.names(path, table) {
		i := slices.IndexFunc(fields, func(f modeField) bool { return f.name == name })
		if i < 0 {
			r.unknown(join(path, name), "[[modes]] "+name)
			continue
		}
		if err := fields[i].put(&m, table[name]); err != nil {
			r.fault(join(path, name), err.Error())
		}
	}
	if err := checkMode(m, table); err != nil && len(r.faults) == before {
		r.fault(path, err.Error())
	}
	return m, len(r.faults) == before
}

func checkMode(m agent.Mode, table map[string]any) error {
	switch {
	case table["id"] == nil:
		return errors.New("has no id")
	case m.Tools != nil && m.AdditionalTools != nil:
		return fmt.Errorf("mode %s: tools replaces and additionalTools adds, use one of them", m.ID)
	case m.TransitionsTo == m.ID:
		return fmt.Errorf("mode %s: transitionsTo leads to the mode itself", m.ID)
	}
	return nil
}

// takeMode adds a mode to what was read, unless it stands in the file already
// or a project may not define it.
func (r *reading) takeMode(path string, m agent.Mode) {
	origin := r.doc.origin(path)
	key := "modes." + m.ID
	if slices.ContainsFunc(r.found, func(v Value[agent.Mode]) bool { return v.Value.ID == m.ID }) {
		r.fault(join(path, "id"), fmt.Sprintf("mode %s is defined twice", m.ID))
		return
	}
	if r.doc.source == SourceProject {
		switch reason := r.refusedMode(m); {
		case reason != "" && !r.trusted && r.mayWhenTrusted(m):
			r.ignore(key, path, false, reason)
			return
		case reason != "":
			r.ignore(key, path, true, reason)
			return
		}
	}
	r.found = append(r.found, Value[agent.Mode]{Value: m, Origin: origin})
}

// mayWhenTrusted reports whether trust would let the mode in.
func (r *reading) mayWhenTrusted(m agent.Mode) bool {
	return !r.redefines(m.ID) && !script(m.DefaultModelID)
}

// refusedMode says why a project may not define m; "" if it may.
func (r *reading) refusedMode(m agent.Mode) string {
	switch {
	case r.redefines(m.ID):
		return "a project does not redefine a built-in mode"
	case script(m.DefaultModelID):
		return "a script model is not taken from a project"
	case r.trusted:
		return ""
	case m.DefaultModelID != "":
		return "it names a model"
	case m.Default:
		return "it makes itself the default"
	case m.Writes != agent.WritesNone && m.Writes != agent.WritesPlans:
		return "it may write the workspace"
	}
	return r.refusedTools(m)
}

// redefines ignores case: "Plan" beside "plan" would pass for it.
func (r *reading) redefines(id string) bool {
	return slices.ContainsFunc(r.opts.BuiltinModes, func(b string) bool { return strings.EqualFold(b, id) })
}

// refusedTools wants a list that bounds the mode's tools, and only readers on
// it. Without tools or availableTools a mode has all the agent's.
func (r *reading) refusedTools(m agent.Mode) string {
	bound := m.AvailableTools
	if bound == nil && m.Tools != nil {
		bound = m.Tools
	}
	if bound == nil {
		return "it has every tool"
	}
	for _, name := range bound {
		if !r.readOnly(name) {
			return fmt.Sprintf("%s is not a tool that only reads", shorten(name))
		}
	}
	return ""
}

func (r *reading) readOnly(tool string) bool {
	return slices.ContainsFunc(r.opts.Tools, func(d agent.Definition) bool {
		return d.Name == tool && d.Effect == agent.EffectReadOnly &&
			(d.Category == agent.CategoryRead || d.Category == agent.CategoryInteract)
	})
}

// script reports whether a model plays a file of somebody's choosing.
func script(model string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(model)), "script:")
}
