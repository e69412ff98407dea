package terminal

import (
	"strings"
	"testing"
)

func TestHangRows(t *testing.T) {
	t.Parallel()
	const row = "\x1b[1;92m? \x1b[0m\x1b[1;99mYour choice \x1b[0m \x1b[36m[Use arrows to move, " + ourHint
	for name, tt := range map[string]struct {
		columns int
		want    string
	}{
		"it fits":                  {60, "? Your choice  [Use arrows to move, Enter confirms]"},
		"between words":            {40, "? Your choice  [Use arrows to move,\nEnter confirms]"},
		"in three rows":            {20, "? Your choice  [Use\narrows to move,\nEnter confirms]"},
		"one row more than before": {17, "? Your choice  [Use arrows to move, Enter confirms]"},
	} {
		got := withoutSequences(hangRows("above\n"+row+"\x1b[0m\n> Decide later\n", ourHint, tt.columns))
		if want := "above\n" + tt.want + "\n> Decide later\n"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := hangRows("? Your choice\x1b[36m 1. one two three\x1b[0m\n", ourHint, 20); got != "? Your choice\x1b[36m 1. one\n    two three\x1b[0m\n" {
		t.Errorf("an answer: %q", got)
	}
	if got := hangRows(row, ourHint, 40); strings.Count(got, "\x1b") != strings.Count(row, "\x1b") {
		t.Errorf("colours are lost: %q", got)
	}
}
