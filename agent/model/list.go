package model

import (
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/catalogue"
)

// Listed is a model that is known by name.
type Listed struct {
	ID    string
	Title string // for people; "" if there is none
	agent.ModelFacts
}

// List returns the models of a service that are known without asking it: those
// the user configured, and those of the catalogue.
func List(s Service, opts Options) []Listed {
	var out []Listed
	seen := map[string]bool{}
	add := func(name, title string) {
		id := s.Name + "/" + name
		if !seen[name] {
			out = append(out, Listed{ID: id, Title: title, ModelFacts: Facts(id, opts)})
		}
		seen[name] = true
	}
	for _, e := range opts.entries(s.Name) {
		known, _ := catalogue.Find(s.Name, e.Name)
		add(e.Name, known.Title)
	}
	for _, m := range catalogue.Models(s.Name) {
		add(m.Name, m.Title)
	}
	return out
}

// Matches reports whether all words of text are in the ID or the title, in
// whatever case.
func (l Listed) Matches(text string) bool {
	in := strings.ToLower(l.ID + " " + l.Title)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(in, word) {
			return false
		}
	}
	return true
}
