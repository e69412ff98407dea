package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// table is text in columns, measured in terminal cells.
type table struct {
	head   []string
	widest []int // most cells of each column
	rows   [][]string
}

// add takes a row in. Cells are cleaned: they may hold anybody's words.
func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = oneLine(c, t.widest[i])
	}
	t.rows = append(t.rows, cells)
}

// print writes the table. width is that of the terminal, 0 for none; the last
// column is cut to it.
func (t *table) print(w io.Writer, width int) {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], text.Width(c))
		}
	}
	for _, row := range append([][]string{t.head}, t.rows...) {
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
