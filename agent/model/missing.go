package model

import (
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// MissingError is an agent.ErrModelMissing: there is no such model, or it could
// not be opened. Its text has several lines: the cause, what is known, and
// three ways to go on.
type MissingError struct {
	ID   string   // what was asked for; "" if nothing
	Keys []string // environment variables with provider keys that are set
	Err  error    // why a known model could not be opened; nil for an unknown one
}

func missing(id string, err error, opts Options) *MissingError {
	e := &MissingError{ID: id, Err: err}
	if opts.Getenv != nil {
		e.Keys = Keys(opts.Getenv)
	}
	return e
}

// Is makes errors.Is(err, agent.ErrModelMissing) true.
func (e *MissingError) Is(target error) bool { return target == agent.ErrModelMissing }

// Unwrap returns the cause, if there is one.
func (e *MissingError) Unwrap() error { return e.Err }

func (e *MissingError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("open model %q: %v", e.ID, e.Err)
	}
	lines := []string{e.cause(), "known models:"}
	for _, p := range providers() {
		lines = append(lines, fmt.Sprintf("  %-12s %s", p.ID, p.About))
	}
	if len(e.Keys) > 0 {
		lines = append(lines, "keys found: "+strings.Join(e.Keys, ", "))
	}
	lines = append(lines, "go on with one of:")
	for _, way := range Ways() {
		lines = append(lines, "  "+way)
	}
	return strings.Join(lines, "\n")
}

func (e *MissingError) cause() string {
	if e.ID == "" {
		return "no model is set"
	}
	return fmt.Sprintf("unknown model %q", e.ID)
}

// Ways are three commands that run without a model being set up.
func Ways() []string {
	return []string{
		`agent run --model demo "Add a greeting"`,
		`agent run --model script:turns.yaml "Add a greeting"`,
		`AGENT_MODEL=demo agent run "Add a greeting"`,
	}
}

// Keys names the environment variables with a provider's API key that are set,
// never their values.
func Keys(getenv func(name string) string) []string {
	var set []string
	for _, name := range keyNames() {
		if getenv(name) != "" {
			set = append(set, name)
		}
	}
	return set
}

func keyNames() []string {
	return []string{
		"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY",
		"MISTRAL_API_KEY", "GROQ_API_KEY", "DEEPSEEK_API_KEY", "XAI_API_KEY", "AZURE_OPENAI_API_KEY",
	}
}
