// Package markdown shows Markdown and diffs on a terminal, for a person who is
// about to decide on them. What is shown is laid out, but nothing is left out:
// raw HTML, link targets and definitions, and characters that cannot be seen
// are shown and marked, and text that no part of the layout would show is shown
// as it is written. No control character of the source reaches the terminal.
package markdown

import (
	"bytes"
	"slices"
)

const (
	defaultWidth = 80
	leastWidth   = 10
)

// Options say how to show a text. The zero value is 80 cells without colour.
type Options struct {
	// Width is the number of cells no line exceeds; 0 is 80, and less than 10
	// is 10.
	Width int
	// Color allows bold, dim, underlined text and four of the sixteen basic
	// colours. Without it marks of the source stand in for them.
	Color bool
}

func (o Options) width() int {
	if o.Width == 0 {
		return defaultWidth
	}
	return max(o.Width, leastWidth)
}

// Render returns source laid out in lines of at most Options.Width cells, each
// ended by a newline. Every line is styled on its own, so that a part of the
// result can be shown alone. It is safe for concurrent use; source is not
// changed. Time and memory grow in proportion to the source, whatever it holds.
func Render(source []byte, o Options) string {
	source = lineEnds(source)
	l := &layout{page: newPage(o, len(source))}
	front := frontMatter(source)
	if front > 0 {
		l.label("front matter")
		l.verbatim(source[:front], asWritten)
	}
	l.src = slices.Clip(source[front:])
	l.document()
	return string(l.out)
}

// lineEnds is source with newlines alone, and without the byte-order mark that
// some editors put first.
func lineEnds(source []byte) []byte {
	source = bytes.TrimPrefix(source, []byte("\ufeff"))
	if bytes.IndexByte(source, '\r') < 0 {
		return source
	}
	return bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n"))
}

// frontMatter is the length of a leading block between lines of three dashes
// (YAML) or plus signs (TOML), 0 if there is none.
func frontMatter(source []byte) int {
	at := lineEnd(source, 0)
	fence := string(bytes.TrimRight(source[:at], " \t\n"))
	if fence != "---" && fence != "+++" {
		return 0
	}
	for at < len(source) {
		end := lineEnd(source, at)
		line := string(bytes.TrimRight(source[at:end], " \t\n"))
		if line == fence || fence == "---" && line == "..." {
			return end
		}
		at = end
	}
	return 0
}

// lineEnd is where the line after the one at from begins.
func lineEnd(source []byte, from int) int {
	if i := bytes.IndexByte(source[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	return len(source)
}
