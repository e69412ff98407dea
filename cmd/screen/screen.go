// Package screen is an output that people read: rows that fit the terminal,
// colours where it has them, text that is not ours behind a bar, a spinner that
// is taken back, tables.
//
// Everything printed is cleaned (internal/text), whoever said it; only Ink is
// printed as it is. What goes to a pipe or a file is text without layout.
package screen

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Screen is an output with what it can show. All it is given is cleaned but Ink.
// Without a terminal it is the text.Writer in it, and nothing is laid out. Faults
// are left to the writer below, which remembers them: Flush tells. It is for one
// goroutine at a time.
type Screen struct {
	*text.Writer
	Look    Palette
	TTY     bool
	Columns func() int // of the terminal; nil, or 0 from it: unknown
	Before  func()     // takes away what must not stand beside other text; may be nil
}

// Width is the number of cells of a row, as the terminal is now; 0 where rows may
// be of any length.
func (s *Screen) Width() int {
	if !s.TTY {
		return 0
	}
	return max(s.cells(), terminal.LeastColumns)
}

// cells is how many a row of the terminal has, however few.
func (s *Screen) cells() int {
	n := 0
	if s.Columns != nil {
		n = s.Columns()
	}
	if n <= 0 {
		n = terminal.DefaultColumns
	}
	return n
}

// Fit is the number of cells a field gets beside taken others: on a terminal
// what is left of the row, else usual.
func (s *Screen) Fit(usual, taken int) int {
	if w := s.Width(); w > 0 {
		return max(w-taken, terminal.LeastColumns/2)
	}
	return usual
}

// Write implements io.Writer. Everything is cleaned.
func (s *Screen) Write(p []byte) (int, error) {
	if s.Before != nil {
		s.Before()
	}
	return s.Writer.Write(p)
}

// Put prints parts, each as fmt.Sprint has it, one after the other and all at
// once.
func (s *Screen) Put(parts ...any) { s.print(joined(parts)) }

// Line prints parts as Put does and ends the line. What a terminal has no room for goes on
// in rows that are indented, so that nobody's words begin one.
func (s *Screen) Line(parts ...any) { s.print(hang(joined(parts), s.Width()) + "\n") }

// joined puts parts together, cleaned but for Ink.
func joined(parts []any) string {
	var b strings.Builder
	for _, part := range parts {
		if i, ok := part.(Ink); ok {
			b.WriteString(string(i))
			continue
		}
		b.WriteString(text.Clean(fmt.Sprint(part)))
	}
	return b.String()
}

func (s *Screen) print(out string) {
	if out == "" {
		return
	}
	if !s.Look.On { // no ink has a colour, and a log may need whole lines
		_, _ = s.Write([]byte(out))
		return
	}
	if s.Before != nil {
		s.Before()
	}
	_, _ = io.WriteString(s.W, out)
}

// Heading prints a line as Line does, its first words marked.
func (s *Screen) Heading(what string, more ...any) {
	s.Line(append([]any{s.Look.Strong(what)}, more...)...)
}

// Digest prints a whole digest in one piece, to be copied, behind indent. What
// does not look like one is cut to a row.
func (s *Screen) Digest(indent, d string) {
	if strings.Trim(d, "0123456789abcdefghijklmnopqrstuvwxyz:") != "" || len(d) > 80 {
		s.Line(indent, text.Field(d, s.Fit(80, len(indent)))) // not one of ours
		return
	}
	s.Put(indent, s.Look.Faint(d), "\n")
}

// EraseRow takes away what stands in the row of a terminal's cursor: the spinner
// of a process that has no time to rest it.
func (s *Screen) EraseRow() { _, _ = io.WriteString(s.W, "\r"+eraseRest) }

// SetOff prints text that is not ours with a bar before each row and its
// invisible characters marked, so that it cannot pass for ours.
func (s *Screen) SetOff(words string) { s.SetOffHung(words, "") }

// SetOffHung is SetOff for a list: what goes on in further rows stands behind
// hung, so that it cannot pass for another entry.
func (s *Screen) SetOffHung(words, hung string) {
	if !s.TTY {
		s.Put(setOff(words))
		return
	}
	g := NewGutter(s, OffBar)
	g.hang = hung
	s.Put(g.Add(strings.TrimRight(text.Mark(words), "\n")), g.End())
}

// SetOffInk prints rows that are laid out already, in Inside cells, behind the
// bar of SetOff.
func (s *Screen) SetOffInk(rows Ink) {
	bar := string(s.Look.Faint(OffBar))
	var b strings.Builder
	for row := range strings.Lines(string(rows)) {
		b.WriteString(strings.TrimRight(bar+row, " \n") + "\n")
	}
	s.Put(Ink(b.String()))
}

// OffBar is the bar of SetOff.
const OffBar = "  │ "

// Inside is the width left behind OffBar; below 0 where rows may be of any
// length.
func (s *Screen) Inside() int { return s.Width() - text.Width(OffBar) }

// setOff is SetOff where rows are as long as their lines.
func setOff(s string) string {
	s = strings.TrimRight(text.Mark(s), "\n")
	return OffBar + strings.ReplaceAll(s, "\n", "\n"+OffBar) + "\n"
}
