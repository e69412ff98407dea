package markdown

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

const (
	gapCells   = 3       // between two columns, for a bar
	leastCells = 6       // a column narrower than this is no column
	unbounded  = 1 << 30 // cells of a line that is not broken
)

// table is a table whose cells are laid out once without bounds, to see how
// wide the columns would be.
type table struct {
	head    row
	rows    []row
	columns []column
}

type column struct {
	natural int // cells of the widest cell
	longest int // cells of the longest word
	width   int // cells it gets
	align   extast.Alignment
}

type row struct {
	node   ast.Node
	cells  []cell
	hidden []byte // source of cells that have no column
}

type cell struct {
	from  coverage // what was accounted for before it
	lines []string
	cells []int
}

func (l *layout) table(n *extast.Table) {
	t := &table{columns: make([]column, len(n.Alignments))}
	for i, a := range n.Alignments {
		t.columns[i].align = a
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r := l.measure(t, c)
		if c.Kind() == extast.KindTableHeader {
			t.head = r
		} else {
			t.rows = append(t.rows, r)
		}
	}
	if !t.fit(l.room()) {
		l.records(t)
		return
	}
	l.grid(t)
}

// measure lays out the cells of a row without bounds.
func (l *layout) measure(t *table, n ast.Node) row {
	l.leftOver(n.Pos())
	r := row{node: n}
	i := 0
	for c := n.FirstChild(); c != nil && i < len(t.columns); c = c.NextSibling() {
		laid, longest := l.cell(c, unbounded, t.headStyle(n))
		col := &t.columns[i]
		col.longest = max(col.longest, longest)
		for _, cells := range laid.cells {
			col.natural = max(col.natural, cells)
		}
		r.cells = append(r.cells, laid)
		i++
	}
	if n.Pos() >= 0 {
		r.hidden = l.hidden(lineEnd(l.src, n.Pos()))
	}
	return r
}

func (t *table) headStyle(n ast.Node) style {
	if n.Kind() == extast.KindTableHeader {
		return bold
	}
	return plain
}

// cell lays out one cell.
func (l *layout) cell(n ast.Node, width int, s style) (c cell, longest int) {
	c.from = coverage{l.upTo, bytes.Clone(l.told)}
	f := l.flowTo(width, func(line []byte, cells int) {
		c.lines = append(c.lines, string(line))
		c.cells = append(c.cells, cells)
	})
	l.inline(f, n, s)
	f.end()
	return c, f.longest
}

// fit shares room between the columns: each gets what its longest word needs,
// then the rest goes to those that need more. It reports false where no column
// would be wide enough to be read.
func (t *table) fit(room int) bool {
	room -= gapCells * (len(t.columns) - 1)
	least, natural := 0, 0
	for _, c := range t.columns {
		least += c.longest
		natural += c.natural
	}
	if natural <= room {
		t.share(room, func(column) int { return 0 })
		return true
	}
	if least <= room {
		t.share(room, func(c column) int { return c.longest })
		return true
	}
	t.share(room, func(column) int { return 0 })
	for _, c := range t.columns {
		if c.width < min(c.natural, leastCells) {
			return false
		}
	}
	return true
}

// share gives each column its least, and then all the same until they have
// what they need or the room is used up.
func (t *table) share(room int, least func(column) int) {
	for i := range t.columns {
		t.columns[i].width = least(t.columns[i])
		room -= t.columns[i].width
	}
	level := sort.Search(t.widest()+1, func(level int) bool { return t.wanted(level+1) > room })
	for i := range t.columns {
		c := &t.columns[i]
		grow := max(0, min(c.natural, level)-c.width)
		c.width += grow
		room -= grow
	}
	for i := range t.columns {
		if c := &t.columns[i]; room > 0 && c.width < c.natural {
			c.width++
			room--
		}
	}
}

func (t *table) widest() (w int) {
	for _, c := range t.columns {
		w = max(w, c.natural)
	}
	return w
}

// wanted is how many cells more it takes to raise all columns to level.
func (t *table) wanted(level int) (sum int) {
	for _, c := range t.columns {
		sum += max(0, min(c.natural, level)-c.width)
	}
	return sum
}

// grid writes rows of columns.
func (l *layout) grid(t *table) {
	l.row(t, t.head)
	var rule []string
	for _, c := range t.columns {
		rule = append(rule, strings.Repeat("─", c.width))
	}
	l.line([]byte(l.styled(strings.Join(rule, "─┼─"), faint)))
	for _, r := range t.rows {
		l.row(t, r)
	}
}

func (l *layout) row(t *table, r row) {
	height := 1
	now := l.coverage
	for i, n := 0, r.node.FirstChild(); i < len(r.cells); i, n = i+1, n.NextSibling() {
		if !r.cells[i].within(t.columns[i].width) {
			l.coverage = r.cells[i].from
			r.cells[i], _ = l.cell(n, t.columns[i].width, t.headStyle(r.node))
		}
		height = max(height, len(r.cells[i].lines))
	}
	l.coverage = now
	between := l.styled(" │", faint) + " "
	var line []byte
	for y := range height {
		line = line[:0]
		for i, c := range t.columns {
			if i > 0 {
				line = append(line, between...)
			}
			line = r.cell(i).appendLine(line, y, c)
		}
		l.line(line)
	}
	l.dropped(r)
}

func (r row) cell(i int) cell {
	if i < len(r.cells) {
		return r.cells[i]
	}
	return cell{}
}

func (c cell) within(width int) bool {
	for _, cells := range c.cells {
		if cells > width {
			return false
		}
	}
	return true
}

// appendLine appends a line of the cell, padded to the column.
func (c cell) appendLine(b []byte, y int, col column) []byte {
	content, cells := "", 0
	if y < len(c.lines) {
		content, cells = c.lines[y], c.cells[y]
	}
	pad := max(0, col.width-cells)
	left := 0
	switch col.align {
	case extast.AlignRight:
		left = pad
	case extast.AlignCenter:
		left = pad / 2
	}
	b = append(b, strings.Repeat(" ", left)...)
	b = append(b, content...)
	return append(b, strings.Repeat(" ", pad-left)...)
}

// dropped writes the text of a row that has no column.
func (l *layout) dropped(r row) {
	if r.hidden == nil {
		return
	}
	f := l.flow()
	f.text([]byte("[hidden: "), warning)
	f.text(r.hidden, warning)
	f.text([]byte("]"), warning)
	f.end()
}

// records writes each row as lines of "header: cell", for tables with more
// columns than fit beside each other.
func (l *layout) records(t *table) {
	if len(t.rows) == 0 {
		t.rows = append(t.rows, row{node: extast.NewTableRow(nil)})
	}
	for i, r := range t.rows {
		if i > 0 {
			l.line([]byte(l.styled("─", faint)))
		}
		l.record(t, r)
	}
	l.dropped(t.head)
}

func (l *layout) record(t *table, r row) {
	now := l.coverage
	head, value := t.head.node.FirstChild(), r.node.FirstChild()
	for i := range t.columns {
		f := l.flow()
		if i < len(t.head.cells) {
			l.coverage = t.head.cells[i].from
			l.inline(f, head, bold)
			head = head.NextSibling()
		}
		f.text([]byte(": "), bold)
		if i < len(r.cells) {
			l.coverage = r.cells[i].from
			l.inline(f, value, plain)
			value = value.NextSibling()
		}
		f.end()
	}
	l.coverage = now
	l.dropped(r)
}
