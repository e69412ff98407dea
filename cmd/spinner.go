package cmd

import (
	"io"
	"sync"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// spinner shows on a line of its own that something is under way. It is the one
// thing that is ever taken back from a terminal: its owner rests it before
// anything else is printed. The nil spinner shows nothing. It draws in a
// goroutine of its own, from its first show until end.
type spinner struct {
	w     io.Writer
	look  palette
	width func() int
	ticks func() (c <-chan time.Time, stop func())
	now   func() time.Time
	keys  *terminal.Console // hushed while the spinner has a goroutine; may be nil

	mu    sync.Mutex
	label string // "" while it rests
	since time.Time
	frame int
	drawn bool
	quit  chan struct{} // nil while there is no goroutine
	gone  chan struct{}
}

// spinnerPace is how often the spinner turns. What takes less is not shown at
// all.
const spinnerPace = 120 * time.Millisecond

// newSpinner returns the spinner of a screen, nil where none is shown.
func newSpinner(s *streams, g *globals, on *screen) *spinner {
	if !on.tty || g.Quiet || s.dumb() || s.set("GITHUB_ACTIONS") {
		return nil
	}
	ticks := func() (<-chan time.Time, func()) {
		t := time.NewTicker(spinnerPace)
		return t.C, t.Stop
	}
	return &spinner{w: on.W, look: on.look, width: on.cells, ticks: ticks, now: s.Now, keys: s.Console}
}

// show lets the spinner tell what is under way, from its next turn on.
func (s *spinner) show(label string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.label != label {
		s.since = s.now()
	}
	s.label = text.Line(label)
	if s.quit == nil {
		s.quit, s.gone = make(chan struct{}), make(chan struct{})
		s.keys.Hush()
		go s.turn(s.quit, s.gone)
	}
}

// rest takes the line away; nothing is drawn until the next show.
func (s *spinner) rest() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.label = ""
	s.erase()
}

// end takes the line away and ends the goroutine. The spinner can be shown
// again.
func (s *spinner) end() {
	if s == nil {
		return
	}
	s.rest()
	if s.quit != nil {
		close(s.quit)
		<-s.gone
		s.quit = nil
		s.keys.Unhush()
	}
}

func (s *spinner) turn(quit <-chan struct{}, gone chan<- struct{}) {
	defer close(gone)
	ticks, stop := s.ticks()
	defer stop()
	for {
		select {
		case <-quit:
			return
		case <-ticks:
			s.draw()
		}
	}
}

func (s *spinner) draw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.label == "" {
		return
	}
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	s.frame = (s.frame + 1) % len(frames)
	tail := ""
	if d := s.now().Sub(s.since); d >= time.Second {
		tail = "  " + took(d.Truncate(time.Second))
	}
	room := s.width() - 3 // the frame, a space, and none in the last cell: some terminals wrap there
	if room < 2*text.Width(tail) {
		tail = ""
	}
	label := text.Truncate(s.label, room-text.Width(tail))
	line := string(s.look.ours(string(frames[s.frame])))
	if label+tail != "" {
		line += " " + string(s.look.faint(label+tail))
	}
	_, _ = io.WriteString(s.w, "\r"+line+eraseRest) // a terminal has nowhere to report its own faults
	s.drawn = true
}

func (s *spinner) erase() {
	if s.drawn {
		_, _ = io.WriteString(s.w, "\r"+eraseRest)
		s.drawn = false
	}
}

// eraseRest erases from the cursor to the end of the row.
const eraseRest = "\x1b[K"
