package cmd

import (
	"bytes"
	"io"

	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
)

// newScreen is an output of a command.
func newScreen(s *iostreams.Streams, g *globals, w io.Writer, tty bool) *screen.Screen {
	return &screen.Screen{Writer: s.Cleaned(w), Look: newPalette(s, g, tty), TTY: tty, Columns: s.Columns}
}

// paged is a result for a person that may be longer than the screen: it is made
// whole and then shown, through the pager where there is one.
type paged struct {
	*screen.Screen
	text bytes.Buffer
	io   *iostreams.Streams
}

// page begins a result on stdout.
func (w *wiring) page() *paged {
	p := &paged{io: w.io}
	p.Screen = newScreen(w.io, w.g, &p.text, w.io.OutTTY)
	return p
}

// show prints the result.
func (p *paged) show() error {
	if err := p.Flush(); err != nil {
		return err
	}
	return p.io.Page(p.text.Bytes())
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
