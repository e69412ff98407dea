package secret

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

const (
	// minLength is the length of the shortest value that is masked: shorter
	// ones are too often words of their own.
	minLength = 8
	// minLine is the length from which a line of a value with many is masked by
	// itself, if it has no white space. Those are the lines of a PEM key.
	minLine = 40
)

// Masker replaces the values of secrets by [secret NAME]. A nil Masker, and the
// zero value, mask nothing. It is safe for concurrent use.
type Masker struct {
	needles []needle // longest first
	longest int
	// skip has for each pair of bytes how far a window of minLength that ends
	// in that pair can move on, because no needle begins in between (Wu and
	// Manber). 0: needles[i] for i in ending[pair] may begin at the window.
	skip   []uint8
	ending map[uint16][]int
	first  [256]bool // bytes that a needle begins with
}

// needle is one form of one value.
type needle struct{ text, mark string }

// FromEnviron returns a Masker for the values of 8 bytes or more of those
// variables in environ ("NAME=value") whose names hold KEY, TOKEN, SECRET or
// PASSWORD, in any case, or are among extraNames. No other words count, so
// that what is masked can be told from a name. Blank values, and white space
// around a value, are left alone. Where two variables have one value it is
// masked by the name that sorts first.
//
// A value is a value, whatever it says: a path in SSH_KEY_PATH is masked too.
func FromEnviron(environ, extraNames []string) *Masker {
	m := &Masker{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if named(name) || listed(extraNames, name) {
			m.add(name, value)
		}
	}
	m.index()
	return m
}

// add takes up the forms of a value.
func (m *Masker) add(name, value string) {
	if trimmed := strings.TrimSpace(value); len(trimmed) >= minLength || trimmed == "" {
		value = trimmed
	}
	if len(value) < minLength {
		return
	}
	mark := "[secret " + strings.Map(nameRune, name) + "]"
	for _, text := range append(lines(value), value) {
		for _, form := range []string{text, strings.ToValidUTF8(text, "\ufffd"), escape(text, true), escape(text, false)} {
			if len(form) >= minLength { // U+FFFD may stand for many bytes
				m.needles = append(m.needles, needle{form, mark})
			}
		}
	}
}

// nameRune keeps a mark harmless wherever it is put, inside JSON for one.
func nameRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r == '.':
		return r
	}
	return '_'
}

// lines are the lines of a value of many that are masked by themselves, since
// tools number and indent lines.
func lines(value string) []string {
	all := strings.FieldsFunc(value, func(r rune) bool { return r == '\n' || r == '\r' })
	return slices.DeleteFunc(all, func(line string) bool {
		return len(line) < minLine || len(line) == len(value) || strings.ContainsAny(line, " \t")
	})
}

// escape is text as encoding/json writes it inside a string.
func escape(text string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(text) != nil {
		return text // cannot be: every string has an encoding
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// index orders the needles and prepares the search.
func (m *Masker) index() {
	slices.SortFunc(m.needles, func(a, b needle) int {
		return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text), strings.Compare(a.mark, b.mark))
	})
	m.needles = slices.CompactFunc(m.needles, func(a, b needle) bool { return a.text == b.text })
	if len(m.needles) == 0 {
		return
	}
	m.longest = len(m.needles[0].text)
	m.skip = bytes.Repeat([]byte{minLength - 1}, 1<<16)
	m.ending = map[uint16][]int{}
	for i, n := range m.needles {
		m.first[n.text[0]] = true
		for end := 2; end <= minLength; end++ {
			pair := pairOf(n.text[end-2], n.text[end-1])
			m.skip[pair] = min(m.skip[pair], uint8(minLength-end))
		}
		pair := pairOf(n.text[minLength-2], n.text[minLength-1])
		m.ending[pair] = append(m.ending[pair], i)
	}
}

func pairOf(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

func (m *Masker) empty() bool { return m == nil || len(m.needles) == 0 }

// Mask returns data with every value replaced, also where encoding/json has
// escaped it. Where values overlap, all they cover goes, and the marks of those
// that cover it stand in its place: no part of a value is left. Data is not
// changed, and returned itself if it holds no value. Of a JSON document only
// MaskJSON keeps the syntax in every case.
func (m *Masker) Mask(data []byte) []byte {
	if m.empty() {
		return data
	}
	if _, _, found := m.find(data, 0); !found {
		return data
	}
	var c cover
	c.run(m, data, len(data))
	return c.out
}

// MaskString is Mask for a string.
func (m *Masker) MaskString(text string) string {
	if m.empty() || len(text) < minLength {
		return text
	}
	data := []byte(text)
	if _, _, found := m.find(data, 0); !found {
		return text
	}
	return string(m.Mask(data))
}

// find returns the first place at or after from where a needle begins, and the
// longest needle that does.
func (m *Masker) find(data []byte, from int) (start int, n needle, found bool) {
	for end := from + minLength; end <= len(data); {
		pair := pairOf(data[end-2], data[end-1])
		if skip := int(m.skip[pair]); skip > 0 {
			end += skip
			continue
		}
		start = end - minLength
		for _, i := range m.ending[pair] {
			n = m.needles[i]
			if len(n.text) <= len(data)-start && string(data[start:start+len(n.text)]) == n.text {
				return start, n, true
			}
		}
		end++
	}
	return 0, needle{}, false
}

// cover writes text with marks in place of needles.
type cover struct {
	out  []byte
	done int    // how much of the text is dealt with: written, or marked
	last string // the newest mark
}

// run deals with data[c.done:cut], and with the needles that begin before cut
// to their ends.
func (c *cover) run(m *Masker, data []byte, cut int) {
	for from := 0; ; {
		start, n, found := m.find(data, from)
		if !found || start >= cut {
			break
		}
		c.hit(data, start, n)
		from = start + 1
	}
	if c.done < cut {
		c.out = append(c.out, data[c.done:cut]...)
		c.done = cut
	}
}

func (c *cover) hit(data []byte, start int, n needle) {
	end := start + len(n.text)
	switch {
	case end <= c.done: // inside of what is marked
		return
	case start >= c.done:
		c.out = append(append(c.out, data[c.done:start]...), n.mark...)
	case n.mark != c.last: // overlaps the end of what is marked
		c.out = append(c.out, n.mark...)
	}
	c.done, c.last = end, n.mark
}
