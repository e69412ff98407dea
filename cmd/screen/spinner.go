package screen

import (
	"io"
	"sync"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Spinner shows on a line of its own that something is under way. It is the one
// thing that is ever taken back from a terminal: its owner rests it before
// anything else is printed (see Screen.Before). The nil Spinner shows nothing. It
// draws in a goroutine of its own, from its first Show until End; its methods are
// for one goroutine at a time.
type Spinner struct {
	w     io.Writer
	look  Palette
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

// NewSpinner returns a Spinner on a screen that is a terminal. keys is hushed
// while it has a goroutine; it may be nil.
func NewSpinner(on *Screen, now func() time.Time, keys *terminal.Console) *Spinner {
	ticks := func() (<-chan time.Time, func()) {
		t := time.NewTicker(spinnerPace)
		return t.C, t.Stop
	}
	return &Spinner{w: on.W, look: on.Look, width: on.cells, ticks: ticks, now: now, keys: keys}
}

// Show lets the spinner tell what is under way, from its next turn on, and for
// how long. The label is cleaned and cut to the row.
func (s *Spinner) Show(label string) {
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

// Rest takes the line away; nothing is drawn until the next Show.
func (s *Spinner) Rest() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.label = ""
	s.erase()
}

// End takes the line away and ends the goroutine. The spinner can be shown
// again.
func (s *Spinner) End() {
	if s == nil {
		return
	}
	s.Rest()
	if s.quit != nil {
		close(s.quit)
		<-s.gone
		s.quit = nil
		s.keys.Unhush()
	}
}

func (s *Spinner) turn(quit <-chan struct{}, gone chan<- struct{}) {
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

func (s *Spinner) draw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.label == "" {
		return
	}
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	s.frame = (s.frame + 1) % len(frames)
	tail := ""
	if d := s.now().Sub(s.since); d >= time.Second {
		tail = "  " + text.Took(d.Truncate(time.Second))
	}
	room := s.width() - 3 // the frame, a space, and none in the last cell: some terminals wrap there
	if room < 2*text.Width(tail) {
		tail = ""
	}
	label := text.Truncate(s.label, room-text.Width(tail))
	line := string(s.look.Ours(string(frames[s.frame])))
	if label+tail != "" {
		line += " " + string(s.look.Faint(label+tail))
	}
	_, _ = io.WriteString(s.w, "\r"+line+eraseRest) // a terminal has nowhere to report its own faults
	s.drawn = true
}

func (s *Spinner) erase() {
	if s.drawn {
		_, _ = io.WriteString(s.w, "\r"+eraseRest)
		s.drawn = false
	}
}

// eraseRest erases from the cursor to the end of the row.
const eraseRest = "\x1b[K"
