package cmd

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// turning is a spinner whose turns a test makes.
func turning(t *testing.T, w *strings.Builder) (s *spinner, turn func(), now *time.Time) {
	t.Helper()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	ticks := make(chan time.Time)
	s = &spinner{
		w: w, width: func() int { return 30 }, now: func() time.Time { return at },
		ticks: func() (<-chan time.Time, func()) { return ticks, func() {} },
	}
	t.Cleanup(s.end)
	return s, func() {
		ticks <- at
		ticks <- at // taken once the one before was drawn
	}, &at
}

func TestSpinner(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s, turn, now := turning(t, &out)
	s.show("asking demo")
	if out.Len() > 0 {
		t.Errorf("drew before its first turn: %q", out.String())
	}
	turn()
	s.rest()
	if got := out.String(); !strings.HasPrefix(got, "\r⠙ asking demo\x1b[K") || !strings.HasSuffix(got, "\r\x1b[K") || strings.Contains(got, "\n") {
		t.Errorf("drew %q", got)
	}
	out.Reset()
	turn()
	s.rest()
	if out.Len() > 0 {
		t.Errorf("drew at rest: %q", out.String())
	}
	s.show("shell " + strings.Repeat("x", 50) + "\x1b[31m\nnext")
	s.mu.Lock() // a turn may be under way
	*now = now.Add(3 * time.Second)
	s.mu.Unlock()
	turn()
	s.end()
	if got := out.String(); strings.ContainsAny(got, "\n") || strings.Contains(got, "[31m") || !strings.Contains(got, "…  3s\x1b[K") {
		t.Errorf("drew %q", got)
	}
	s.end()
	s.show("again")
	turn()
}

// A row that wraps could not be taken back: each turn would push the screen up.
func TestSpinner_fitsAnyTerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{1, 2, 3, 5, 10, 19} {
		var out strings.Builder
		s, turn, now := turning(t, &out)
		on := screen{tty: true, columns: func() int { return columns }}
		s.width = on.cells
		s.show("shell sleep 60")
		s.mu.Lock() // a turn may be under way
		*now = now.Add(61 * time.Second)
		s.mu.Unlock()
		turn()
		s.end()
		for _, row := range strings.Split(strings.ReplaceAll(out.String(), eraseRest, ""), "\r") {
			if w := text.Width(row); w >= max(columns, 2) {
				t.Errorf("%d cells in a terminal of %d: %q", w, columns, row)
			}
		}
	}
}

func TestNewSpinner(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env  map[string]string
		g    globals
		tty  bool
		want bool
	}{
		"terminal": {tty: true, want: true, env: map[string]string{"TERM": "xterm"}},
		"pipe":     {env: map[string]string{"TERM": "xterm"}},
		"dumb":     {tty: true, env: map[string]string{"TERM": "dumb"}},
		"quiet":    {tty: true, g: globals{Quiet: true}, env: map[string]string{"TERM": "xterm"}},
		"Actions":  {tty: true, env: map[string]string{"TERM": "xterm", "GITHUB_ACTIONS": "true"}},
	} {
		s := &streams{Env: func(n string) string { return tt.env[n] }}
		on := newScreen(s, &tt.g, &strings.Builder{}, tt.tty)
		if got := newSpinner(s, &tt.g, on); (got != nil) != tt.want {
			t.Errorf("%s: spinner %v", name, got)
		}
	}
	var none *spinner
	none.show("x")
	none.rest()
	none.end()
}

func TestNewPalette(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env  map[string]string
		g    globals
		tty  bool
		want bool
	}{
		"terminal":      {tty: true, want: true},
		"pipe":          {},
		"--no-color":    {tty: true, g: globals{NoColor: true}},
		"NO_COLOR":      {tty: true, env: map[string]string{"NO_COLOR": "1"}},
		"NO_COLOR none": {tty: true, env: map[string]string{"NO_COLOR": ""}, want: true},
		"dumb":          {tty: true, env: map[string]string{"TERM": "dumb"}},
		"Actions":       {tty: true, env: map[string]string{"GITHUB_ACTIONS": "true"}},
	} {
		if got := newPalette(&streams{Env: onXterm(tt.env)}, &tt.g, tt.tty); got.on != tt.want {
			t.Errorf("%s: colours %v", name, got.on)
		}
	}
}

func TestPalette_paint(t *testing.T) {
	t.Parallel()
	if got := (palette{on: true}).bad("a\x1b[2Jb"); got != "\x1b[31mab\x1b[0m" {
		t.Errorf("painted %q", got)
	}
	if got := (palette{}).bad("a\x1b[2Jb"); got != "ab" {
		t.Errorf("without colour %q", got)
	}
}
