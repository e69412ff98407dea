package markdown

import (
	"unicode"
	"unicode/utf8"
)

const tabStop = 4

// flow breaks styled text into lines of at most width cells: between words,
// between the characters of scripts without spaces, and inside what is longer
// than a line. Where keep is set it breaks only what is too long, and keeps
// spaces as they are.
type flow struct {
	width int
	color bool
	keep  bool
	emit  func(line []byte, cells int) // line is only lent

	line  []byte
	cells int
	style style // at the end of line

	word      []byte
	wordCells int
	wordFirst style
	wordLast  style

	spaces     int // due before the word
	spaceStyle style
	soft       bool // a newline of the source is due
	last       rune // the character put last, 0 after a break
	longest    int  // cells of the longest word so far
}

// text adds b. Newlines in it count as spaces, and in kept text end the line.
func (f *flow) text(b []byte, s style) {
	for len(b) > 0 {
		if n := printable(b); n > 0 {
			f.run(b[:n], s)
			b = b[n:]
			continue
		}
		switch b[0] {
		case ' ', '\t', '\n':
			f.blank(b[0], s)
			b = b[1:]
			continue
		}
		g := glyphAt(b)
		f.glyph(b[:g.size], g, s)
		b = b[g.size:]
	}
}

// printable is the length of the ASCII text without spaces b begins with, less
// a last character that something may be joined to.
func printable(b []byte) int {
	for i, c := range b {
		if c > ' ' && c < 0x7f {
			continue
		}
		if c >= utf8.RuneSelf && i > 0 {
			return i - 1
		}
		return i
	}
	return len(b)
}

func (f *flow) blank(c byte, s style) {
	switch {
	case f.keep && c == '\n':
		f.hardBreak()
	case f.keep && c == '\t':
		for range tabStop - f.wordCells%tabStop {
			f.put([]byte{' '}, 1, s)
		}
	case f.keep:
		f.put([]byte{' '}, 1, s)
		f.last = 0
	default:
		f.place()
		f.spaces, f.spaceStyle, f.last = 1, s, 0
	}
}

// wide adds a space that is not merged with others.
func (f *flow) wide(s style) {
	f.place()
	f.spaces, f.spaceStyle, f.last = f.spaces+1, s, 0
}

// softBreak is a newline inside a paragraph: a space, except between
// characters of a script that has none.
func (f *flow) softBreak(s style) {
	f.place()
	f.soft, f.spaceStyle = true, s
}

// run adds ASCII text without spaces.
func (f *flow) run(b []byte, s style) {
	f.before(rune(b[0]))
	f.last = rune(b[len(b)-1])
	for len(b) > 0 {
		if f.wordCells >= f.width {
			f.place()
		}
		n := min(len(b), f.width-f.wordCells)
		f.put(b[:n], n, s)
		b = b[n:]
	}
}

// glyph adds one character, by name if it would not be seen, or if it is a mark
// more than the character before can carry.
func (f *flow) glyph(b []byte, g glyph, s style) {
	if g.odd || f.last != 0 && g.cells == 0 && unicode.In(g.first, unicode.Mn, unicode.Me) {
		f.before('⟨')
		f.last = '⟩'
		for _, r := range nameOf(g) {
			f.put(utf8.AppendRune(nil, r), 1, s.in(warning))
		}
		return
	}
	f.before(g.first)
	f.last = g.first
	f.put(b, g.cells, s)
}

// before decides what stands between the text so far and r.
func (f *flow) before(r rune) {
	between := f.last != 0 && (breaks(f.last) || breaks(r))
	if f.soft {
		f.soft = false
		if f.spaces == 0 && !(breaks(f.last) && breaks(r)) {
			f.spaces = 1
		}
	}
	if !f.keep && between && !closing(r) && !opening(f.last) {
		f.place()
	}
}

// put adds a part that is not broken to the word.
func (f *flow) put(part []byte, cells int, s style) {
	if f.wordCells+cells > f.width {
		f.place()
		if f.keep {
			f.breakLine()
		}
	}
	if len(f.word) == 0 {
		f.wordFirst, f.wordLast = s, s
	} else if s != f.wordLast && f.color {
		f.word = s.appendSGR(f.word)
		f.wordLast = s
	}
	f.word = append(f.word, part...)
	f.wordCells += cells
}

// place puts the word on the line, or on the next one.
func (f *flow) place() {
	if len(f.word) == 0 {
		return
	}
	f.longest = max(f.longest, f.wordCells)
	if f.cells > 0 && f.cells+f.spaces+f.wordCells > f.width {
		f.breakLine()
	}
	if f.cells > 0 && f.spaces > 0 {
		f.turn(f.spaceStyle)
		for range f.spaces {
			f.line = append(f.line, ' ')
		}
		f.cells += f.spaces
	}
	f.turn(f.wordFirst)
	f.line = append(f.line, f.word...)
	f.cells += f.wordCells
	if f.color {
		f.style = f.wordLast
	}
	f.word, f.wordCells, f.spaces = f.word[:0], 0, 0
}

// turn makes what follows on the line appear in s.
func (f *flow) turn(s style) {
	if f.color && f.style != s {
		f.line = s.appendSGR(f.line)
		f.style = s
	}
}

func (f *flow) breakLine() {
	f.turn(plain)
	f.emit(f.line, f.cells)
	f.line, f.cells, f.spaces = f.line[:0], 0, 0
}

// hardBreak ends the line, be it empty or not.
func (f *flow) hardBreak() {
	f.place()
	f.breakLine()
	f.last, f.soft = 0, false
}

// end ends the last line if there is text on it.
func (f *flow) end() {
	f.place()
	if len(f.line) > 0 {
		f.breakLine()
	}
	f.last, f.soft = 0, false
}
