package screen

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Gutter puts a bar before each row of text that is not ours: not only where
// the text begins a line, but where a narrow screen does too. Text comes in
// pieces, as a model says it; it is cleaned, and words are kept whole. Without a
// width rows are as long as their lines.
type Gutter struct {
	bar   Ink
	hang  string // before what goes on in further rows
	width int    // cells of text in a row; 0: any
	col   int    // cells used
	gap   int    // spaces to come before the next word; none at the end of a row
	open  bool
	cut   bool            // the row before did not end a line
	word  strings.Builder // not printed yet
	cells int             // of word
	last  rune            // of word, that takes cells
	end   rune            // of word
	out   strings.Builder
}

// holding is how near the right edge a word is held back until it is whole: it
// may have to go on the next row.
const holding = 20

// Readable is the longest row of prose that an eye follows well.
const Readable = 100

// NewGutter returns a gutter with a bar of ours, as wide as the screen is now but
// no wider than Readable.
func NewGutter(s *Screen, bar string) *Gutter {
	g := &Gutter{bar: s.Look.Faint(bar)}
	if w := min(s.Width(), Readable); w > 0 {
		g.width = max(w-text.Width(bar), terminal.LeastColumns/2)
	}
	return g
}

// Add returns what to print for the next piece. A word near the edge may come
// with a later one.
func (g *Gutter) Add(piece string) Ink {
	g.out.Reset()
	for _, r := range text.Clean(piece) {
		g.rune(r)
	}
	if g.width == 0 || g.width-g.col-g.gap > holding || g.cells > holding {
		g.place()
	}
	return Ink(g.out.String())
}

// End returns what finishes the last row, "" if none is open. The gutter can be
// added to again.
func (g *Gutter) End() Ink {
	g.out.Reset()
	g.place()
	if g.open {
		g.breakRow(false)
	}
	return Ink(g.out.String())
}

func (g *Gutter) rune(r rune) {
	switch {
	case r == '\n':
		g.place()
		g.begin()
		g.breakRow(false)
	case (r == ' ' || r == '\t') && g.width == 0:
		g.place()
		g.begin()
		g.out.WriteRune(r)
	case r == '\t':
		g.place()
		g.gap += 4 - (g.col+g.gap)%4
	case r == ' ':
		g.place()
		g.gap++
	default:
		n := runeCells(r)
		if g.cells > 0 && n > 0 && (n > 1 || runeCells(g.last) > 1) && !clings(r) && !g.composes(r) {
			g.place() // scripts without spaces: every character may begin a row
		}
		g.word.WriteRune(r)
		g.cells, g.end = g.cells+n, r
		if n > 0 {
			g.last = r
		}
	}
}

// composes reports whether r makes one emoji with the end of the word, such as a
// family. Nobody's words stay together by it beyond the longest there is.
func (g *Gutter) composes(r rune) bool {
	const joiner, longest = 0x200d, 10
	tone := r >= 0x1f3fb && r <= 0x1f3ff // of a skin
	return (g.end == joiner || tone) && g.cells < longest
}

// place writes the word, on a new row if this one has no room; what no row has
// room for is cut.
func (g *Gutter) place() {
	if g.word.Len() == 0 {
		return
	}
	word := g.word.String()
	whole := g.cells <= g.width-len(g.hang) // on a row of its own
	if over := g.col+g.gap+g.cells > g.width; g.width > 0 && over && (whole || g.col+g.gap >= g.width) {
		if g.open {
			g.breakRow(true)
		}
		g.gap = 0
	}
	g.begin()
	g.out.WriteString(strings.Repeat(" ", g.gap))
	g.col, g.gap = g.col+g.gap, 0
	for _, r := range word {
		n := runeCells(r)
		if g.width > 0 && n > 0 && g.col+n > g.width {
			g.breakRow(true)
			g.begin()
		}
		g.out.WriteRune(r)
		g.col += n
	}
	g.word.Reset()
	g.cells = 0
}

func (g *Gutter) begin() {
	if g.open {
		return
	}
	g.open = true
	g.out.WriteString(string(g.bar))
	if g.cut {
		g.out.WriteString(g.hang)
		g.col = len(g.hang)
	}
}

// breakRow ends the row; the line goes on in the next one if cut.
func (g *Gutter) breakRow(cut bool) {
	g.out.WriteByte('\n')
	g.open, g.cut, g.col, g.gap = false, cut, 0, 0
}

// runeCells is how many cells r takes at most, whatever it joins.
func runeCells(r rune) int {
	switch {
	case r >= ' ' && r < utf8.RuneSelf:
		return 1
	case r == 0xfe0f: // makes the character before it an emoji, which is wider
		return 1
	}
	return text.Width(string(r))
}

// clings reports whether no row should begin with r.
func clings(r rune) bool {
	return strings.ContainsRune("、。，．：；？！ー々」』）】〉》〕ぁぃぅぇぉっゃゅょァィゥェォッャュョ.,;:!?)]}%…’”»", r)
}
