package screen

import (
	"github.com/seed-3e5a1d81/agent/internal/markdown"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Ink is text that may be printed as it is: it was cleaned, and what colours it
// has are ours. Only this package makes it.
type Ink string

// Palette is how one output is coloured; decided once, for its whole life. The
// zero value has no colours, and its Ink is plain text.
type Palette struct{ On bool }

// The codes (SGR) of the sixteen basic colours that can be read on dark and on
// light backgrounds, and the attributes beside them.
const (
	codeStrong = "1"
	codeFaint  = "2"
	codeBad    = "31"
	codeGood   = "32"
	codeWarn   = "33"
	codeMode   = "1;35"
	codeOurs   = "36"
)

func (p Palette) paint(code, s string) Ink {
	s = text.Clean(s)
	if !p.On || s == "" {
		return Ink(s)
	}
	return Ink("\x1b[" + code + "m" + s + "\x1b[0m")
}

// Words by what they say: what counts, what does not, what went wrong and well,
// what a person should look at, the mode, and what we ourselves propose. They are
// cleaned.

func (p Palette) Strong(s string) Ink { return p.paint(codeStrong, s) }
func (p Palette) Faint(s string) Ink  { return p.paint(codeFaint, s) }
func (p Palette) Bad(s string) Ink    { return p.paint(codeBad, s) }
func (p Palette) Good(s string) Ink   { return p.paint(codeGood, s) }
func (p Palette) Warn(s string) Ink   { return p.paint(codeWarn, s) }
func (p Palette) Mode(s string) Ink   { return p.paint(codeMode, s) }
func (p Palette) Ours(s string) Ink   { return p.paint(codeOurs, s) }

// Markdown lays a Markdown text out in rows of width cells; see markdown.Render
// for what it lets through, and markdown.Options for widths.
func (p Palette) Markdown(source string, width int) Ink {
	return Ink(markdown.Render([]byte(source), markdown.Options{Width: width, Color: p.On}))
}

// Diff lays a unified diff out in rows of width cells.
func (p Palette) Diff(unified string, width int) Ink {
	return Ink(markdown.Diff(unified, markdown.Options{Width: width, Color: p.On}))
}
