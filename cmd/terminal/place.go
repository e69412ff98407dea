package terminal

import (
	"errors"
	"slices"
	"strings"
)

// errResized ends a list that the terminal has become too small for. What is
// drawn again and again wraps there, or pushes what it is about out of sight.
var errResized = errors.New("the terminal was resized")

// errRead ends a list whose subject the person wants to read.
var errRead = errors.New("what is above the list is to be shown")

// place is where a person stands in a list of choices, so that the list can be
// shown anew. survey keeps that to itself; this follows the keys it is given.
type place struct {
	size    int // choices in the list
	several bool
	head    int // cells of the row above them
	at      int
	ticked  []bool // nil while none was

	columns, page int // of the terminal when the list was drawn
}

// Keys as survey is given them.
const (
	goUp   = "\x1b[A"
	goDown = "\x1b[B"
)

// follow notes what keys do. Enter does nothing here: after it the list is gone,
// or it was not in sight and was not shown to survey.
func (l *place) follow(keys []byte) {
	for rest := string(keys); rest != ""; {
		step := 1
		switch {
		case strings.HasPrefix(rest, goUp):
			l.at, step = (l.at+l.size-1)%l.size, len(goUp)
		case strings.HasPrefix(rest, goDown):
			l.at, step = (l.at+1)%l.size, len(goDown)
		case rest[0] == ' ':
			l.ticked = append(l.ticked, make([]bool, l.size-len(l.ticked))...)
			l.ticked[l.at] = !l.ticked[l.at]
		}
		rest = rest[step:]
	}
}

// chosen are the choices ticked so far.
func (l *place) chosen() []int {
	var at []int
	for i, on := range l.ticked {
		if on {
			at = append(at, i)
		}
	}
	return at
}

// way leads the cursor of a list of several choices back to its place: survey
// begins it at the top.
func (l *place) way() []byte {
	if !l.several {
		return nil
	}
	return slices.Repeat([]byte(goDown), l.at)
}

// drawn notes the terminal the list is drawn on.
func (l *place) drawn(c *Console) {
	l.columns, _ = c.size()
	l.page = c.page(l.head)
}

// outgrown reports whether the list is too large for the terminal as it is now,
// or survey would take the rows of its head for fewer than there are.
func (l *place) outgrown(c *Console) bool {
	columns, _ := c.size()
	return columns < l.columns || l.head/columns != l.head/l.columns || min(c.page(l.head), l.size) < min(l.page, l.size)
}
