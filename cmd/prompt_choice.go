package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/AlecAivazis/survey/v2"
	surveyed "github.com/AlecAivazis/survey/v2/terminal"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// choice is one line of a list to choose from. Its parts are on one line and
// cleaned by whoever makes it.
type choice struct {
	label string
	about string // may be ""
}

// Cells survey puts before a choice, with some air.
const (
	besideChoice  = 6
	besideSeveral = 9
)

// fits cuts choices to what a row of the terminal holds: a longer one would
// wrap and push what is above the list away. What is cut stands in full there.
func fits(choices []choice, cells int) (labels, abouts []string, cut bool) {
	for _, c := range choices {
		label := onOneRow(c.label, cells)
		about := ""
		if room := cells - surveyed.StringWidth(label) - len(" - "); c.about != "" && room > leastColumns/2 {
			about = onOneRow(c.about, room)
		}
		cut = cut || label != c.label || about != c.about
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
func (c *console) page() int {
	const hint = 52
	columns, rows := c.size()
	return max(rows-4-hint/columns, 3)
}

func (c *console) room(beside int) int {
	columns, _ := c.size()
	return columns - beside
}

// pick lets a person choose one. The first choice is where the cursor stands,
// so it is the one that does no harm. Whatever goes wrong is errLeft.
func (p *prompter) pick(ctx context.Context, message string, choices []choice) (int, error) {
	at := 0
	err := p.ask(ctx, func(l *place) survey.Prompt {
		labels, abouts, _ := fits(choices, p.tty.room(besideChoice))
		return &survey.Select{
			Message: message, Options: labels, Default: l.at, PageSize: p.tty.page(),
			Description: func(_ string, i int) string { return abouts[i] },
		}
	}, &at, &place{size: len(choices)})
	return at, err
}

// pickSeveral lets a person choose any number; none are chosen before.
func (p *prompter) pickSeveral(ctx context.Context, message string, choices []choice) ([]int, error) {
	var at []int
	err := p.ask(ctx, func(l *place) survey.Prompt {
		labels, abouts, _ := fits(choices, p.tty.room(besideSeveral))
		return &survey.MultiSelect{
			Message: message, Options: labels, Default: l.chosen(), PageSize: p.tty.page(),
			Description: func(_ string, i int) string { return abouts[i] },
		}
	}, &at, &place{size: len(choices), several: true})
	return at, err
}

// ask shows the list that list makes, anew and below what it is about when the
// terminal has become too small for it.
func (p *prompter) ask(ctx context.Context, list func(*place) survey.Prompt, answer any, l *place) error {
	for {
		resized, err := p.askOnce(ctx, list, answer, l)
		switch {
		case err != nil || ctx.Err() != nil && !resized:
			return errLeft
		case !resized:
			return nil
		}
		if p.about != nil {
			p.about()
		}
	}
}

func (p *prompter) askOnce(ctx context.Context, list func(*place) survey.Prompt, answer any, l *place) (resized bool, err error) {
	s, err := p.tty.sit(ctx)
	if err != nil {
		return false, errLeft
	}
	defer s.close()
	l.drawn(p.tty)
	keys, out := &chooser{sitting: s, place: l, queue: l.way()}, &choosing{console: p.tty, plain: !p.screen.look.on}
	err = survey.AskOne(list(l), answer, survey.WithStdio(keys, out, out),
		survey.WithRemoveSelectAll(), survey.WithRemoveSelectNone())
	if errors.Is(keys.err, errResized) {
		out.erase()
		return true, nil
	}
	return false, err
}

// choosing is the terminal as survey writes to it.
type choosing struct {
	*console
	plain bool
	list  string // as it was drawn last
}

func (c *choosing) Fd() uintptr { return c.out.Fd() }

// survey says in its hint that letters filter the list; here they do nothing.
// The words put there are as long as its own: it counts rows by them.
const (
	surveysHint = "type to filter]"
	ourHint     = "Enter confirms]"
)

// Write implements io.Writer. survey writes a list at once, and its colours
// whatever our flags say.
func (c *choosing) Write(b []byte) (int, error) {
	s := strings.Replace(string(b), surveysHint, ourHint, 1)
	if c.plain {
		s = withoutColours(s)
	}
	if strings.Contains(s, "\n") {
		c.list = withoutColours(s)
	}
	_, err := c.out.WriteString(s)
	return len(b), err
}

// erase takes the list above the cursor away, as far as the terminal still has
// it: a narrower one has wrapped its rows.
func (c *choosing) erase() {
	columns, rows := c.size()
	up := 0
	for row := range strings.Lines(c.list) {
		up += max((text.Width(strings.TrimSuffix(row, "\n"))-1)/columns, 0) + 1
	}
	if up = min(up, rows-1); up > 0 {
		_, _ = fmt.Fprintf(c.out, "\r\x1b[%dA\x1b[J", up) // a terminal that is gone is noticed by the next read
	}
}

// withoutColours takes the colour sequences out of what survey writes.
func withoutColours(s string) string {
	var b strings.Builder
	for {
		at := strings.Index(s, "\x1b[")
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		size := escapeSize([]byte(s[at:]))
		b.WriteString(s[:at])
		if s[at+size-1] != 'm' {
			b.WriteString(s[at : at+size])
		}
		s = s[at+size:]
	}
}
