package cmd

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/ask"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/offer"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// findModels looks for what a user can begin with.
func (w *wiring) findModels(ctx context.Context) offer.Found {
	known, err := w.modelsHere()
	if err != nil { // a configuration at fault is told where it is needed
		known = model.Options{Getenv: w.io.Env}
	}
	return offer.Find(ctx, known)
}

// runsOn are runs on what was found, and the one that always works.
func runsOn(f offer.Found, prefix []string) []next.Command {
	var list []next.Command
	for _, o := range append(slices.Clone(f.Offers), offer.Offer{ID: "demo"}) {
		argv := append(slices.Clone(prefix), "run", "--model", o.ID, "Add a greeting")
		list = append(list, next.Command{Text: text.ShellJoin(argv), Argv: argv})
	}
	return list
}

// chooseModel lets the person choose the model of their runs, and tries it. It
// returns "" if they decide later, and terminal.ErrLeft if they leave.
func (w *wiring) chooseModel(ctx context.Context, f offer.Found) (string, error) {
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
func (w *wiring) tryOut(ctx context.Context, p *ask.Person, f offer.Found, id string) error {
	m, err := model.Open(id, f.Known)
	if err != nil {
		p.Tell("%v", masked(w.io, w.g, err))
		return err
	}
	if !strings.Contains(id, "/") { // it asks nobody
		return nil
	}
	p.Tell("Trying %s with one small request …", id)
	began := w.io.Now()
	if err := offer.Try(ctx, m); err != nil {
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
