package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// errLeft says that a prompt was left without a decision: Ctrl-C, Ctrl-D, a
// signal, a terminal that is gone. What was asked stays open.
var errLeft = errors.New("left open")

// console is the terminal a person is asked on. Keys come from standard input,
// prompts go to standard error: standard output is for results. Where there is
// none it is nil.
type console struct {
	in, out *os.File

	mu    sync.Mutex
	saved *terminalMode // as it was before the prompt that is open; nil: none is
	loud  *terminalMode // as it was before hush; nil: it is not hushed
}

// size is the terminal's width and height in cells.
func (c *console) size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(c.out.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return defaultColumns, 24
	}
	return max(columns, leastColumns), rows
}

// What a prompt asks of a terminal, and takes back: that a paste comes marked
// as one, and that the cursor and the colours are as they were.
const (
	markPastes = "\x1b[?2004h"
	calmDown   = "\x1b[?2004l\x1b[?25h\x1b[0m"
)

// enter turns the terminal to single keys without echo, and drops what was
// typed before there was anything to answer.
func (c *console) enter() error {
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

// hush keeps what is typed off the screen, where it would spoil a row that is
// drawn again and again, until unhush. Nothing that is typed is lost. It may be
// called on nil.
func (c *console) hush() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved == nil && c.loud == nil {
		c.loud = withoutEcho(c.in)
	}
}

func (c *console) unhush() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loud != nil {
		c.loud.put(c.in)
		c.loud = nil
	}
}

// restore gives the terminal back as it was, and drops what was typed at a
// prompt and not read: it was not for the shell that reads next. It may be
// called at any time, on nil too. A terminal that is gone takes no more orders,
// so faults are left alone.
func (c *console) restore() {
	if c == nil {
		return
	}
	defer c.unhush()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved == nil {
		return
	}
	_, _ = io.WriteString(c.out, calmDown)
	c.saved.set(c.in)
	c.saved = nil
}

// sitting is one prompt's hold on the console.
type sitting struct {
	*console
	wake    *os.File // readable once the context has ended
	end     func()
	pasting bool
	rest    []byte // the beginning of a character
}

// sit begins a prompt. The caller closes the sitting on every path.
func (c *console) sit(ctx context.Context) (*sitting, error) {
	if ctx.Err() != nil {
		return nil, errLeft
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { w.Close() })
	s := &sitting{console: c, wake: r, end: func() { stop(); w.Close(); r.Close() }}
	if err := c.enter(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *sitting) close() {
	s.restore()
	s.end()
}

// settle is how long the keyboard must be quiet before keys count: what comes
// closer together than fingers type is a paste. maxBurst bounds one paste.
const (
	settle   = 15 * time.Millisecond
	maxBurst = maxInput
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
	return s.keys(data), nil
}
