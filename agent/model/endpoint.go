package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/anthropic"
	"github.com/seed-3e5a1d81/agent/agent/model/openai"
)

// Endpoint is a provider as the user configured it; its models are NAME/MODEL.
// Under the name of a built-in provider it changes that one: what it leaves
// empty stays as it is built in.
type Endpoint struct {
	Name      string
	BaseURL   string
	API       string // "chat" (also ""), "responses" or "anthropic"
	APIKeyEnv string // variable that holds the key, looked up by Getenv; "": no key
	Headers   map[string]string
	Models    []Entry // what the user knows of its models
}

// endpoint finds what the user configured of the provider an ID belongs to.
func (o Options) endpoint(id string) (e Endpoint, name string, ok bool) {
	for _, e := range o.Providers {
		if name, ok := strings.CutPrefix(id, e.Name+"/"); ok {
			return e, name, true
		}
	}
	return Endpoint{}, "", false
}

// open opens a model of a configured provider.
func (e Endpoint) open(name string, opts Options) (agent.Model, error) {
	_, builtin := builtinVendor(e.Name, opts.getenv)
	switch {
	case !builtin && e.BaseURL == "":
		return nil, fmt.Errorf("set baseUrl of [providers.%s] in your configuration: the provider has no address", e.Name)
	case e.BaseURL == "" && e.speaksAnthropic() != (e.Name == anthropicName): // it would be asked at somebody else's
		return nil, fmt.Errorf("set baseUrl of [providers.%s] in your configuration: its own address is for another api than %s", e.Name, e.API)
	case e.speaksAnthropic():
		return e.openAnthropic(name, opts)
	}
	return openCompatible(opts.vendor(e), name, opts)
}

const (
	anthropicName = "anthropic"
	apiAnthropic  = "anthropic"
)

func (e Endpoint) speaksAnthropic() bool {
	return e.API == apiAnthropic || e.Name == anthropicName && e.API == ""
}

// ownKeys reports whether the variables of Anthropic's own tools hold for it.
func (e Endpoint) ownKeys() bool { return e.Name == anthropicName && e.APIKeyEnv == "" }

// openAnthropic leaves key and address to the variables of Anthropic's own tools
// where nothing else is configured. Another server may do without a key.
func (e Endpoint) openAnthropic(name string, opts Options) (agent.Model, error) {
	return anthropic.Open(name, anthropic.Options{
		Provider: e.Name, BaseURL: e.BaseURL, KeyEnv: e.APIKeyEnv, Keyless: !opts.anthropicService(e).KeySet,
		Headers: e.Headers, Getenv: opts.Getenv, Thinking: opts.Thinking,
	})
}

func joinHeaders(builtin, own map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, builtin)
	maps.Copy(all, own)
	return all
}

// vendors are the built-in providers that speak OpenAI's formats.
func vendors() []func(getenv func(name string) string) openai.Provider {
	return []func(getenv func(name string) string) openai.Provider{
		openai.OpenAI, openai.Gemini, openai.OpenRouter, openai.Ollama,
	}
}

// builtinVendor finds a built-in provider by name; Anthropic counts as one, with
// nothing said of it.
func builtinVendor(name string, getenv func(name string) string) (p openai.Provider, ok bool) {
	for _, vendor := range vendors() {
		if p := vendor(getenv); p.Name == name {
			return p, true
		}
	}
	return openai.Provider{}, name == anthropicName
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

// ThinkingLevels are the values of Options.Thinking beside "".
func ThinkingLevels() []string {
	return []string{anthropic.ThinkingOff, anthropic.ThinkingLow, anthropic.ThinkingMedium, anthropic.ThinkingHigh}
}

// CheckThinking refuses what is no level of thinking.
func CheckThinking(level string) error {
	if level == "" || slices.Contains(ThinkingLevels(), level) {
		return nil
	}
	return fmt.Errorf("thinking %q: use %s", level, strings.Join(ThinkingLevels(), ", "))
}
