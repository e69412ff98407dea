package markdown

import (
	"strconv"
	"strings"
)

// Diff returns a unified diff in lines of at most Options.Width cells, each
// ended by a newline: coloured, with the characters marked that cannot be seen.
// The mark of the first column stays there; what is left of a line too long to
// fit goes on behind "↪". It is safe for concurrent use. Text that is no diff
// is shown as it is.
func Diff(unified string, o Options) string {
	d := &diff{page: newPage(o, len(unified))}
	for line := range strings.Lines(unified) {
		line = strings.TrimSuffix(line, "\n")
		mark, look := d.kind(line)
		d.write(line[len(mark):], mark, look)
	}
	return string(d.out)
}

// diff knows how many lines of the two texts a hunk still has, because a line
// taken away that begins with "--" looks like the head of a file.
type diff struct {
	page
	old, new int
}

// kind splits the mark off a line and tells how to show it.
func (d *diff) kind(line string) (mark string, s style) {
	if d.old <= 0 && d.new <= 0 {
		return "", d.outside(line)
	}
	switch {
	case line == "":
		d.old, d.new = d.old-1, d.new-1
		return "", plain
	case line[0] == '+':
		d.new--
		return "+", added
	case line[0] == '-':
		d.old--
		return "-", removed
	case line[0] == ' ':
		d.old, d.new = d.old-1, d.new-1
		return " ", plain
	}
	return "", d.outside(line)
}

// outside is the style of a line that no hunk holds.
func (d *diff) outside(line string) style {
	switch {
	case strings.HasPrefix(line, "@@ "):
		fields := strings.Fields(line)
		d.old, d.new = count(fields, 1, "-"), count(fields, 2, "+")
		return position
	case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return bold
	}
	return faint
}

// count is how many lines a hunk has of one text: "-12,7" has 7, "-12" one.
func count(fields []string, i int, sign string) int {
	if i >= len(fields) || !strings.HasPrefix(fields[i], sign) {
		return 0
	}
	if _, lines, ok := strings.Cut(fields[i], ","); ok {
		n, _ := strconv.Atoi(lines)
		return n
	}
	return 1
}

// write writes a line behind its mark.
func (d *diff) write(content, mark string, look style) {
	head := d.styled(mark, look)
	f := &flow{width: d.width - 1, color: d.color, keep: true, emit: func(row []byte, _ int) {
		d.line(append([]byte(head), row...))
		head = d.styled("↪", look)
	}}
	f.text([]byte(content), look)
	f.hardBreak()
}
