package model

import (
	"cmp"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/catalogue"
)

// Entry is what the user configured of one model.
type Entry struct {
	Name string // without the provider
	agent.ModelFacts
}

// Facts returns what is known of a model by its ID: what the user configured of
// it, and where that says nothing the catalogue.
func Facts(id string, opts Options) agent.ModelFacts {
	provider, name, ok := strings.Cut(id, "/")
	if !ok {
		return agent.ModelFacts{}
	}
	known, _ := catalogue.Find(provider, name)
	facts := known.ModelFacts
	for _, e := range opts.entries(provider) {
		if e.Name == name {
			facts = e.over(facts)
		}
	}
	return facts
}

func (o Options) entries(provider string) []Entry {
	for _, e := range o.Providers {
		if e.Name == provider {
			return e.Models
		}
	}
	return nil
}

// over returns facts with what the entry says in their place.
func (e Entry) over(facts agent.ModelFacts) agent.ModelFacts {
	return agent.ModelFacts{
		ContextWindow: cmp.Or(e.ContextWindow, facts.ContextWindow),
		MaxOutput:     cmp.Or(e.MaxOutput, facts.MaxOutput),
		Prices:        cmp.Or(e.Prices, facts.Prices),
	}
}
