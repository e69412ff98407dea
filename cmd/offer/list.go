// Package offer says which models a person can run with: what they hold and
// cost, which are there to begin with, and whether one works.
package offer

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
)

// Model is a model in the JSON of models.
type Model struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Provider      string  `json:"provider"`
	ContextWindow *int64  `json:"contextWindow"`
	MaxOutput     *int64  `json:"maxOutput"`
	Prices        *Prices `json:"prices"`
	KeyEnv        string  `json:"keyEnv"`
	KeySet        bool    `json:"keySet"`
}

// Prices are US dollars per million tokens.
type Prices struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

func newModel(s model.Service, m model.Listed) Model {
	out := Model{ID: m.ID, Name: m.Title, Provider: s.Name, KeyEnv: s.KeyEnv, KeySet: s.KeySet}
	if m.ContextWindow > 0 {
		out.ContextWindow = &m.ContextWindow
	}
	if m.MaxOutput > 0 {
		out.MaxOutput = &m.MaxOutput
	}
	if p := m.Prices; p != nil {
		out.Prices = &Prices{p.Input, p.Output, p.CacheRead, p.CacheWrite}
	}
	return out
}

// Providers are the names of those that can be asked.
func Providers(known model.Options) []string {
	var names []string
	for _, s := range model.Services(known) {
		names = append(names, s.Name)
	}
	return names
}

// List lists the models whose ID or name holds all words of text. Only a named
// provider, "" for none, of which no model is known is asked what it serves.
func List(ctx context.Context, known model.Options, provider, text string) ([]Model, error) {
	services := model.Services(known)
	if provider != "" {
		services = slices.DeleteFunc(services, func(s model.Service) bool { return s.Name != provider })
		if len(services) == 0 {
			return nil, exit.Hintf(exit.Usagef("unknown provider %q", provider), "providers: %s", strings.Join(Providers(known), ", "))
		}
	}
	list := []Model{}
	for _, s := range services {
		models, err := listOf(ctx, s, known, provider != "")
		if err != nil {
			return nil, err
		}
		for _, m := range models {
			if m.Matches(text) {
				list = append(list, newModel(s, m))
			}
		}
	}
	return list, nil
}

// servedWait bounds how long a provider is waited for that is asked what it
// serves.
const servedWait = 3 * time.Second

// listOf lists the models of a service; ask says that one of which none is
// known may be asked.
func listOf(ctx context.Context, s model.Service, known model.Options, ask bool) ([]model.Listed, error) {
	list := model.List(s, known)
	if len(list) > 0 || !ask {
		return list, nil
	}
	ctx, cancel := context.WithTimeout(ctx, servedWait)
	defer cancel()
	list, err := model.Served(ctx, s, known)
	if err != nil && s.Name == "ollama" {
		return nil, exit.Hintf(err, "start it with: ollama serve, or set OLLAMA_HOST to where it is")
	}
	if err != nil {
		return nil, exit.Hintf(err, "name its models in your configuration: models = [\"…\"] in [providers.%s]", s.Name)
	}
	return list, nil
}

// Served lists the models of a service. One of which none is known and that needs
// no key is asked, if it answers in time.
func Served(ctx context.Context, s model.Service, known model.Options, wait time.Duration) []model.Listed {
	list := model.List(s, known)
	if len(list) > 0 || s.KeyEnv != "" {
		return list
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	list, err := model.Served(ctx, s, known)
	if err != nil {
		return nil // nothing to offer
	}
	return list
}

// Table shows models to a person.
func Table(list []Model) *screen.Table {
	t := &screen.Table{Head: []string{"ID", "CONTEXT", "INPUT", "OUTPUT", "KEY"}, Widest: []int{70, 12, 12, 12, 60}}
	for _, m := range list {
		input, output := "unknown", "unknown"
		if m.Prices != nil {
			input, output = dollars(m.Prices.Input), dollars(m.Prices.Output)
		}
		t.Add(m.ID, windowWords(m.ContextWindow), input, output, m.keyWords())
	}
	return t
}

func (m Model) keyWords() string {
	switch {
	case m.KeyEnv == "":
		return "none needed"
	case m.KeySet:
		return m.KeyEnv
	}
	return m.KeyEnv + " is not set"
}
