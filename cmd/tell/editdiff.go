package tell

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// editDiff is what a call changed in a file, as its arguments tell: the old and
// the new text of each edit. Places in the file are not known.
type editDiff struct {
	hunks          [][]string // lines behind their marks
	added, removed int
	replaced       bool // another text was there before, which is not known
}

// diffOfCall returns the changes of a call of edit_file or write_file that was
// done, nil for any other.
func diffOfCall(p agent.ResultPayload) *editDiff {
	if p.Result.IsError || len(p.Result.Changes) == 0 {
		return nil
	}
	d := diffOfArgs(p.ToolName, p.Args)
	if d != nil {
		d.replaced = p.ToolName == "write_file" && p.Result.Changes[0].Before != ""
	}
	return d
}

// diffOfArgs returns what a call with these arguments would change.
func diffOfArgs(tool string, raw json.RawMessage) *editDiff {
	var args struct {
		Content *string `json:"content"`
		Edits   []struct {
			OldText string `json:"oldText"`
			NewText string `json:"newText"`
		} `json:"edits"`
	}
	if json.Unmarshal(raw, &args) != nil {
		return nil
	}
	d := &editDiff{}
	switch {
	case tool == "write_file" && args.Content != nil:
		d.write(*args.Content)
	case tool == "edit_file" && len(args.Edits) > 0:
		for _, e := range args.Edits {
			d.edit(e.OldText, e.NewText)
		}
	default:
		return nil
	}
	return d
}

// write notes the new text of a whole file.
func (d *editDiff) write(content string) {
	var lines []string
	for line := range strings.Lines(content) {
		lines = append(lines, "+"+strings.TrimRight(line, "\r\n"))
	}
	if d.added = len(lines); d.added > 0 {
		d.hunks = append(d.hunks, lines)
	}
}

// edit notes what takes the place of what.
func (d *editDiff) edit(before, after string) {
	before, after = wholeLines(before), wholeLines(after)
	unified, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil { // cannot be: the edits are those of this text
		return
	}
	for _, h := range unified.Hunks {
		var lines []string
		for _, l := range h.Lines {
			mark := " "
			switch l.Kind {
			case udiff.Insert:
				mark = "+"
				d.added++
			case udiff.Delete:
				mark = "-"
				d.removed++
			}
			lines = append(lines, mark+strings.TrimSuffix(l.Content, "\n"))
		}
		d.hunks = append(d.hunks, lines)
	}
}

// wholeLines ends the last line: an edit may end inside one.
func wholeLines(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return strings.ReplaceAll(s, "\r\n", "\n")
}

// count is how much changed, in lines.
func (d *editDiff) count() string {
	if d.replaced {
		return fmt.Sprintf("%d %s, replaced", d.added, text.Plural(d.added, "line", "lines"))
	}
	return fmt.Sprintf("+%d −%d", d.added, d.removed)
}

// diffRows is how many rows of a diff are shown unless all are asked for.
const diffRows = 40

// print shows the diff behind a bar, at most so many rows (0: all).
func (d *editDiff) print(on *screen.Screen, most int) {
	if cut := on.SetOffHunks(d.hunks, most); cut {
		on.Line(on.Look.Faint("    … more (-v shows all)"))
	}
}
