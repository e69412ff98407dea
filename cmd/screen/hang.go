package screen

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Hanging is how far the further rows of a line are indented by Screen.Line.
const Hanging = "    "

// hang lays lines out in rows of at most width cells (0: any), the further rows
// of a line indented. Lines are cleaned; colours of ours may be in them.
func hang(lines string, width int) string {
	if width == 0 {
		return lines
	}
	split := strings.Split(lines, "\n")
	for i, line := range split {
		if cellsIn(line) > width {
			split[i] = hangLine(line, width)
		}
	}
	return strings.Join(split, "\n")
}

func hangLine(line string, width int) string {
	var out strings.Builder
	col, gap := 0, 0 // gap: spaces to come before the next word
	next := func() {
		out.WriteString("\n" + Hanging)
		col, gap = len(Hanging), 0
	}
	for word := range strings.SplitAfterSeq(line, " ") {
		bare := strings.TrimSuffix(word, " ")
		cells := cellsIn(bare)
		if col+gap+cells > width && (cells <= width-len(Hanging) || col+gap >= width) {
			next()
		}
		if bare != "" {
			out.WriteString(strings.Repeat(" ", gap))
			col, gap = col+gap, 0
		}
		for bare != "" {
			code := colourAt(bare)
			out.WriteString(code)
			r, size := utf8.DecodeRuneInString(bare[len(code):])
			bare = bare[len(code)+size:]
			if size == 0 {
				break
			}
			n := runeCells(r)
			if n > 0 && col+n > width {
				next()
			}
			out.WriteRune(r)
			col += n
		}
		gap += len(word) - len(strings.TrimSuffix(word, " "))
	}
	return out.String()
}

// cellsIn is the width of a line with colours of ours in it.
func cellsIn(line string) int {
	if !strings.Contains(line, "\x1b") {
		return text.Width(line)
	}
	var bare strings.Builder
	for line != "" {
		at := strings.IndexByte(line, '\x1b')
		if at < 0 {
			bare.WriteString(line)
			break
		}
		bare.WriteString(line[:at])
		line = line[at+max(len(colourAt(line[at:])), 1):]
	}
	return text.Width(bare.String())
}

// colourAt is the colour code (SGR) s begins with, "" if there is none.
func colourAt(s string) string {
	if !strings.HasPrefix(s, "\x1b[") {
		return ""
	}
	return s[:strings.IndexByte(s, 'm')+1]
}
