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
	// Read shows all of what the list is about from its beginning, at the key ?.
	// Above is how many rows of it stand above the list: where they do not fit on
	// the screen, the list says what the key does. May be nil.
	Read  func()
	Above int
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

// page is how many choices are shown at once below a head of so many cells: the
// question must stay in sight, above the head, which a narrow terminal wraps.
func (c *Console) page(head int) int {
	columns, rows := c.size()
	return max(rows-4-head/columns, 3)
}

// head is how many cells survey's head of a list takes.
func head(message string, several bool) int {
	hint := "?   [Use arrows to move, " + ourHint
	if several {
		hint += "space to select, "
	}
	return text.Width(message) + len(hint)
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
	err := c.ask(ctx, l, &place{size: len(l.Choices), head: head(l.Message, false)}, func(p *place) survey.Prompt {
		labels, abouts, _ := fits(l.Choices, c.room(besideChoice))
		return &survey.Select{
			Message: l.Message, Options: labels, Default: p.at, PageSize: c.page(p.head),
			Description: func(_ string, i int) string { return abouts[i] },
		}
	}, &at)
	return at, err
}

// PickSeveral lets a person choose any number, none of which is chosen before,
// and returns their indices in order. Whatever goes wrong is ErrLeft.
func (c *Console) PickSeveral(ctx context.Context, l List) ([]int, error) {
	var at []int
	err := c.ask(ctx, l, &place{size: len(l.Choices), several: true, head: head(l.Message, true)}, func(p *place) survey.Prompt {
		labels, abouts, _ := fits(l.Choices, c.room(besideSeveral))
		return &survey.MultiSelect{
			Message: l.Message, Options: labels, Default: p.chosen(), PageSize: c.page(p.head),
			Description: func(_ string, i int) string { return abouts[i] },
		}
	}, &at)
	return at, err
}

// ask shows the list that draw makes, anew when the terminal has become too
// small for it and after what it is about was read. Whatever goes wrong is
// ErrLeft.
func (c *Console) ask(ctx context.Context, l List, p *place, draw func(*place) survey.Prompt, answer any) error {
	for {
		err := c.askOnce(ctx, l, p, draw, answer)
		switch {
		case err == nil && ctx.Err() == nil:
			return nil
		case errors.Is(err, errResized), again(err):
			if l.About != nil {
				l.About()
			}
		case errors.Is(err, errRead):
			l.Read()
		default:
			return ErrLeft
		}
	}
}

// askOnce is ask until the list has to be drawn anew: that is errResized, errRead,
// errStop or errContinued.
func (c *Console) askOnce(ctx context.Context, l List, p *place, draw func(*place) survey.Prompt, answer any) error {
	s, err := c.sit(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	p.drawn(c)
	keys := &chooser{sitting: s, place: p, queue: p.way(), reads: l.Read != nil}
	out := &choosing{Console: c, plain: l.Plain, hint: c.hint(l, p)}
	err = survey.AskOne(draw(p), answer, survey.WithStdio(keys, out, out),
		survey.WithRemoveSelectAll(), survey.WithRemoveSelectNone())
	switch {
	case errors.Is(keys.err, errContinued): // a shell has written below the list
		return keys.err
	case errors.Is(keys.err, errStop), errors.Is(keys.err, errResized), errors.Is(keys.err, errRead):
		out.erase()
		return keys.err
	}
	return err
}

// hint is what a list says in the place of survey's words.
func (c *Console) hint(l List, p *place) string {
	_, rows := c.size()
	if l.Read != nil && l.Above+min(len(l.Choices), p.page)+2 > rows {
		return readHint
	}
	return ourHint
}
