package cmd

import (
	"io"

	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
)

// newScreen is an output of a command.
func newScreen(s *iostreams.Streams, g *globals, w io.Writer, tty bool) *screen.Screen {
	return &screen.Screen{Writer: s.Cleaned(w), Look: newPalette(s, g, tty), TTY: tty, Columns: s.Columns}
}

// errScreen is the process's stderr as a command shows text on it; see page for
// stdout.
func (w *wiring) errScreen() *screen.Screen { return newScreen(w.io, w.g, w.io.Err, w.io.ErrTTY) }

// newPalette decides whether an output gets colours.
func newPalette(s *iostreams.Streams, g *globals, tty bool) screen.Palette {
	return screen.Palette{On: tty && !g.NoColor && s.Env("NO_COLOR") == "" && !s.Dumb() && !s.Set("GITHUB_ACTIONS")}
}

// spinnerOn returns the spinner of a screen, nil where none is shown.
func spinnerOn(s *iostreams.Streams, g *globals, on *screen.Screen) *screen.Spinner {
	if !on.TTY || g.Quiet || s.Dumb() || s.Set("GITHUB_ACTIONS") {
		return nil
	}
	return screen.NewSpinner(on, s.Now, s.Console)
}
