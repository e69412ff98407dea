package offer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Found is what a user can begin with: keys that are set, and servers that
// answer.
type Found struct {
	Known   model.Options // what the IDs mean
	Keys    []string
	Servers []Server
	Offers  []Offer // one model for each key, some of each server
}

// Server is a server on this machine, or one that needs no key.
type Server struct {
	Provider string   `json:"provider"`
	Address  string   `json:"address"`
	Models   []string `json:"models"` // IDs
}

// Offer is a model that a run could begin with now.
type Offer struct{ ID, About string }

const (
	findWait      = 500 * time.Millisecond // for a server that may not be there
	servedOffered = 5                      // models of one server
)

// Find looks at the names of variables, and asks servers that need no key what
// they serve.
func Find(ctx context.Context, known model.Options) Found {
	f := Found{Known: known, Keys: append([]string{}, model.Keys(known)...), Servers: []Server{}}
	for _, s := range model.Services(known) {
		switch id := model.Suggested(s, known); {
		case s.KeySet && id != "":
			f.Offers = append(f.Offers, Offer{id, strings.Trim(s.KeyEnv+", "+Facts(model.Facts(id, known)), ", ")})
		case s.KeyEnv == "" && s.BaseURL != "":
			f.ask(ctx, s)
		}
	}
	return f
}

// ask adds a server and what it serves, if it answers.
func (f *Found) ask(ctx context.Context, s model.Service) {
	ctx, cancel := context.WithTimeout(ctx, findWait)
	defer cancel()
	list, err := model.Served(ctx, s, f.Known)
	if err != nil {
		return
	}
	server := Server{Provider: s.Name, Address: s.BaseURL, Models: []string{}}
	for _, m := range list {
		if text.Line(m.ID) != m.ID { // a name that cannot be shown cannot be chosen
			continue
		}
		server.Models = append(server.Models, m.ID)
		if len(server.Models) <= servedOffered {
			f.Offers = append(f.Offers, Offer{m.ID, strings.Trim("at "+s.BaseURL+", "+Facts(m.ModelFacts), ", ")})
		}
	}
	f.Servers = append(f.Servers, server)
}

// Words say what was found, a line each.
func (f Found) Words() []string {
	keys := "no keys of model providers are set"
	if len(f.Keys) > 0 {
		keys = "keys found: " + strings.Join(f.Keys, ", ")
	}
	lines := []string{keys}
	for _, s := range f.Servers {
		lines = append(lines, fmt.Sprintf("server found: %s at %s, %d %s", s.Provider, s.Address, len(s.Models), text.Plural(len(s.Models), "model", "models")))
	}
	return lines
}
