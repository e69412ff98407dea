package screen

import (
	"fmt"
	"strings"
)

// SetOffHunks prints the hunks of a diff behind the bar of SetOff, at most so
// many rows (0: all), and reports whether that left any out. A hunk is lines
// behind their marks (' ', '+', '-'); where it stands is not told.
func (s *Screen) SetOffHunks(hunks [][]string, most int) (cut bool) {
	var rows []string
	for i, lines := range hunks {
		if i > 0 {
			rows = append(rows, string(s.Look.Faint("⋯"))+"\n")
		}
		if most > 0 && len(lines) > most {
			lines, cut = lines[:most], true
		}
		rows = append(rows, s.hunk(lines)...)
		if most > 0 && len(rows) > most {
			rows, cut = rows[:most], true
			break
		}
	}
	s.SetOffInk(Ink(strings.Join(rows, "")))
	return cut
}

// hunk lays out a hunk without the line that says where it is: the lines of an
// edit are counted from its own beginning, which would mislead.
func (s *Screen) hunk(lines []string) []string {
	width := s.Inside()
	if !s.TTY {
		width = 1 << 20
	}
	head := fmt.Sprintf("@@ -1,%d +1,%d @@\n", len(lines), len(lines)) // lines of either kind are within
	rows := strings.SplitAfter(string(s.Look.Diff(head+strings.Join(lines, "\n")+"\n", width)), "\n")
	heads := strings.Count(string(s.Look.Diff(head, width)), "\n")
	return rows[heads : len(rows)-1]
}
