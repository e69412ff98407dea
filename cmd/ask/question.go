package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Choices beside those of the model. Its labels are numbered, so that none of
// them can pass for one of these.
const (
	somethingElse = "Something else…"
	skipQuestion  = "Skip this question"
)

// spoken is what was typed, without the newlines a paste ended with; "" if it
// says nothing.
func spoken(typed string) string {
	if strings.TrimSpace(typed) == "" {
		return ""
	}
	return strings.TrimRight(typed, "\n")
}

// question asks a question of the model.
func (p *Person) question(ctx context.Context, i item) (*Reply, error) {
	q := tell.QuestionOf(i.sus)
	p.Present(func(on *screen.Screen) { p.showQuestion(ctx, on, i, q) })
	p.about = func(on *screen.Screen) { showBare(on, i, q) } // the choices in full would push it out of sight again
	switch {
	case len(q.Options) == 0:
		return p.freeText(ctx, i, q)
	case q.SelectionMode == tell.Several:
		return p.several(ctx, i, q)
	}
	return p.one(ctx, i, q)
}

// showQuestion prints a question, in full where the list below cannot hold its
// choices.
func (p *Person) showQuestion(ctx context.Context, on *screen.Screen, i item, q tell.Question) {
	if len(q.Options) == 0 || !p.Console.Holds(labelled(q), q.SelectionMode == tell.Several) {
		p.show(ctx, on, i)
		return
	}
	showBare(on, i, q)
}

// showBare prints a question without its choices: they stand below in full.
func showBare(on *screen.Screen, i item, q tell.Question) {
	on.Line()
	on.Heading("question", " (", text.Field(i.sus.Ref(), 80), "):")
	on.SetOff(q.Question)
}

// freeText reads an answer in words. An empty one is no answer: the ways not to
// give one are offered.
func (p *Person) freeText(ctx context.Context, i item, q tell.Question) (*Reply, error) {
	for {
		p.Tell("%s.", ourWords)
		said, err := p.words(ctx, i.st.Run.ID, q.Question)
		if err != nil {
			return nil, err
		}
		if said != "" {
			return i.answered(said), nil
		}
		at, err := p.Pick(ctx, "Nothing was typed"+i.count, []terminal.Choice{{Label: DecideLater}, {Label: "Type an answer"}, {Label: skipQuestion}})
		switch {
		case err != nil:
			return nil, err
		case at == 0:
			return nil, nil
		case at == 2:
			return i.skipped()
		}
	}
}

func (i item) skipped() (*Reply, error) { return i.raw(map[string]any{"skipped": true}) }

func (i item) raw(v any) (*Reply, error) {
	raw, err := json.Marshal(v)
	return i.answered(json.RawMessage(raw)), err
}

// labelled are the model's choices, numbered.
func labelled(q tell.Question) []terminal.Choice {
	var choices []terminal.Choice
	for n, o := range q.Options {
		choices = append(choices, terminal.Choice{
			Label: fmt.Sprintf("%d. %s", n+1, text.Line(o.Label)), About: text.Line(o.Description),
		})
	}
	return choices
}

// one asks for one of the model's choices, or words instead.
func (p *Person) one(ctx context.Context, i item, q tell.Question) (*Reply, error) {
	choices := append([]terminal.Choice{{Label: DecideLater}}, labelled(q)...)
	choices = append(choices, terminal.Choice{Label: somethingElse}, terminal.Choice{Label: skipQuestion})
	n := len(q.Options)
	for {
		at, err := p.Pick(ctx, "Your choice"+i.count, choices)
		switch {
		case err != nil:
			return nil, err
		case at == 0:
			return nil, nil
		case at <= n:
			return i.answered(q.Options[at-1].Label), nil
		case at == n+2:
			return i.skipped()
		}
		if r, err := p.instead(ctx, i, q); r != nil || err != nil {
			return r, err
		}
	}
}

// instead reads the person's own words for a choice; no reply if there are
// none.
func (p *Person) instead(ctx context.Context, i item, q tell.Question) (*Reply, error) {
	p.Tell("In your own words. %s.", ourWords)
	said, err := p.words(ctx, i.st.Run.ID, q.Question)
	if err != nil || said == "" {
		return nil, err
	}
	return i.raw(map[string]any{"custom": said})
}

// several asks for any number of the model's choices. None chosen is no answer.
func (p *Person) several(ctx context.Context, i item, q tell.Question) (*Reply, error) {
	choices := append(labelled(q), terminal.Choice{Label: somethingElse}, terminal.Choice{Label: skipQuestion})
	n := len(q.Options)
	for {
		chosen, err := p.Console.PickSeveral(ctx, p.list(ctx, "Your choices"+i.count, choices))
		if err != nil {
			return nil, err
		}
		alone := len(chosen) == 1
		switch {
		case len(chosen) == 0:
			p.Tell("Nothing was chosen; decide later.")
			return nil, nil
		case chosen[len(chosen)-1] < n:
			return i.answered(labelsAt(q, chosen)), nil
		case alone && chosen[0] == n+1:
			return i.skipped()
		case alone:
			if r, err := p.instead(ctx, i, q); r != nil || err != nil {
				return r, err
			}
		default:
			p.Tell("%q and %q go alone.", somethingElse, skipQuestion)
		}
	}
}

func labelsAt(q tell.Question, at []int) []string {
	var labels []string
	for _, n := range at {
		labels = append(labels, q.Options[n].Label)
	}
	return labels
}
