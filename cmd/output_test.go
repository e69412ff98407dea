package cmd

import (
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
)

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
		s := &iostreams.Streams{Env: func(n string) string { return tt.env[n] }}
		on := newScreen(s, &tt.g, &strings.Builder{}, tt.tty)
		if got := spinnerOn(s, &tt.g, on); (got != nil) != tt.want {
			t.Errorf("%s: spinner %v", name, got)
		}
	}
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
		if got := newPalette(&iostreams.Streams{Env: onXterm(tt.env)}, &tt.g, tt.tty); got.On != tt.want {
			t.Errorf("%s: colours %v", name, got.On)
		}
	}
}
