package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/ask"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// foundModels is what a user can begin with: keys that are set, and servers that
// answer.
type foundModels struct {
	known   model.Options
	Keys    []string
	Servers []foundServer
	Offers  []offer // one model for each key, some of each server
}

// foundServer is a server on this machine, or one that needs no key.
type foundServer struct {
	Provider string   `json:"provider"`
	Address  string   `json:"address"`
	Models   []string `json:"models"` // IDs
}

// offer is a model that a run could begin with now.
type offer struct{ ID, About string }

const (
	findWait      = 500 * time.Millisecond // for a server that may not be there
	servedOffered = 5                      // models of one server
)

// findModels looks at the names of variables, and asks servers that need no key
// what they serve.
func (w *wiring) findModels(ctx context.Context) foundModels {
	known, err := w.modelsHere()
	if err != nil { // a configuration at fault is told where it is needed
		known = model.Options{Getenv: w.io.Env}
	}
	f := foundModels{known: known, Keys: append([]string{}, model.Keys(known)...), Servers: []foundServer{}}
	for _, s := range model.Services(known) {
		switch id := model.Suggested(s, known); {
		case s.KeySet && id != "":
			f.Offers = append(f.Offers, offer{id, strings.Trim(s.KeyEnv+", "+factWords(model.Facts(id, known)), ", ")})
		case s.KeyEnv == "" && s.BaseURL != "":
			f.ask(ctx, s)
		}
	}
	return f
}

// ask adds a server and what it serves, if it answers.
func (f *foundModels) ask(ctx context.Context, s model.Service) {
	ctx, cancel := context.WithTimeout(ctx, findWait)
	defer cancel()
	list, err := model.Served(ctx, s, f.known)
	if err != nil {
		return
	}
	server := foundServer{Provider: s.Name, Address: s.BaseURL, Models: []string{}}
	for _, m := range list {
		if text.Line(m.ID) != m.ID { // a name that cannot be shown cannot be chosen
			continue
		}
		server.Models = append(server.Models, m.ID)
		if len(server.Models) <= servedOffered {
			f.Offers = append(f.Offers, offer{m.ID, strings.Trim("at "+s.BaseURL+", "+factWords(m.ModelFacts), ", ")})
		}
	}
	f.Servers = append(f.Servers, server)
}

// words say what was found.
func (f foundModels) words() []string {
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

// commands are runs on what was found, and the one that always works.
func (f foundModels) commands(prefix []string) []next.Command {
	var list []next.Command
	for _, o := range append(slices.Clone(f.Offers), offer{ID: "demo"}) {
		argv := append(slices.Clone(prefix), "run", "--model", o.ID, "Add a greeting")
		list = append(list, next.Command{Text: text.ShellJoin(argv), Argv: argv})
	}
	return list
}

// chooseModel lets the person choose the model of their runs, and tries it. It
// returns "" if they decide later, and terminal.ErrLeft if they leave.
func (w *wiring) chooseModel(ctx context.Context, f foundModels) (string, error) {
	p := w.seated()
	choices := []terminal.Choice{{Label: ask.DecideLater, About: "the file then names no model"}}
	for _, o := range f.Offers {
		choices = append(choices, terminal.Choice{Label: o.ID, About: text.Field(o.About, 120)})
	}
	choices = append(choices, terminal.Choice{Label: "demo", About: "scripted, to see the whole flow"})
	for {
		at, err := p.Pick(ctx, "Which model should runs use?", choices)
		if err != nil || at == 0 {
			return "", err
		}
		id := choices[at].Label
		err = w.tryOut(ctx, p, f, id)
		switch {
		case ctx.Err() != nil:
			return "", terminal.ErrLeft
		case err == nil:
			return id, nil
		}
	}
}

// tryOut asks the model for a tiny reply, and says what came of it.
func (w *wiring) tryOut(ctx context.Context, p *ask.Person, f foundModels, id string) error {
	m, err := model.Open(id, f.known)
	if err != nil {
		p.Tell("%v", masked(w.io, w.g, err))
		return err
	}
	if !strings.Contains(id, "/") { // it asks nobody
		return nil
	}
	p.Tell("Trying %s with one small request …", id)
	began := w.io.Now()
	if err := try(ctx, m); err != nil {
		err = masked(w.io, w.g, err)
		p.Tell("It does not work: %s", text.Line(err.Error()))
		if hint := exit.Hint(err); hint != "" {
			p.Tell("%s", text.Line(hint))
		}
		return err
	}
	p.Tell("It works: it called a tool after %s.", w.io.Now().Sub(began).Round(10*time.Millisecond))
	return nil
}

// withModel is a template with its model set. JSON's texts are TOML's.
func withModel(template, id string) string {
	if id == "" {
		return template
	}
	quoted, err := json.Marshal(id)
	if err != nil {
		return template // no text fails to be quoted
	}
	return strings.Replace(template, "\n#model = \"demo\"\n", "\nmodel = "+string(quoted)+"\n", 1)
}
