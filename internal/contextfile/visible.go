package contextfile

import (
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// visible returns s without what a person reading the file does not see and a
// model would: controls, marks of direction, zero-width characters, fillers,
// tag characters; and how many were removed. Newlines and tabs stay, other
// line ends become newlines, and so do the joiners and emoji selectors that
// ordinary text needs.
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
		if r != '\n' && r != '\t' && text.Unseen(r) && !text.Needed(prev, r, next) {
			removed++
			prev = 0
			continue
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String(), removed
}
