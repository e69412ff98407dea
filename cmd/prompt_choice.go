package cmd

import (
	"context"
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

// page is how many choices are shown at once: the question must stay in sight.
func (c *console) page() int {
	_, rows := c.size()
	return max(rows-4, 3)
}

func (c *console) room(beside int) int {
	columns, _ := c.size()
	return columns - beside
}

// pick lets a person choose one. The first choice is where the cursor stands,
// so it is the one that does no harm. Whatever goes wrong is errLeft.
func (p *prompter) pick(ctx context.Context, message string, choices []choice) (int, error) {
	labels, abouts, _ := fits(choices, p.tty.room(besideChoice))
	at := 0
	err := p.ask(ctx, &survey.Select{
		Message: message, Options: labels, Default: 0, PageSize: p.tty.page(),
		Description: func(_ string, i int) string { return abouts[i] },
	}, &at, false)
	return at, err
}

// pickSeveral lets a person choose any number; none are chosen before.
func (p *prompter) pickSeveral(ctx context.Context, message string, choices []choice) ([]int, error) {
	labels, abouts, _ := fits(choices, p.tty.room(besideSeveral))
	var at []int
	err := p.ask(ctx, &survey.MultiSelect{
		Message: message, Options: labels, PageSize: p.tty.page(),
		Description: func(_ string, i int) string { return abouts[i] },
	}, &at, true)
	return at, err
}

func (p *prompter) ask(ctx context.Context, q survey.Prompt, answer any, several bool) (err error) {
	s, err := p.tty.sit(ctx)
	if err != nil {
		return errLeft
	}
	defer s.close()
	keys, out := &chooser{sitting: s, several: several}, &choosing{console: p.tty, plain: !p.screen.look.on}
	err = survey.AskOne(q, answer, survey.WithStdio(keys, out, out),
		survey.WithRemoveSelectAll(), survey.WithRemoveSelectNone())
	if err != nil || ctx.Err() != nil {
		return errLeft
	}
	return nil
}

// choosing is the terminal as survey writes to it.
type choosing struct {
	*console
	plain bool
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
	_, err := c.out.WriteString(s)
	return len(b), err
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
