// Package modes checks an agent's modes, works out the tools each has, and
// knows where an approved plan leads. Its Controller is an agent.ModePolicy.
package modes

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Config is what New makes a Controller from. Only Modes is required; its
// slices and maps must not be changed afterwards.
type Config struct {
	Modes []agent.Mode
	// DefaultModeID is the mode runs begin in; "" means the first with Default
	// set, else the first.
	DefaultModeID string
	// Tools names the agent's tools, in the order they are offered: the base
	// of every mode.
	Tools []string
	// Registered names all tools modes may name. Tools count as registered.
	Registered []string
}

// Controller answers the loop's questions about modes. It does not change and
// is safe for concurrent use.
type Controller struct {
	modes []agent.Mode
	tools map[string][]string
	index map[string]int
	first int // index of the default mode
}

var _ agent.ModePolicy = (*Controller)(nil)

// New checks the modes and returns their Controller. The error names the mode
// and the field at fault: no modes, a mode without an ID, an ID given twice, a
// transition to an unknown mode or to the mode itself, both tools and
// additionalTools, an unknown default, tool or value of writes.
func New(cfg Config) (*Controller, error) {
	if len(cfg.Modes) == 0 {
		return nil, errors.New("check modes: no mode is defined, at least one is needed")
	}
	c := &Controller{
		modes: slices.Clone(cfg.Modes),
		tools: make(map[string][]string, len(cfg.Modes)),
		index: make(map[string]int, len(cfg.Modes)),
	}
	if err := c.indexModes(); err != nil {
		return nil, err
	}
	known := slices.Concat(cfg.Tools, cfg.Registered)
	for _, m := range c.modes {
		if err := c.checkMode(m, known); err != nil {
			return nil, err
		}
		c.tools[m.ID] = toolsOf(m, cfg.Tools)
	}
	if err := c.chooseDefault(cfg.DefaultModeID); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Controller) indexModes() error {
	for i, m := range c.modes {
		if m.ID == "" {
			return fmt.Errorf("check modes: mode %d%s has no id", i+1, named(m.Name))
		}
		if _, twice := c.index[m.ID]; twice {
			return fmt.Errorf("check mode %q: duplicate id", m.ID)
		}
		c.index[m.ID] = i
	}
	return nil
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", name)
}

func (c *Controller) checkMode(m agent.Mode, known []string) error {
	_, there := c.index[m.TransitionsTo]
	switch {
	case m.TransitionsTo == m.ID:
		return fmt.Errorf("check mode %q: transitionsTo leads to the mode itself", m.ID)
	case m.TransitionsTo != "" && !there:
		return fmt.Errorf("check mode %q: transitionsTo names %q, which is no mode", m.ID, m.TransitionsTo)
	case m.Tools != nil && m.AdditionalTools != nil:
		return fmt.Errorf("check mode %q: tools replaces and additionalTools adds, only one of them can be set", m.ID)
	}
	if err := checkWrites(m); err != nil {
		return err
	}
	return checkTools(m, known)
}

func checkWrites(m agent.Mode) error {
	switch m.Writes {
	case "", agent.WritesNone, agent.WritesPlans, agent.WritesWorkspace:
		return nil
	}
	return fmt.Errorf("check mode %q: writes is %q, not one of %s, %s, %s",
		m.ID, m.Writes, agent.WritesNone, agent.WritesPlans, agent.WritesWorkspace)
}

func checkTools(m agent.Mode, known []string) error {
	fields := []struct {
		name  string
		tools []string
	}{
		{"availableTools", m.AvailableTools},
		{"tools", m.Tools},
		{"additionalTools", m.AdditionalTools},
	}
	for _, f := range fields {
		for _, t := range f.tools {
			if !slices.Contains(known, t) {
				return fmt.Errorf("check mode %q: %s names %q, which is no tool", m.ID, f.name, t)
			}
		}
	}
	return nil
}

// toolsOf returns the tools of a mode: the base or what replaces it, with the
// additions, each name once, filtered by availableTools.
func toolsOf(m agent.Mode, base []string) []string {
	if m.Tools != nil {
		base = m.Tools
	}
	out := []string{}
	for _, t := range slices.Concat(base, m.AdditionalTools) {
		filtered := m.AvailableTools != nil && !slices.Contains(m.AvailableTools, t)
		if !filtered && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func (c *Controller) chooseDefault(id string) error {
	if id != "" {
		i, ok := c.index[id]
		if !ok {
			return fmt.Errorf("check modes: the default mode %q is no mode", id)
		}
		c.first = i
		return nil
	}
	c.first = max(0, slices.IndexFunc(c.modes, func(m agent.Mode) bool { return m.Default }))
	return nil
}

// Modes lists the modes in the order they were given.
func (c *Controller) Modes() []agent.Mode { return slices.Clone(c.modes) }

// Default is the mode a run begins in when none is named.
func (c *Controller) Default() agent.Mode { return c.modes[c.first] }

// Mode returns the mode of that ID.
func (c *Controller) Mode(id string) (agent.Mode, bool) {
	i, ok := c.index[id]
	if !ok {
		return agent.Mode{}, false
	}
	return c.modes[i], true
}

// Tools names the tools of a mode in the order they are offered; nil if there
// is no such mode.
func (c *Controller) Tools(id string) []string { return slices.Clone(c.tools[id]) }

// AfterApproval is the ID of the mode an approved plan of mode id leads to:
// its transitionsTo, else the default mode. It may be id itself.
func (c *Controller) AfterApproval(id string) string {
	if m, ok := c.Mode(id); ok && m.TransitionsTo != "" {
		return m.TransitionsTo
	}
	return c.Default().ID
}
