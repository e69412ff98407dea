package cmd

import (
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// hanging is how far the further rows of a line are indented.
const hanging = "    "

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
	col := 0
	next := func() {
		out.WriteString("\n" + hanging)
		col = len(hanging)
	}
	for _, word := range strings.SplitAfter(line, " ") {
		cells := cellsIn(strings.TrimSuffix(word, " "))
		if col > len(hanging) && col+cells > width && cells <= width-len(hanging) {
			next()
		}
		for len(word) > 0 {
			if code := colourAt(word); code != "" {
				out.WriteString(code)
				word = word[len(code):]
				continue
			}
			r := []rune(word[:min(len(word), 4)])[0]
			n := runeCells(r)
			if r == ' ' && col >= width {
				break // the end of the row stands for it
			}
			if n > 0 && col+n > width {
				next()
			}
			out.WriteRune(r)
			col += n
			word = word[len(string(r)):]
		}
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
