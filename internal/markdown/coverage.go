package markdown

import (
	"bytes"
	"unicode/utf8"
)

// coverage keeps account of the source that is shown, so that what the parser
// drops (a cell too many in a row of a table, say) can be shown too.
type coverage struct {
	upTo int    // where the source is shown or accounted for
	told []byte // source shown since from elsewhere than its place
}

// tell notes text of the source that is shown without its place being known.
func (c *coverage) tell(b []byte) {
	c.told = append(append(c.told, b...), ' ')
}

// covered notes that the source is shown up to stop.
func (c *coverage) covered(stop int) { c.upTo = max(c.upTo, stop) }

// hidden returns the source between what is accounted for and start if it
// holds text that was not told, and accounts for it.
func (l *layout) hidden(start int) []byte {
	if start <= l.upTo {
		return nil
	}
	between := l.src[l.upTo:start]
	told := l.told
	l.upTo, l.told = start, l.told[:0]
	for rest := between; ; {
		var word []byte
		if word, rest = nextWord(rest); word == nil {
			return nil
		}
		at := bytes.Index(told, word)
		if at < 0 {
			return bytes.TrimSpace(between)
		}
		told = told[at+len(word):]
	}
}

// leftOver writes what is hidden before start as a block of its own.
func (l *layout) leftOver(start int) {
	if b := l.hidden(start); b != nil {
		l.label("hidden")
		l.verbatim(b, asWritten)
	}
}

// nextWord returns the first letters and digits of b, and what follows them.
// Everything but ASCII counts as a letter.
func nextWord(b []byte) (word, rest []byte) {
	start := 0
	for start < len(b) && !wordByte(b[start]) {
		start++
	}
	end := start
	for end < len(b) && wordByte(b[end]) {
		end++
	}
	if start == end {
		return nil, nil
	}
	return b[start:end], b[end:]
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}
