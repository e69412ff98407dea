package text

import (
	"fmt"
	"strings"
)

// Mark returns s with everything invisible made visible as "<U+202E>": where a
// person decides on a text, leaving characters out would be showing another
// text. Newlines, tabs and the joiners and selectors that words and emoji need
// stay.
func Mark(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	runes := []rune(s)
	prev := rune(0) // the one before, 0 if it was marked
	for i, r := range runes {
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		if r != '\n' && r != '\t' && Unseen(r) && !Needed(prev, r, next) {
			fmt.Fprintf(&b, "<U+%04X>", r)
			prev = 0
			continue
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}
