// Package model opens models by ID. It is the one list of their providers.
package model

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/anthropic"
	"github.com/seed-3e5a1d81/agent/agent/model/demo"
	"github.com/seed-3e5a1d81/agent/agent/model/openai"
	"github.com/seed-3e5a1d81/agent/agent/model/script"
)

// Options say what IDs refer to. The zero value is useful.
type Options struct {
	// Dir is what relative paths in IDs are relative to; "" means the current
	// directory.
	Dir string
	// Getenv looks up what the environment says of providers: keys and
	// addresses. Nil looks nothing up.
	Getenv func(name string) string
	// Thinking is how much the models that can shall think: "off", "low",
	// "medium" or "high"; "" leaves it to the provider.
	Thinking string
	// Providers are what the user configured of providers. One of a built-in
	// name changes that provider.
	Providers []Endpoint
}

// Provider describes one kind of model.
type Provider struct {
	ID    string // as users write it; capitals stand for what they fill in
	About string // one line
}

type provider struct {
	Provider
	prefix string // of the IDs; one that ends in ':' or '/' takes an argument
	open   func(arg string, opts Options) (agent.Model, error)
}

// providers is the list. To add one, add its package and a line.
func providers() []provider {
	return []provider{
		{Provider{"demo", "scripted; shows the whole flow on any workspace, without a network"}, "demo", openDemo},
		{Provider{"anthropic/NAME", "Anthropic's Messages API; ANTHROPIC_API_KEY"}, "anthropic/", openAnthropic},
		{Provider{"script:FILE", "plays the turns of a YAML file, without a network"}, "script:", openScript},
		{Provider{"openai/NAME", "OpenAI's Responses API; OPENAI_API_KEY"}, "openai/", compatible(openai.OpenAI)},
		{Provider{"gemini/NAME", "Google's Gemini; GEMINI_API_KEY"}, "gemini/", compatible(openai.Gemini)},
		{Provider{"openrouter/NAME", "models of many vendors; OPENROUTER_API_KEY"}, "openrouter/", compatible(openai.OpenRouter)},
		{Provider{"ollama/NAME", "models on your own machine; OLLAMA_HOST"}, "ollama/", compatible(openai.Ollama)},
	}
}

// Providers lists the models that can be opened.
func Providers() []Provider {
	var out []Provider
	for _, p := range providers() {
		out = append(out, p.Provider)
	}
	return out
}

// Open returns the model of that ID. The ID of the model itself may be longer
// (paths are made absolute) and opens from anywhere. Every error is a
// *MissingError.
func Open(id string, opts Options) (agent.Model, error) {
	if s, ok := opts.serviceOf(id); ok && s.KeyMissing {
		return nil, missing(id, &KeyMissingError{s.KeyEnv}, opts)
	}
	if e, name, ok := opts.endpoint(id); ok {
		m, err := e.open(name, opts)
		if err != nil {
			return nil, missing(id, err, opts)
		}
		return m, nil
	}
	for _, p := range providers() {
		arg, ok := p.argument(id)
		if !ok {
			continue
		}
		m, err := p.open(arg, opts)
		if err != nil {
			return nil, missing(id, err, opts)
		}
		return m, nil
	}
	return nil, missing(id, nil, opts)
}

func (p provider) argument(id string) (arg string, ok bool) {
	if strings.HasSuffix(p.prefix, ":") || strings.HasSuffix(p.prefix, "/") {
		return strings.CutPrefix(id, p.prefix)
	}
	return "", id == p.prefix
}

func openDemo(string, Options) (agent.Model, error) { return demo.New(), nil }

func openAnthropic(name string, opts Options) (agent.Model, error) {
	return anthropic.Open(name, anthropic.Options{Getenv: opts.Getenv, Thinking: opts.Thinking})
}

func openScript(path string, opts Options) (agent.Model, error) {
	if path == "" {
		return nil, fmt.Errorf("open script: no file is named, as in script:turns.yaml")
	}
	if opts.Dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(opts.Dir, path)
	}
	m, err := script.Open(path)
	if err != nil {
		return nil, err
	}
	return m, nil
}
