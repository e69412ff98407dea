package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// screen is an output that people read, with what it can show. All it is given
// is cleaned but ink. Without a terminal it is the text.Writer in it, and
// nothing is laid out.
type screen struct {
	*text.Writer
	look    palette
	tty     bool
	columns func() int
	before  func() // takes away what must not stand beside other text; may be nil
}

func newScreen(s *streams, g *globals, w io.Writer, tty bool) *screen {
	return &screen{Writer: s.cleaned(w), look: newPalette(s, g, tty), tty: tty, columns: s.Columns}
}

// errScreen is the process's stderr as a command shows text on it; see page for
// stdout.
func (w *wiring) errScreen() *screen { return newScreen(w.io, w.g, w.io.Err, w.io.ErrTTY) }

// width is the number of cells of a row; 0 where rows may be of any length.
func (s *screen) width() int {
	if !s.tty {
		return 0
	}
	return max(s.cells(), terminal.LeastColumns)
}

// cells is how many a row of the terminal has, however few.
func (s *screen) cells() int {
	n := 0
	if s.columns != nil {
		n = s.columns()
	}
	if n <= 0 {
		n = terminal.DefaultColumns
	}
	return n
}

// fit is the number of cells a field gets beside taken others: on a terminal
// what is left of the row, else usual.
func (s *screen) fit(usual, taken int) int {
	if w := s.width(); w > 0 {
		return max(w-taken, terminal.LeastColumns/2)
	}
	return usual
}

// Write implements io.Writer. Everything is cleaned.
func (s *screen) Write(p []byte) (int, error) {
	if s.before != nil {
		s.before()
	}
	return s.Writer.Write(p)
}

// put prints parts one after the other, all at once. Only ink is printed as it
// is. Faults are left to the writer below, which remembers them.
func (s *screen) put(parts ...any) { s.print(joined(parts)) }

// line prints parts and ends the line. What a terminal has no room for goes on
// in rows that are indented, so that nobody's words begin one.
func (s *screen) line(parts ...any) { s.print(hang(joined(parts), s.width()) + "\n") }

// joined puts parts together, cleaned but for ink.
func joined(parts []any) string {
	var b strings.Builder
	for _, part := range parts {
		if i, ok := part.(ink); ok {
			b.WriteString(string(i))
			continue
		}
		b.WriteString(text.Clean(fmt.Sprint(part)))
	}
	return b.String()
}

func (s *screen) print(out string) {
	if out == "" {
		return
	}
	if !s.look.on { // no ink has a colour, and a log may need whole lines
		_, _ = s.Write([]byte(out))
		return
	}
	if s.before != nil {
		s.before()
	}
	_, _ = io.WriteString(s.W, out)
}

// digest prints a whole digest in one piece, to be copied.
func (s *screen) digest(indent, d string) {
	if strings.Trim(d, "0123456789abcdefghijklmnopqrstuvwxyz:") != "" || len(d) > 80 {
		s.line(indent, oneLine(d, s.fit(80, len(indent)))) // not one of ours
		return
	}
	s.put(indent, s.look.faint(d), "\n")
}

// setOff prints text that is not ours with a bar before each row and its
// invisible characters marked, so that it cannot pass for ours.
func (s *screen) setOff(words string) { s.setOffHung(words, "") }

// setOffHung is setOff for a list: what goes on in further rows stands behind
// hung, so that it cannot pass for another entry.
func (s *screen) setOffHung(words, hung string) {
	if !s.tty {
		s.put(setOff(words))
		return
	}
	g := newGutter(s, offBar)
	g.hang = hung
	s.put(g.add(strings.TrimRight(text.Mark(words), "\n")), g.end())
}

// setOffInk prints rows that are laid out already behind the same bar.
func (s *screen) setOffInk(rows ink) {
	bar := string(s.look.faint(offBar))
	var b strings.Builder
	for row := range strings.Lines(string(rows)) {
		b.WriteString(strings.TrimRight(bar+row, " \n") + "\n")
	}
	s.put(ink(b.String()))
}

// offBar sets apart what is not ours on stderr, and what a person decides on.
const offBar = "  │ "

// inside is the width left behind offBar.
func (s *screen) inside() int { return s.width() - text.Width(offBar) }
