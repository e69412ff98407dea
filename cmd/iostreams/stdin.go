package iostreams

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// maxInput bounds what is taken from stdin.
const maxInput = 1 << 20

var errQuiet = errors.New("nothing came")

// piece is what one read of stdin gave.
type piece struct {
	data []byte
	err  error
}

// readInput reads all of in, waiting at most first for the first byte and idle
// between later ones (0: for ever). It returns what came, and errQuiet if it
// stopped waiting. More than maxInput is an error. The goroutine that reads is
// left behind when waiting stops: a read of stdin cannot be called off.
func readInput(ctx context.Context, in io.Reader, first, idle time.Duration) ([]byte, error) {
	pieces := make(chan piece)
	left := make(chan struct{})
	defer close(left)
	go feed(in, pieces, left)
	var all []byte
	wait := first
	for {
		p, err := receive(ctx, pieces, wait)
		if err != nil {
			return all, err
		}
		all = append(all, p.data...)
		if len(all) > maxInput {
			return nil, exit.Usagef("stdin holds more than %d KiB: give the agent a file of the workspace to read instead", maxInput>>10)
		}
		if errors.Is(p.err, io.EOF) {
			return all, nil
		}
		if p.err != nil {
			return all, fmt.Errorf("read stdin: %w", p.err)
		}
		if len(all) > 0 {
			wait = idle
		}
	}
}

func feed(in io.Reader, pieces chan<- piece, left <-chan struct{}) {
	for {
		buf := make([]byte, 32<<10)
		n, err := in.Read(buf)
		select {
		case pieces <- piece{buf[:n], err}:
		case <-left:
			return
		}
		if err != nil {
			return
		}
	}
}

func receive(ctx context.Context, pieces <-chan piece, wait time.Duration) (piece, error) {
	var late <-chan time.Time
	if wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		late = t.C
	}
	select {
	case p := <-pieces:
		return p, nil
	case <-late:
		return piece{}, errQuiet
	case <-ctx.Done():
		return piece{}, context.Cause(ctx)
	}
}

// ReadNeeded reads a text the command cannot do without from stdin, on a
// terminal for as long as the person types. what names it in errors, which are
// usage errors where nothing came, it is no text, or it is too much.
func (s *Streams) ReadNeeded(ctx context.Context, what string) (string, error) {
	if s.In == nil {
		return "", exit.Usagef("%s: stdin is closed", what)
	}
	idle := s.Patience.Idle
	if s.InTTY {
		idle = 0
	}
	data, err := readInput(ctx, s.In, idle, idle)
	if errors.Is(err, errQuiet) {
		return "", exit.Usagef("%s: stdin sent nothing for %s and did not end", what, idle)
	}
	if err != nil {
		return "", err
	}
	return validText(data, what)
}

// ReadContext reads what was piped in beside a prompt, "" if nothing was. warn is
// told once if waiting for it was given up.
func (s *Streams) ReadContext(ctx context.Context, warn func(string)) (string, error) {
	if s.In == nil || !s.InData {
		return "", nil
	}
	data, err := readInput(ctx, s.In, s.Patience.FirstByte, s.Patience.Idle)
	if errors.Is(err, errQuiet) {
		if len(data) == 0 {
			warn(fmt.Sprintf("stdin is open but sent nothing for %s: going on without it (use </dev/null to say so)", s.Patience.FirstByte))
		} else {
			warn(fmt.Sprintf("stdin sent nothing more for %s and did not end: going on with the %d bytes that came", s.Patience.Idle, len(data)))
		}
		err = nil
	}
	if err != nil {
		return "", err
	}
	return validText(bytes.TrimPrefix(data, []byte("\ufeff")), "stdin")
}

func validText(data []byte, what string) (string, error) {
	if !utf8.Valid(data) {
		if what != "stdin" {
			what += ": stdin"
		}
		return "", exit.Usagef("%s is not UTF-8 text: pictures and other files are not taken", what)
	}
	return string(data), nil
}
