package model

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/catalogue"
)

// MissingError is an agent.ErrModelMissing: there is no such model, or it could
// not be opened. Its text has several lines: the cause, what is known, and
// commands to go on with.
type MissingError struct {
	ID   string   // what was asked for; "" if nothing
	Keys []string // environment variables with provider keys that are set
	Err  error    // why a known model could not be opened; nil for an unknown one

	near []string // models of that name
	ways []string
}

func missing(id string, err error, opts Options) *MissingError {
	return &MissingError{ID: id, Keys: Keys(opts), Err: err, near: namesakes(id), ways: append(keyWays(opts), ways()...)}
}

// namesakes are models that id means where its provider was left out.
func namesakes(id string) []string {
	var out []string
	for _, provider := range catalogue.Providers() {
		if _, ok := catalogue.Find(provider, id); ok {
			out = append(out, provider+"/"+id)
		}
	}
	return out
}

// Is makes errors.Is(err, agent.ErrModelMissing) true.
func (e *MissingError) Is(target error) bool { return target == agent.ErrModelMissing }

// Unwrap returns the cause, if there is one.
func (e *MissingError) Unwrap() error { return e.Err }

func (e *MissingError) Error() string {
	if e.Err != nil && !errors.As(e.Err, new(*KeyMissingError)) {
		return fmt.Sprintf("open model %q: %v", e.ID, e.Err)
	}
	lines := []string{e.cause()}
	if e.Err == nil && len(e.near) == 0 {
		lines = append(lines, "known models:")
		for _, p := range providers() {
			lines = append(lines, fmt.Sprintf("  %-15s %s", p.ID, p.About))
		}
	}
	if len(e.Keys) > 0 {
		lines = append(lines, "keys found: "+strings.Join(e.Keys, ", "))
	}
	lines = append(lines, "go on with one of:")
	for _, way := range e.ways {
		lines = append(lines, "  "+way)
	}
	return strings.Join(lines, "\n")
}

func (e *MissingError) cause() string {
	switch {
	case e.Err != nil:
		return fmt.Sprintf("open model %q: %v", e.ID, e.Err)
	case e.ID == "":
		return "no model is set"
	case len(e.near) > 0:
		return fmt.Sprintf("unknown model %q, did you mean %s?", e.ID, strings.Join(e.near, " or "))
	}
	return fmt.Sprintf("unknown model %q", e.ID)
}

// ways are three commands that run without a model being set up.
func ways() []string {
	return []string{
		`agent run --model demo "Add a greeting"`,
		`agent run --model script:turns.yaml "Add a greeting"`,
		`AGENT_MODEL=demo agent run "Add a greeting"`,
	}
}

// keyWays are commands that run on the providers whose keys are set, one for
// each.
func keyWays(opts Options) []string {
	var out []string
	for _, s := range Services(opts) {
		if id := Suggested(s, opts); s.KeySet && id != "" {
			out = append(out, fmt.Sprintf(`agent run --model %s "Add a greeting"`, id))
		}
	}
	return out
}

// Suggested is the ID of a model of s to begin with: the first the user
// configured, else that of the catalogue; "" if none is known.
func Suggested(s Service, opts Options) string {
	if entries := opts.entries(s.Name); len(entries) > 0 {
		return s.Name + "/" + entries[0].Name
	}
	if name := catalogue.Default(s.Name); name != "" {
		return s.Name + "/" + name
	}
	return ""
}

// Keys names the environment variables with keys of providers that are set,
// never their values.
func Keys(opts Options) []string {
	var set []string
	for _, s := range Services(opts) {
		if s.KeySet {
			set = append(set, s.KeyEnv)
		}
	}
	return set
}
