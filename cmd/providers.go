package cmd

import (
	"cmp"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/internal/config"
)

// opener opens models by ID as cfg has it, relative files from the current
// directory. thinking is that of the command line, "" for the configuration's.
func (w *wiring) opener(cfg *config.Config, thinking string) func(id string) (agent.Model, error) {
	opts := w.modelOptions(cfg)
	opts.Thinking = cmp.Or(thinking, opts.Thinking)
	return func(id string) (agent.Model, error) { return model.Open(id, opts) }
}

// modelOptions are what model IDs mean where cfg holds.
func (w *wiring) modelOptions(cfg *config.Config) model.Options {
	opts := model.Options{Dir: w.io.Dir, Getenv: w.io.Env, Thinking: cfg.Thinking.Value}
	for _, p := range cfg.Providers {
		e := model.Endpoint{
			Name: p.Value.Name, BaseURL: p.Value.BaseURL, API: p.Value.API,
			APIKeyEnv: p.Value.APIKeyEnv, Headers: p.Value.Headers,
		}
		for _, m := range p.Value.Models {
			e.Models = append(e.Models, model.Entry{Name: m.ID, ModelFacts: m.ModelFacts})
		}
		opts.Providers = append(opts.Providers, e)
	}
	return opts
}

// facts tells what is known of models where cfg holds.
func (w *wiring) facts(cfg *config.Config) func(id string) agent.ModelFacts {
	opts := w.modelOptions(cfg)
	return func(id string) agent.ModelFacts { return model.Facts(id, opts) }
}
