// Package terminal is the terminal a person sits at: it reads lines and choices
// from the keyboard, knows the size of the screen, and leaves the terminal as it
// was, whichever way a prompt ends.
//
// No prompt decides by what was typed before it was there, by what is pasted, by
// the end of input, by a signal or by time. Words it is given to show are on one
// line and cleaned by whoever gives them (internal/text).
package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// ErrLeft says that a prompt was left without a decision: Ctrl-C, Ctrl-D, the end
// of its context, a terminal that is gone. What was asked stays open.
var ErrLeft = errors.New("left open")

// Console is the terminal a person is asked on. One prompt is open at a time;
// Hush, Unhush and Restore may be called by other goroutines meanwhile, and on a
// nil Console, which is a terminal that is not there.
type Console struct {
	in, out *os.File

	mu    sync.Mutex
	saved *terminalMode // as it was before the prompt that is open; nil: none is
	loud  *terminalMode // as it was before hush; nil: it is not hushed
	still func()        // while it is hushed: ends what hushes it again
}

// NewConsole returns the terminal that keys come from in and that prompts go to
// out of, which may be the same file. It touches neither. It returns nil on
// systems where reads of the keyboard cannot be called off or what was typed
// ahead cannot be dropped: there nobody is to be asked.
func NewConsole(in, out *os.File) *Console {
	if !promptsHere {
		return nil
	}
	return &Console{in: in, out: out}
}

// Is reports whether f is a terminal.
func Is(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Columns is the width in cells of the first of the files that is a terminal; 0
// if none is.
func Columns(files ...*os.File) int {
	for _, f := range files {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			return w
		}
	}
	return 0
}

const (
	DefaultColumns = 80 // the width of a terminal that does not tell
	LeastColumns   = 20 // a terminal that says it is narrower is drawn for as if it had these
)

// size is the terminal's width and height in cells.
func (c *Console) size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(c.out.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return DefaultColumns, 24
	}
	return max(columns, LeastColumns), rows
}

// What a prompt asks of a terminal, and takes back: that a paste comes marked
// as one, and that the cursor and the colours are as they were.
const (
	markPastes = "\x1b[?2004h"
	calmDown   = "\x1b[?2004l\x1b[?25h\x1b[0m"
)

// enter turns the terminal to single keys without echo, and drops what was
// typed before there was anything to answer.
func (c *Console) enter() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	saved, err := singleKeys(c.in)
	if err != nil {
		return err
	}
	c.saved = saved
	_, err = io.WriteString(c.out, markPastes)
	return err
}

// Hush keeps what is typed off the screen, where it would spoil a row that is
// drawn again and again, until Unhush. Nothing that is typed is lost. While a
// prompt is open, and from the background, it does nothing.
func (c *Console) Hush() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved != nil || c.loud != nil {
		return
	}
	if c.loud = withoutEcho(c.in); c.loud != nil {
		c.still = onContinue(c.hushAgain)
	}
}

// Unhush ends Hush. Without one it does nothing.
func (c *Console) Unhush() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loud != nil {
		c.loud.put(c.in)
		c.loud = nil
		c.still()
	}
}

// Restore gives the terminal back as it was, and drops what was typed at a
// prompt and not read: it was not for the shell that reads next. Every prompt
// does so when it ends; a process that exits otherwise calls it itself. A
// terminal that is gone takes no more orders, so faults are left alone.
func (c *Console) Restore() {
	if c == nil {
		return
	}
	defer c.Unhush()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved == nil {
		return
	}
	_, _ = io.WriteString(c.out, calmDown)
	c.saved.set(c.in)
	c.saved = nil
}

// Lend lets another program have the terminal while use runs, and puts its mode
// back afterwards. It returns what use does, or why use was not called.
func (c *Console) Lend(use func(in, out *os.File) error) error {
	before, err := modeOf(c.in)
	if err != nil {
		return err
	}
	defer before.set(c.in)
	return use(c.in, c.out)
}

// sitting is one prompt's hold on the console.
type sitting struct {
	*Console
	wake    *os.File // at its end once the context has ended; see woken
	end     func()
	pasting bool
	rest    []byte // the beginning of a character
}

// sit begins a prompt. The caller closes the sitting on every path.
func (c *Console) sit(ctx context.Context) (*sitting, error) {
	if ctx.Err() != nil {
		return nil, ErrLeft
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { w.Close() })
	still := onContinue(func() { _, _ = w.Write([]byte{0}) }) // a prompt that has ended needs no news
	s := &sitting{Console: c, wake: r, end: func() { still(); stop(); w.Close(); r.Close() }}
	if err := c.enter(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *sitting) close() {
	s.Restore()
	s.end()
}

// settle is how long the keyboard must be quiet before keys count: what comes
// closer together than fingers type is a paste. maxBurst bounds one paste, in
// bytes.
const (
	settle   = 15 * time.Millisecond
	maxBurst = 1 << 20
)

// burst waits for keys and returns those that came at once.
func (s *sitting) burst() ([]key, error) {
	data, err := s.read(-1)
	for err == nil && len(data) < maxBurst {
		var more []byte
		if more, err = s.read(settle); len(more) == 0 {
			break
		}
		data = append(data, more...)
	}
	if err != nil {
		return nil, err
	}
	keys := s.keys(data)
	if len(keys) == 1 && keys[0] == (key{code: keyStop}) {
		return nil, errStop
	}
	return keys, nil
}
