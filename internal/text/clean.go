// Package text makes what models, files and tools said fit for a terminal: it
// strips what a terminal would obey, measures and cuts by display width, and
// quotes for a shell. It also says amounts as people read them.
package text

import (
	"strings"
	"unicode/utf8"
)

const esc = '\x1b'

// Clean returns s without anything a terminal acts on: escape sequences,
// control characters other than newline and tab, marks that change the
// direction of text, and invisible tag characters. A carriage return becomes a
// newline, so that nothing printed before can be overwritten. Broken UTF-8
// becomes U+FFFD.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n := sequence(s[i:]); n > 0 {
			i += n
			continue
		}
		i += size
		switch {
		case r == '\r':
			if !strings.HasPrefix(s[i:], "\n") {
				b.WriteByte('\n')
			}
		case !obeyed(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line returns s cleaned and on one line: white space is folded to single
// spaces and trimmed.
func Line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// plain is the fast way for what most text is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// obeyed reports whether a terminal or a reader's eye is steered by r.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || r >= 0x7f && r <= 0x9f:
		return true
	}
	return Directional(r) || r >= 0xe0000 && r <= 0xe007f
}

// Directional reports whether r changes the direction text is shown in: the
// marks, embeddings, overrides and isolates of the bidirectional algorithm.
func Directional(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// sequence is the length in bytes of the escape sequence s begins with, 0 if
// there is none. Of one that never ends only the introducer counts: what
// follows is then shown rather than hidden.
func sequence(s string) int {
	kind, size := introducer(s)
	switch kind {
	case '[':
		return size + control(s[size:])
	case ']', 'P', 'X', '^', '_':
		return size + untilTerminator(s[size:])
	case esc:
		return size + plainEscape(s[size:])
	}
	return 0
}

// introducer tells what kind of sequence begins at s, by the 7-bit letter that
// follows ESC, and how long its introducer is. Kind esc is any other.
func introducer(s string) (kind byte, size int) {
	if s[0] == esc {
		if len(s) > 1 && strings.IndexByte("[]PX^_", s[1]) >= 0 {
			return s[1], 2
		}
		return esc, 1
	}
	r, n := utf8.DecodeRuneInString(s)
	switch r {
	case 0x9b, 0x9d, 0x90, 0x98, 0x9e, 0x9f:
		return byte(r - 0x40), n
	}
	return 0, 0
}

// control is the length of parameters and final byte of a control sequence.
func control(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// untilTerminator is the length of a string sequence (OSC, DCS, …) up to and
// with its terminator. A newline ends the search: no terminal needs one inside.
func untilTerminator(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n':
			return 0
		case s[i] == '\a':
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		}
	}
	return 0
}

// plainEscape is the length of what follows a lone ESC: intermediates and a
// final byte (ESC c, ESC ( B).
func plainEscape(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}
