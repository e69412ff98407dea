package text

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

const ellipsis = "…"

// cells measures as terminals do; ambiguous characters are narrow whatever the
// locale says, because box drawing is counted twice otherwise.
func cells() *runewidth.Condition {
	return &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}
}

// Width is the number of terminal cells s takes.
func Width(s string) int { return cells().StringWidth(s) }

// Truncate returns s cut to at most width cells, with "…" where something was
// cut off. A width of 0 or less gives "".
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return cells().Truncate(s, width, ellipsis)
}

// Field is s on one line and no wider than width cells: somebody's words within a
// line of ours.
func Field(s string, width int) string { return Truncate(Line(s), width) }

// Pad returns s with spaces added up to width cells. Longer text is unchanged.
func Pad(s string, width int) string {
	if n := width - Width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}
