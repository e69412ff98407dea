package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent/model/anthropic"
	"github.com/seed-3e5a1d81/agent/agent/model/openai"
)

// Service is a provider that is asked over the network, as it is configured.
type Service struct {
	Name    string // the part of model IDs before the slash
	Own     bool   // the user's, not a built-in one
	BaseURL string // "" for Anthropic's own
	API     string // "chat", "responses" or "anthropic"
	// KeyEnv names the variable with its key: the one that is set, or the one
	// to set; "" if it takes no key.
	KeyEnv     string
	KeySet     bool
	KeyMissing bool // it serves nobody without a key, and has none
}

// KeyMissingError says which variable has to hold a key and is not set.
type KeyMissingError struct{ Env string }

func (e *KeyMissingError) Error() string { return e.Env + " is not set" }

// Services lists the user's own providers and the built-in ones. Nothing is
// asked.
func Services(opts Options) []Service {
	var own, builtin []Service
	for _, name := range []string{anthropicName, "openai", "gemini", "openrouter", "ollama"} {
		builtin = append(builtin, opts.service(Endpoint{Name: name}))
	}
	for _, e := range opts.Providers {
		s := opts.service(e)
		if i := slices.IndexFunc(builtin, func(b Service) bool { return b.Name == e.Name }); i >= 0 {
			builtin[i] = s
			continue
		}
		s.Own = true
		own = append(own, s)
	}
	return append(own, builtin...)
}

// service is a provider as e changes it.
func (o Options) service(e Endpoint) Service {
	if e.speaksAnthropic() {
		return o.anthropicService(e)
	}
	p := o.vendor(e)
	return Service{
		Name: e.Name, BaseURL: p.BaseURL, API: p.API, KeyEnv: p.KeyEnv, KeySet: p.APIKey != "",
		KeyMissing: p.KeyMissing() || e.APIKeyEnv != "" && p.APIKey == "",
	}
}

// anthropicService is a provider that speaks the Messages API. Anthropic's own
// is known by two variables; elsewhere a key is needed only where one is named.
func (o Options) anthropicService(e Endpoint) Service {
	s := Service{Name: e.Name, BaseURL: e.BaseURL, API: apiAnthropic, KeyEnv: e.APIKeyEnv}
	needed := e.APIKeyEnv != ""
	if e.ownKeys() {
		s.KeyEnv, needed = anthropic.KeyEnv, e.BaseURL == ""
		if o.getenv(anthropic.KeyEnv) == "" && o.getenv(anthropic.TokenEnv) != "" {
			s.KeyEnv = anthropic.TokenEnv
		}
	}
	if e.ownKeys() && s.BaseURL == "" {
		s.BaseURL = o.getenv(anthropic.BaseURLEnv)
	}
	s.KeySet = s.KeyEnv != "" && o.getenv(s.KeyEnv) != ""
	s.KeyMissing = needed && !s.KeySet
	return s
}

// vendor is a provider of OpenAI's formats as e changes it.
func (o Options) vendor(e Endpoint) openai.Provider {
	p, _ := builtinVendor(e.Name, o.getenv)
	p.Name = e.Name
	if e.BaseURL != "" {
		p = p.At(e.BaseURL)
	}
	if e.API != "" || p.API == "" {
		p.API = cmp.Or(e.API, openai.Chat)
	}
	if e.APIKeyEnv != "" {
		p.KeyEnv, p.APIKey = e.APIKeyEnv, o.getenv(e.APIKeyEnv)
	}
	p.Headers = joinHeaders(p.Headers, e.Headers)
	return p
}

// serviceOf finds the service that an ID belongs to.
func (o Options) serviceOf(id string) (s Service, ok bool) {
	provider, _, slash := strings.Cut(id, "/")
	if !slash {
		return Service{}, false
	}
	for _, s := range Services(o) {
		if s.Name == provider {
			return s, true
		}
	}
	return Service{}, false
}
