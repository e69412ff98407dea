package cmd

import (
	"runtime"

	"github.com/seed-3e5a1d81/agent/internal/markdown"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// ink is text that may be printed as it is: it was cleaned, and what colours it
// has are ours. Only a palette and a gutter make it.
type ink string

// palette is how one output is coloured; decided once, for its whole life. The
// zero value has no colours, and its ink is plain text.
type palette struct{ on bool }

// newPalette decides whether an output gets colours.
func newPalette(s *streams, g *globals, tty bool) palette {
	return palette{on: tty && !g.NoColor && s.Env("NO_COLOR") == "" && !s.dumb() && !s.set("GITHUB_ACTIONS")}
}

// dumb reports whether the terminal takes no escape sequences, as far as it
// tells; on Windows it tells nothing.
func (s *streams) dumb() bool {
	term := s.Env("TERM")
	return term == "dumb" || term == "" && runtime.GOOS != "windows"
}

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

func (p palette) paint(code, s string) ink {
	s = text.Clean(s)
	if !p.on || s == "" {
		return ink(s)
	}
	return ink("\x1b[" + code + "m" + s + "\x1b[0m")
}

func (p palette) strong(s string) ink { return p.paint(codeStrong, s) }
func (p palette) faint(s string) ink  { return p.paint(codeFaint, s) }
func (p palette) bad(s string) ink    { return p.paint(codeBad, s) }
func (p palette) good(s string) ink   { return p.paint(codeGood, s) }
func (p palette) warn(s string) ink   { return p.paint(codeWarn, s) }
func (p palette) mode(s string) ink   { return p.paint(codeMode, s) }
func (p palette) ours(s string) ink   { return p.paint(codeOurs, s) }

// markdown lays a Markdown text out; see markdown.Render for what it lets
// through.
func (p palette) markdown(source string, width int) ink {
	return ink(markdown.Render([]byte(source), markdown.Options{Width: width, Color: p.on}))
}

// diff shows a unified diff.
func (p palette) diff(unified string, width int) ink {
	return ink(markdown.Diff(unified, markdown.Options{Width: width, Color: p.on}))
}
