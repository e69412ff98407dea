package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// fileMatches is what a search found in one file.
type fileMatches struct {
	count  int     // of the lines that match
	blocks []block // of the first of them
	large  bool    // the file was too large to be searched
}

// block is a match as it is shown, with the lines around it that the blocks
// before it do not show.
type block struct {
	text  string
	apart bool // lines are left out before it
}

// budget is what the files searched by one goroutine at once have made to be
// shown. More than what one result can show is counted only.
type budget struct{ matches, bytes int }

func (b *budget) left() bool { return b.matches < maxMatches && b.bytes <= maxMatched }

func isBinary(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 }

// line is a line of a file, without its end.
type line struct {
	number     int // from 0
	start, end int
	column     int // where in it the match begins
}

// file searches a file's lines; when ctx ends, only as far as it got.
func (s *search) file(ctx context.Context, rel string, data []byte, spent *budget) fileMatches {
	var m fileMatches
	var shown []line
	if len(data) == 0 {
		return m
	}
	data = bytes.TrimSuffix(data, []byte("\n"))
	c := finder{search: s, ctx: ctx, data: data}
	for l, ok := c.next(); ok; l, ok = c.next() {
		m.count++
		if spent.left() {
			spent.matches++
			spent.bytes += min(l.end-l.start, maxMatchLine)
			shown = append(shown, c.numbered(l))
		}
	}
	m.blocks = s.show(rel, data, shown)
	return m
}

// finder goes through the lines of a file that match.
type finder struct {
	*search
	ctx     context.Context //nolint:containedctx // lives as long as the search of one file
	data    []byte
	at      int // where the next line begins; past the end: no more
	hits    []int
	counted line // the newest line whose number is known
}

// next returns the next line that matches, its number not yet known.
func (c *finder) next() (line, bool) {
	for c.at <= len(c.data) && c.ctx.Err() == nil {
		from, hit := c.at, 0
		if c.needles != nil {
			if hit = c.hit(from); hit < 0 {
				break
			}
			from += bytes.LastIndexByte(c.data[from:hit], '\n') + 1
		}
		l := line{start: from, end: lineEnd(c.data, from)}
		c.at = l.end + 1
		if c.exact {
			l.column = hit - from
			return l, true
		}
		if at := c.re.FindIndex(bytes.TrimSuffix(c.data[l.start:l.end], []byte("\r"))); at != nil {
			l.column = at[0]
			return l, true
		}
	}
	c.at = len(c.data) + 1
	return line{}, false
}

// hit is where the next needle lies, negative if there is none.
func (c *finder) hit(from int) int {
	if c.hits == nil {
		c.hits = make([]int, len(c.needles))
		for i := range c.hits {
			c.hits[i] = -1
		}
	}
	first := -1
	for i := range c.needles {
		if c.hits[i] < from {
			c.hits[i] = len(c.data) // none, if it stays so
			if at := c.needles[i].index(c.data[from:]); at >= 0 {
				c.hits[i] = from + at
			}
		}
		if c.hits[i] < len(c.data) && (first < 0 || c.hits[i] < first) {
			first = c.hits[i]
		}
	}
	return first
}

// numbered adds the number of a line, which lies after the one before.
func (c *finder) numbered(l line) line {
	l.number = c.counted.number + bytes.Count(c.data[c.counted.start:l.start], []byte("\n"))
	c.counted = l
	return l
}

func lineEnd(data []byte, start int) int {
	if n := bytes.IndexByte(data[start:], '\n'); n >= 0 {
		return start + n
	}
	return len(data)
}

// show makes blocks of matches and the lines around them. Of context that two
// matches share, and that is itself a match, each line is shown once.
func (s *search) show(rel string, data []byte, matches []line) []block {
	blocks := make([]block, len(matches))
	next := 0 // the number of the first line not shown yet
	for i, at := range matches {
		to := at.number + s.around
		if i+1 < len(matches) {
			to = min(to, matches[i+1].number-1)
		}
		var b strings.Builder
		first := before(data, at, at.number-max(at.number-s.around, next))
		l := first
		for l.number <= to {
			mark, column := "-", 0
			if l.number == at.number {
				mark, column = ":", at.column
			}
			fmt.Fprintf(&b, "%s%s%d%s %s\n", printable(rel), mark, l.number+1, mark, excerpt(data[l.start:l.end], column))
			if l.end == len(data) {
				break
			}
			l = line{number: l.number + 1, start: l.end + 1, end: lineEnd(data, l.end+1)}
		}
		blocks[i] = block{text: b.String(), apart: s.around > 0 && (next == 0 || first.number > next)}
		next = max(next, min(to, l.number)+1)
	}
	return blocks
}

// before is the line n lines before l.
func before(data []byte, l line, n int) line {
	for range n {
		end := l.start - 1
		l = line{number: l.number - 1, start: bytes.LastIndexByte(data[:end], '\n') + 1, end: end}
	}
	return l
}

// excerpt is a line, or the part of a long one around a column.
func excerpt(line []byte, column int) string {
	text := strings.ToValidUTF8(strings.TrimSuffix(string(line), "\r"), "\ufffd")
	if len(text) <= maxMatchLine {
		return text
	}
	// Replaced bytes may have moved the column; it only has to be near.
	start := len(clip(text, min(len(text), max(0, column-maxMatchLine/4))))
	part := clip(text[start:], maxMatchLine)
	head, tail := "", ""
	if start > 0 {
		head = "… "
	}
	if start+len(part) < len(text) {
		tail = " …"
	}
	return head + part + tail
}
