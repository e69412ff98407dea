// Package config reads the configuration of the agent: the user's file, the
// project's file as far as the user trusts it, the environment and flags. It
// knows where every value came from, and touches nothing but those files and
// the list of trusted projects.
package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Config is what holds for one command. Every value knows its Origin; one that
// was given nowhere is its type's zero or its built-in default. It does not
// change after Load and is safe for concurrent use.
type Config struct {
	Model         Value[string]
	Thinking      Value[string] // off, low, medium, high; "": as the provider does
	OnQuestion    Value[string] // prompt, suspend, fallback, fail; "": by the situation
	DefaultModeID Value[string] // "": the first mode with Default set
	PlansDir      Value[string] // relative to the workspace, slashes
	Modes         []Value[agent.Mode]
	Permissions   Permissions
	Sandbox       Sandbox
	Providers     []Value[Provider] // by name
	Retry         Retry
	Limits        Limits
	Hooks         Hooks
	Notify        Value[string] // off, bell, desktop
	DB            Value[string] // "": the default place
	Yolo          Value[bool]

	User    string  // the user's file, whether it exists or not; "": no place for one
	Project Project // what was found in the workspace's project
	// Warnings are faults of a project file that do not stop the command.
	Warnings []Problem
	// Ignored are the settings of the project file that do not hold.
	Ignored []Ignored
}

// Permissions are rules of all sources together, and the category defaults.
type Permissions struct {
	Allow, Ask, Deny    []Value[string]
	Read, Edit, Execute Value[agent.Action]
}

// Sandbox is what commands may do, and what no tool may touch.
type Sandbox struct {
	Write   []Value[string]
	Network Value[string] // off, ask, on
	PassEnv []Value[string]
	Secrets []Value[string]
}

// Provider is one [providers.NAME]. A field that was not given is empty.
type Provider struct {
	Name      string
	BaseURL   string
	API       string // chat, responses, anthropic
	APIKeyEnv string
	Headers   map[string]string
	Models    []ProviderModel
}

// ProviderModel is one of a provider's models. Facts that were not given are
// zero.
type ProviderModel struct {
	ID string // without the provider
	agent.ModelFacts
}

// Retry bounds further attempts. MaxElapsed 0 means none, which agent.Retry
// writes as a negative time.
type Retry struct {
	MaxElapsed, First, Max Value[time.Duration]
}

// Agent returns r in the terms of the library.
func (r Retry) Agent() agent.Retry {
	out := agent.Retry{MaxElapsed: r.MaxElapsed.Value, First: r.First.Value, Max: r.Max.Value}
	if out.MaxElapsed == 0 {
		out.MaxElapsed = -1
	}
	return out
}

// Limits bound a run. 0 means none.
type Limits struct {
	MaxSteps  Value[int]
	MaxTokens Value[int]
	MaxCost   Value[float64] // US dollars
	Timeout   Value[time.Duration]
}

// Hooks are command lines; "": none.
type Hooks struct {
	OnSuspend, OnFinish, OnTool Value[string]
}

// MergeModes returns builtin with the configured modes: one of a built-in ID
// takes that mode's place, the others follow. A configured mode that is the
// default takes that from the built-in ones.
func (c *Config) MergeModes(builtin []agent.Mode) []agent.Mode {
	out := slices.Clone(builtin)
	if slices.ContainsFunc(c.Modes, func(m Value[agent.Mode]) bool { return m.Value.Default }) {
		for i := range out {
			out[i].Default = false
		}
	}
	for _, m := range c.Modes {
		if i := slices.IndexFunc(out, func(b agent.Mode) bool { return b.ID == m.Value.ID }); i >= 0 {
			out[i] = m.Value
			continue
		}
		out = append(out, m.Value)
	}
	return out
}

// Setting is one value as agent config lists it.
type Setting struct {
	Key    string `json:"key"`   // "modes.review", "providers.local.baseUrl"
	Value  any    `json:"value"` // text, number, truth, list or table; nil: none
	Origin Origin `json:"-"`
	From   string `json:"origin"` // Origin in words
}

// Text is the value on one line; "" if there is none. It may hold what a file
// said and has to be made fit for where it goes.
func (s Setting) Text() string {
	switch v := s.Value.(type) {
	case nil:
		return ""
	case []string:
		return strings.Join(v, ", ")
	}
	return fmt.Sprint(s.Value)
}

// Settings lists all values in the order of Keys: single values also where
// they are built in or not set at all, list items each with its own origin,
// modes and providers where there are any. Values of headers are left out.
func (c *Config) Settings() []Setting {
	var out []Setting
	modes, providers := false, false
	for _, k := range Keys() {
		switch {
		case k.access != nil:
			out = append(out, k.access.show(c, k.Name)...)
		case strings.HasPrefix(k.Name, "[[modes]]") && !modes:
			modes = true
			for _, m := range c.Modes {
				out = append(out, setting("modes."+m.Value.ID, m.Value.Description, m.Origin))
			}
		case strings.HasPrefix(k.Name, "providers.") && !providers:
			providers = true
			for _, p := range c.Providers {
				out = append(out, p.Value.settings(p.Origin)...)
			}
		}
	}
	return out
}

func setting(key string, value any, o Origin) Setting {
	return Setting{Key: key, Value: value, Origin: o, From: o.String()}
}

// access puts values of one key into a Config and shows them.
type access interface {
	// put checks raw and stores it; a later value replaces or, in lists, joins
	// the earlier ones.
	put(c *Config, raw any, o Origin) error
	show(c *Config, key string) []Setting
}

func one[T comparable](field func(*Config) *Value[T], read reader[T]) access {
	return scalar[T]{field, read}
}

// scalar is a key with one value.
type scalar[T comparable] struct {
	field func(*Config) *Value[T]
	read  reader[T]
}

func (s scalar[T]) put(c *Config, raw any, o Origin) error {
	v, err := s.read(raw)
	if err == nil {
		*s.field(c) = Value[T]{Value: v, Origin: o}
	}
	return err
}

func (s scalar[T]) show(c *Config, key string) []Setting {
	v := *s.field(c)
	var zero T
	if d, ok := any(v.Value).(time.Duration); ok && d != 0 {
		return []Setting{setting(key, d.String(), v.Origin)}
	}
	if v.Value == zero && v.Origin.Source == SourceBuiltIn {
		return []Setting{setting(key, nil, v.Origin)}
	}
	return []Setting{setting(key, v.Value, v.Origin)}
}

// list is a key whose values of all sources hold together.
type list struct {
	field func(*Config) *[]Value[string]
	check func(string) error
}

func (l list) put(c *Config, raw any, o Origin) error {
	items, err := texts(raw)
	if err != nil {
		return err
	}
	for i, v := range items {
		if err := l.check(v); err != nil {
			return fmt.Errorf("item %d %w", i+1, err)
		}
	}
	for _, v := range items {
		*l.field(c) = append(*l.field(c), Value[string]{Value: v, Origin: o})
	}
	return nil
}

func (l list) show(c *Config, key string) []Setting {
	var out []Setting
	for _, v := range *l.field(c) {
		out = append(out, setting(key, v.Value, v.Origin))
	}
	return out
}
