package text

import (
	"fmt"
	"strings"
	"unicode"
)

// Mark returns s with everything invisible made visible as "<U+202E>": where a
// person decides on a text, leaving characters out would be showing another
// text. Newlines, tabs and the joiners of ordinary scripts stay.
func Mark(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if r == '\n' || r == '\t' || r == ' ' || unicode.IsGraphic(r) && !blank(r) || joiner(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "<U+%04X>", r)
	}
	return b.String()
}

// blank are graphic characters that show nothing at all: fillers, and the
// variation selectors that only carry hidden data.
func blank(r rune) bool {
	return r >= 0xe0100 && r <= 0xe01ef || r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x2800
}

// joiner are the invisible characters that ordinary text needs: Indic and
// Persian words, composed emoji.
func joiner(r rune) bool { return r == 0x200c || r == 0x200d }
