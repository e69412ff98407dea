package contextfile

import (
	"strings"
	"unicode"
)

// visible returns s without what a person reading the file does not see and a
// model would: controls, marks of direction, zero-width characters, fillers,
// tag characters; and how many were removed. Newlines and tabs stay, other
// line ends become newlines, and so do the joiners and emoji selectors that
// ordinary text needs, one between two visible characters.
func visible(s string) (string, int) {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(strings.TrimPrefix(s, "\ufeff"))
	var b strings.Builder
	b.Grow(len(s))
	removed := 0
	runes := []rune(s)
	prev := rune(0) // the one before, 0 if it was removed
	for i, r := range runes {
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		if !seen(r) && !needed(prev, r, next) {
			removed++
			prev = 0
			continue
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String(), removed
}

// seen reports whether r shows in a text.
func seen(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case selector(r), filler(r):
		return false
	}
	return unicode.IsGraphic(r) || unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// filler are graphic by their class and yet show nothing.
func filler(r rune) bool {
	return r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 || r == 0x2800 || r == 0x3164 || r == 0xffa0
}

func selector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}

// needed reports whether the invisible r has a use where it stands: a joiner
// within a word of a script that has them or within an emoji, a selector of
// text or emoji style. Never two in a row: rows of them carry hidden text.
func needed(prev, r, next rune) bool {
	switch r {
	case 0x200c, 0x200d:
		return prev > unicode.MaxASCII && (seen(prev) || prev == 0xfe0f) && next > unicode.MaxASCII && seen(next)
	case 0xfe0e, 0xfe0f:
		return prev > unicode.MaxASCII && seen(prev) || prev >= '0' && prev <= '9' || prev == '#' || prev == '*'
	}
	return false
}
