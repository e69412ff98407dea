package markdown

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// maxMarks is how many combining marks a character may carry. Living scripts
// need three; more cover the lines around them.
const maxMarks = 4

// glyph is one character as a reader sees it.
type glyph struct {
	size  int  // bytes
	cells int  // on the terminal
	first rune // the character it is built on
	odd   bool // to be marked, because it would not be seen
}

// glyphAt returns the glyph b begins with. b is not empty.
func glyphAt(b []byte) glyph {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return glyph{size: 1, first: rune(b[0]), odd: true}
	}
	g := glyph{size: size, first: r}
	if text.Unseen(r) {
		g.odd = true
		return g
	}
	cells := &runewidth.Condition{StrictEmojiNeutral: true}
	if size == len(b) || b[size] < 0x80 {
		g.cells = cells.RuneWidth(r)
		return g
	}
	for n := joined(b, g.size, r); n > 0; n = joined(b, g.size, r) {
		g.size += n
		if len(b[:g.size]) > 64 {
			break
		}
	}
	if g.size == size {
		g.cells = cells.RuneWidth(r)
	} else {
		g.cells = text.Width(string(b[:g.size]))
	}
	return g
}

// joined is the length of what joins the glyph b[:at] built on base, 0 if
// b[at:] begins another glyph.
func joined(b []byte, at int, base rune) int {
	if at >= len(b) {
		return 0
	}
	r, size := utf8.DecodeRune(b[at:])
	last, lastSize := utf8.DecodeLastRune(b[:at])
	next, _ := utf8.DecodeRune(b[at+size:])
	switch {
	case r < 0x300 || r == utf8.RuneError:
		return 0
	case r == 0x200d && text.Pictograph(base) && text.Pictograph(next):
		return size + utf8.RuneLen(next)
	case r == 0x200c || r == 0x200d:
		if text.Joins(last) && unicode.In(next, unicode.L, unicode.M) {
			return size
		}
		return 0
	case r == 0xfe0e || r == 0xfe0f:
		if at == lastSize && (text.Pictograph(base) || next == 0x20e3) {
			return size
		}
		return 0
	case r >= 0x1f3fb && r <= 0x1f3ff && text.Pictograph(last),
		regional(r) && regional(base) && at == lastSize,
		unicode.In(r, unicode.Mn, unicode.Me) && !text.Unseen(r) && marks(b[:at]) < maxMarks:
		return size
	}
	return 0
}

// marks counts the combining marks b ends in.
func marks(b []byte) (n int) {
	for len(b) > 0 {
		r, size := utf8.DecodeLastRune(b)
		if !unicode.In(r, unicode.Mn, unicode.Me) || r >= 0xfe00 && r <= 0xfe0f {
			return n
		}
		n++
		b = b[:len(b)-size]
	}
	return n
}

func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// nameOf is how an odd glyph is shown.
func nameOf(g glyph) string {
	if g.size == 1 && g.first >= utf8.RuneSelf {
		return fmt.Sprintf("⟨0x%02X⟩", g.first)
	}
	return fmt.Sprintf("⟨U+%04X⟩", g.first)
}

// breaks reports whether a line may end beside r without a space: the scripts
// that are written without.
func breaks(r rune) bool {
	return r >= 0x2e80 && r <= 0xa4cf || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe4f ||
		r >= 0xff00 && r <= 0xffef || r >= 0x20000 && r <= 0x3ffff
}

// closing reports whether no line should begin with r.
func closing(r rune) bool {
	switch r {
	case '、', '。', '，', '．', '・', '：', '；', '？', '！', 'ー', '々', '」', '』', '）', '】', '〉', '》', '〕', '］', '｝',
		'ぁ', 'ぃ', 'ぅ', 'ぇ', 'ぉ', 'っ', 'ゃ', 'ゅ', 'ょ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ッ', 'ャ', 'ュ', 'ョ',
		'.', ',', ';', ':', '!', '?', ')', ']', '}', '%', '…', '’', '”', '»':
		return true
	}
	return false
}

// opening reports whether no line should end with r.
func opening(r rune) bool {
	switch r {
	case '「', '『', '（', '【', '〈', '《', '〔', '［', '｛', '(', '[', '{', '‘', '“', '«':
		return true
	}
	return false
}
