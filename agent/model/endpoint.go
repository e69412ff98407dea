package model

import (
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/anthropic"
	"github.com/seed-3e5a1d81/agent/agent/model/openai"
)

// Endpoint is a provider that the user configured; its models are NAME/MODEL.
type Endpoint struct {
	Name      string
	BaseURL   string
	API       string // "chat" (also ""), "responses" or "anthropic"
	APIKeyEnv string // variable that holds the key, looked up by Getenv; "": no key
	Headers   map[string]string
}

// endpoint finds the user's own provider an ID belongs to.
func (o Options) endpoint(id string) (e Endpoint, name string, ok bool) {
	for _, e := range o.Providers {
		if name, ok := strings.CutPrefix(id, e.Name+"/"); ok {
			return e, name, true
		}
	}
	return Endpoint{}, "", false
}

func (e Endpoint) open(name string, opts Options) (agent.Model, error) {
	if e.API == "anthropic" {
		return anthropic.Open(name, anthropic.Options{
			Provider: e.Name, BaseURL: e.BaseURL, KeyEnv: e.APIKeyEnv, Keyless: e.APIKeyEnv == "",
			Headers: e.Headers, Getenv: opts.Getenv, Thinking: opts.Thinking,
		})
	}
	p := openai.Provider{Name: e.Name, BaseURL: e.BaseURL, API: e.API, KeyEnv: e.APIKeyEnv, Headers: e.Headers}
	if e.APIKeyEnv != "" {
		p.APIKey = opts.getenv(e.APIKeyEnv)
	}
	return openCompatible(p, name, opts)
}

// compatible opens models of a provider that is known by name.
func compatible(provider func(getenv func(name string) string) openai.Provider) func(name string, opts Options) (agent.Model, error) {
	return func(name string, opts Options) (agent.Model, error) {
		return openCompatible(provider(opts.getenv), name, opts)
	}
}

func openCompatible(p openai.Provider, name string, opts Options) (agent.Model, error) {
	m, err := openai.New(p, name, openai.Options{Thinking: opts.Thinking})
	if err != nil {
		return nil, err // no typed nil in the interface
	}
	return m, nil
}

func (o Options) getenv(name string) string {
	if o.Getenv == nil {
		return ""
	}
	return o.Getenv(name)
}
