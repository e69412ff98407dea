package terminal

import (
	"context"
	"errors"

	"github.com/AlecAivazis/survey/v2"
	surveyed "github.com/AlecAivazis/survey/v2/terminal"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// List is a question with choices to pick from.
type List struct {
	Message string
	Choices []Choice // at least one
	Plain   bool     // without colours
	// About prints anew, below what is there, what the list is about: the
	// terminal has become too small for the list as it was drawn. May be nil.
	About func()
}

// Choice is one line of a List.
type Choice struct {
	Label string
	About string // behind the label, where there is room; may be ""
}

// Cells survey puts before a choice, with some air.
const (
	besideChoice  = 6
	besideSeveral = 9
)

// fits cuts choices to what a row of the terminal holds: a longer one would
// wrap and push what is above the list away. What is cut stands in full there.
func fits(choices []Choice, cells int) (labels, abouts []string, cut bool) {
	for _, c := range choices {
		label := onOneRow(c.Label, cells)
		about := ""
		if room := cells - surveyed.StringWidth(label) - len(" - "); c.About != "" && room > LeastColumns/2 {
			about = onOneRow(c.About, room)
		}
		cut = cut || label != c.Label || about != c.About
		labels, abouts = append(labels, label), append(abouts, about)
	}
	return labels, abouts, cut
}

// onOneRow cuts a text to so many cells, by our count and by survey's, which
// takes a composed emoji for wider than it is and would erase a row too many.
func onOneRow(s string, cells int) string {
	cut := text.Truncate(s, cells)
	for most := cells - 1; surveyed.StringWidth(cut) > cells; most-- {
		cut = text.Truncate(s, most)
	}
	return cut
}

// page is how many choices are shown at once: the question must stay in sight,
// above survey's hint, which a narrow terminal wraps.
func (c *Console) page() int {
	const hint = 52
	columns, rows := c.size()
	return max(rows-4-hint/columns, 3)
}

func (c *Console) room(beside int) int {
	columns, _ := c.size()
	return columns - beside
}

// Holds reports whether a list of these choices shows each of them in full, for
// picking several of them or one.
func (c *Console) Holds(choices []Choice, several bool) bool {
	beside := besideChoice
	if several {
		beside = besideSeveral
	}
	_, _, cut := fits(choices, c.room(beside))
	return !cut
}

// Pick lets a person choose one and returns its index. The first choice is where
// the cursor stands, so it must be the one that does no harm. Whatever goes wrong
// is ErrLeft.
func (c *Console) Pick(ctx context.Context, l List) (int, error) {
	at := 0
	err := c.ask(ctx, l, &place{size: len(l.Choices)}, func(p *place) survey.Prompt {
		labels, abouts, _ := fits(l.Choices, c.room(besideChoice))
		return &survey.Select{
			Message: l.Message, Options: labels, Default: p.at, PageSize: c.page(),
			Description: func(_ string, i int) string { return abouts[i] },
		}
	}, &at)
	return at, err
}

// PickSeveral lets a person choose any number, none of which is chosen before,
// and returns their indices in order. Whatever goes wrong is ErrLeft.
func (c *Console) PickSeveral(ctx context.Context, l List) ([]int, error) {
	var at []int
	err := c.ask(ctx, l, &place{size: len(l.Choices), several: true}, func(p *place) survey.Prompt {
		labels, abouts, _ := fits(l.Choices, c.room(besideSeveral))
		return &survey.MultiSelect{
			Message: l.Message, Options: labels, Default: p.chosen(), PageSize: c.page(),
			Description: func(_ string, i int) string { return abouts[i] },
		}
	}, &at)
	return at, err
}

// ask shows the list that draw makes, anew and below what it is about when the
// terminal has become too small for it.
func (c *Console) ask(ctx context.Context, l List, p *place, draw func(*place) survey.Prompt, answer any) error {
	for {
		resized, err := c.askOnce(ctx, l.Plain, p, draw, answer)
		switch {
		case err != nil || ctx.Err() != nil && !resized:
			return ErrLeft
		case !resized:
			return nil
		}
		if l.About != nil {
			l.About()
		}
	}
}

func (c *Console) askOnce(ctx context.Context, plain bool, p *place, draw func(*place) survey.Prompt, answer any) (resized bool, err error) {
	s, err := c.sit(ctx)
	if err != nil {
		return false, ErrLeft
	}
	defer s.close()
	p.drawn(c)
	keys, out := &chooser{sitting: s, place: p, queue: p.way()}, &choosing{Console: c, plain: plain}
	err = survey.AskOne(draw(p), answer, survey.WithStdio(keys, out, out),
		survey.WithRemoveSelectAll(), survey.WithRemoveSelectNone())
	if errors.Is(keys.err, errResized) {
		out.erase()
		return true, nil
	}
	return false, err
}
