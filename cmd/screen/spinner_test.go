package screen

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// turning is a spinner whose turns a test makes.
func turning(t *testing.T, w *strings.Builder) (s *Spinner, turn func(), now *time.Time) {
	t.Helper()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	ticks := make(chan time.Time)
	s = &Spinner{
		w: w, width: func() int { return 30 }, now: func() time.Time { return at },
		ticks: func() (<-chan time.Time, func()) { return ticks, func() {} },
	}
	t.Cleanup(s.End)
	return s, func() {
		ticks <- at
		ticks <- at // taken once the one before was drawn
	}, &at
}

func TestSpinner(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s, turn, now := turning(t, &out)
	s.Show("asking demo")
	if out.Len() > 0 {
		t.Errorf("drew before its first turn: %q", out.String())
	}
	turn()
	s.Rest()
	if got := out.String(); !strings.HasPrefix(got, "\r⠙ asking demo\x1b[K") || !strings.HasSuffix(got, "\r\x1b[K") || strings.Contains(got, "\n") {
		t.Errorf("drew %q", got)
	}
	out.Reset()
	turn()
	s.Rest()
	if out.Len() > 0 {
		t.Errorf("drew at rest: %q", out.String())
	}
	s.Show("shell " + strings.Repeat("x", 50) + "\x1b[31m\nnext")
	s.mu.Lock() // a turn may be under way
	*now = now.Add(3 * time.Second)
	s.mu.Unlock()
	turn()
	s.End()
	if got := out.String(); strings.ContainsAny(got, "\n") || strings.Contains(got, "[31m") || !strings.Contains(got, "…  3s\x1b[K") {
		t.Errorf("drew %q", got)
	}
	s.End()
	s.Show("again")
	turn()
}

// A row that wraps could not be taken back: each turn would push the screen up.
func TestSpinner_fitsAnyTerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{1, 2, 3, 5, 10, 19} {
		var out strings.Builder
		s, turn, now := turning(t, &out)
		on := Screen{TTY: true, Columns: func() int { return columns }}
		s.width = on.cells
		s.Show("shell sleep 60")
		s.mu.Lock() // a turn may be under way
		*now = now.Add(61 * time.Second)
		s.mu.Unlock()
		turn()
		s.End()
		for _, row := range strings.Split(strings.ReplaceAll(out.String(), eraseRest, ""), "\r") {
			if w := text.Width(row); w >= max(columns, 2) {
				t.Errorf("%d cells in a terminal of %d: %q", w, columns, row)
			}
		}
	}
}

func TestSpinner_none(t *testing.T) {
	t.Parallel()
	var none *Spinner
	none.Show("x")
	none.Rest()
	none.End()
}
