package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// line is a text being typed. survey's Input does not do for it: it waits for
// ever on terminals that do not answer ESC[6n, and takes the first newline of a
// paste for Enter. So this one never asks the terminal where it stands: it
// draws one row, and long text scrolls in it.
type line struct {
	text []rune
	at   int // where the cursor stands
}

// Line lets a person type a text, beginning with before. Newlines in it were
// pasted. edit says that the person wants an editor for what is typed so far.
// The error is ErrLeft.
func (c *Console) Line(ctx context.Context, before string) (typed string, edit bool, err error) {
	l := &line{text: []rune(before)}
	l.at = len(l.text)
	for {
		if typed, edit, err = c.lineOnce(ctx, l); !again(err) {
			return typed, edit, err
		}
	}
}

// lineOnce is Line until the line has to be drawn anew; see again.
func (c *Console) lineOnce(ctx context.Context, l *line) (typed string, edit bool, err error) {
	s, err := c.sit(ctx)
	if err != nil {
		return "", false, ErrLeft
	}
	defer s.close()
	for {
		c.drawLine(l)
		keys, err := s.burst()
		switch {
		case errors.Is(err, errStop):
			c.eraseLine()
			return "", false, err
		case errors.Is(err, errContinued):
			return "", false, err
		case err != nil || leavesLine(keys, len(l.text) == 0):
			c.endLine(l)
			return "", false, ErrLeft
		}
		last := ordered(keys)
		if last != keyOther {
			keys = keys[:len(keys)-1]
		}
		for _, k := range keys {
			l.press(k)
		}
		if last != keyOther {
			c.endLine(l)
			return string(l.text), last == keyEditor, nil
		}
	}
}

// ordered returns the key that ends the line, Enter or the one for the editor,
// if keys end with it; keyOther if not. Several newlines at once are a paste
// even from a terminal that does not mark one.
func ordered(keys []key) keyCode {
	enters := 0
	for _, k := range keys {
		if k.code == keyEnter && !k.pasted {
			enters++
		}
	}
	if len(keys) == 0 || enters > 1 {
		return keyOther
	}
	switch last := keys[len(keys)-1]; {
	case last.pasted:
	case last.code == keyEnter, last.code == keyEditor && enters == 0:
		return last.code
	}
	return keyOther
}

// leavesLine is leaves for a line: Ctrl-D behind words is a slip, as in a shell.
func leavesLine(keys []key, empty bool) bool {
	if !empty {
		keys = slices.DeleteFunc(slices.Clone(keys), func(k key) bool { return k.code == keyEnd })
	}
	return leaves(keys)
}

// press changes the line as a key says.
func (l *line) press(k key) {
	switch k.code {
	case keyChar:
		l.insert(k.char)
	case keyEnter:
		l.insert('\n')
	case keyBackspace:
		l.cut(l.at-1, l.at)
	case keyDelete:
		l.cut(l.at, l.at+1)
	case keyLeft:
		l.at = max(l.at-1, 0)
	case keyRight:
		l.at = min(l.at+1, len(l.text))
	case keyFirst:
		l.at = 0
	case keyLast:
		l.at = len(l.text)
	case keyKillLine:
		l.cut(0, l.at)
	case keyKillRest:
		l.cut(l.at, len(l.text))
	case keyKillWord:
		l.cut(l.wordBefore(), l.at)
	}
}

func (l *line) insert(r rune) {
	l.text = slices.Insert(l.text, l.at, r)
	l.at++
}

// cut takes out the characters from one place to another; there may be none.
func (l *line) cut(from, to int) {
	from, to = max(from, 0), min(to, len(l.text))
	if from < to {
		l.text = slices.Delete(l.text, from, to)
		l.at = from
	}
}

// wordBefore is where the word before the cursor begins.
func (l *line) wordBefore() int {
	i := l.at
	for i > 0 && unicode.IsSpace(l.text[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(l.text[i-1]) {
		i--
	}
	return i
}

const lineMark = "› "

// drawLine draws the row the cursor stands in.
func (c *Console) drawLine(l *line) {
	columns, _ := c.size()
	row, back := l.row(columns - text.Width(lineMark) - 1)
	out := "\r\x1b[K" + lineMark + row
	if back > 0 {
		out += fmt.Sprintf("\x1b[%dD", back)
	}
	_, _ = c.out.WriteString(out) // a terminal that is gone is noticed by the next read
}

// eraseLine takes the row away.
func (c *Console) eraseLine() { _, _ = c.out.WriteString("\r\x1b[K") } // likewise

// endLine leaves the whole text where the row was.
func (c *Console) endLine(l *line) {
	shown := strings.ReplaceAll(text.Clean(string(l.text)), "\n", "\n  ")
	_, _ = c.out.WriteString("\r\x1b[K" + lineMark + shown + "\n") // likewise
}

// row returns the part of the text that fits in width cells with the cursor in
// it, and how many cells of it stand behind the cursor.
func (l *line) row(width int) (row string, back int) {
	cells := make([]string, len(l.text))
	for i, r := range l.text {
		cells[i] = onRow(r)
	}
	first, used := l.at, 0
	for first > 0 && used+text.Width(cells[first-1]) <= width {
		first--
		used += text.Width(cells[first])
	}
	end := l.at
	for end < len(cells) && used+text.Width(cells[end]) <= width {
		used += text.Width(cells[end])
		back += text.Width(cells[end])
		end++
	}
	return strings.Join(cells[first:end], ""), back
}

// onRow is how one character stands in a row.
func onRow(r rune) string {
	switch r {
	case '\n':
		return "⏎"
	case '\t':
		return " "
	}
	return text.Clean(string(r))
}
