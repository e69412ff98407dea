package screen

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Table is text in columns, measured in terminal cells.
type Table struct {
	Head   []string
	Widest []int // most cells of each column; as many as Head has
	rows   [][]string
}

// Add takes a row in, a cell for each column. Cells are cleaned: they may hold
// anybody's words.
func (t *Table) Add(cells ...string) {
	for i, c := range cells {
		cells[i] = text.Field(c, t.Widest[i])
	}
	t.rows = append(t.rows, cells)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Print writes the table. width is that of the terminal, 0 for none; the last
// column is cut to it.
func (t *Table) Print(w io.Writer, width int) {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], text.Width(c))
		}
	}
	for _, row := range append([][]string{t.Head}, t.rows...) {
		var line strings.Builder
		for i, c := range row {
			line.WriteString(text.Pad(c, widths[i]) + "  ")
		}
		out := strings.TrimRight(line.String(), " ")
		if width > 0 {
			out = text.Truncate(out, width)
		}
		fmt.Fprintln(w, out)
	}
}
