package terminal

import (
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// choosing is the terminal as survey writes to it.
type choosing struct {
	*Console
	plain bool
	hint  string
	list  string // as it was drawn last
	drawn bool   // the list is; the cursor stands in it
	below int    // lines of the list below the cursor
}

func (c *choosing) Fd() uintptr { return c.out.Fd() }

// survey says in its hint that letters filter the list; here they do nothing.
// The words put there are as long as its own: it counts rows by them.
const (
	surveysHint = "type to filter]"
	ourHint     = "Enter confirms]"
	readHint    = "? shows it all]"
)

// What survey moves the cursor with, each in a Write of its own.
const (
	cursorUp      = "\x1b[1A"
	saveCursor    = "\x1b7"
	restoreCursor = "\x1b8"
)

// Write implements io.Writer. survey writes a list at once, and its colours
// whatever our flags say. It lets the terminal remember where the list ends, as
// a row of the screen: in a terminal that was resized another row stands there,
// so the way back is counted here.
func (c *choosing) Write(b []byte) (int, error) {
	switch string(b) {
	case saveCursor:
		c.drawn, c.below = true, 0
		return len(b), nil
	case restoreCursor:
		return len(b), c.goToEnd()
	case cursorUp:
		if c.drawn && c.below == strings.Count(c.list, "\n") { // survey counts choices that are not shown
			return len(b), nil
		}
		c.below++
	}
	s := string(b)
	if strings.Contains(s, "\n") {
		columns, _ := c.size()
		s = hangRows(strings.Replace(s, surveysHint, c.hint, 1), c.hint, columns)
		c.list = withoutColours(s)
	}
	if c.plain {
		s = withoutColours(s)
	}
	_, err := c.out.WriteString(s)
	return len(b), err
}

// goToEnd puts the cursor below the list, if it stands in it.
func (c *choosing) goToEnd() error {
	lines := strings.SplitAfter(strings.TrimSuffix(c.list, "\n"), "\n")
	down := c.rowsOf(strings.Join(lines[max(0, len(lines)-c.below):], ""))
	leave := c.drawn && c.below > 0
	c.drawn, c.below = false, 0
	if !leave {
		return nil
	}
	_, err := fmt.Fprintf(c.out, "\x1b[%dB\r", down)
	return err
}

// rowsOf is how many rows lines take: a terminal that has become narrower has
// wrapped them.
func (c *choosing) rowsOf(lines string) int {
	columns, _ := c.size()
	n := 0
	for line := range strings.Lines(lines) {
		n += max((text.Width(strings.TrimSuffix(line, "\n"))-1)/columns, 0) + 1
	}
	return n
}

// erase takes the list above the cursor away, as far as the terminal still has
// it.
func (c *choosing) erase() {
	_, rows := c.size()
	if up := min(c.rowsOf(c.list), rows-1); up > 0 {
		_, _ = fmt.Fprintf(c.out, "\r\x1b[%dA\x1b[J", up) // a terminal that is gone is noticed by the next read
	}
}

// withoutColours takes the colour sequences out of what survey writes.
func withoutColours(s string) string {
	var b strings.Builder
	for {
		at := strings.Index(s, "\x1b[")
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		size := escapeSize([]byte(s[at:]))
		b.WriteString(s[:at])
		if s[at+size-1] != 'm' {
			b.WriteString(s[at : at+size])
		}
		s = s[at+size:]
	}
}

// hangRows breaks the row that ends with hint between words, where the terminal
// would break it within one; not if that took more rows, for survey counts them.
// Without a hint in it s is the answer, which is broken wherever it has to be.
func hangRows(s, hint string, columns int) string {
	before, below, found := strings.Cut(s, hint)
	if !found {
		answer, _ := hangRow(s, "    ", columns)
		return answer
	}
	above, row := "", before+hint
	if at := strings.LastIndexByte(before, '\n'); at >= 0 {
		above, row = before[:at+1], row[at+1:]
	}
	hung, rows := hangRow(row, "", columns)
	if rows != (text.Width(withoutSequences(row))+columns-1)/columns {
		return s
	}
	return above + hung + below
}

// hangRow breaks a row between words; the further rows of it begin with indent.
func hangRow(row, indent string, columns int) (hung string, rows int) {
	var b strings.Builder
	rows, used := 1, 0
	for i, word := range strings.Split(row, " ") {
		cells := text.Width(withoutSequences(word))
		switch {
		case i == 0:
		case used+1+cells > columns:
			b.WriteString("\n" + indent)
			rows, used = rows+1, len(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += cells
	}
	return b.String(), rows
}

// withoutSequences takes all that a terminal obeys out of what survey writes.
func withoutSequences(s string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(s, 0x1b)
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:at])
		s = s[at+escapeSize([]byte(s[at:])):]
	}
}
