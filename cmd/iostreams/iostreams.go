// Package iostreams is what a command has of its process: its standard streams
// and whether people read them, its environment, directory and clock. Tests give
// commands their own.
package iostreams

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Streams is everything a command knows of its surroundings; nothing else
// reaches for the process's. Stdin is for one reader; the other methods may be
// called from several goroutines.
type Streams struct {
	In       io.Reader // nil: closed
	InData   bool      // In is a pipe or a file: somebody may have put something there
	Out, Err io.Writer
	InTTY    bool
	OutTTY   bool
	ErrTTY   bool
	Console  *terminal.Console // where a person is asked; nil: nowhere
	Columns  func() int        // width of the terminal; 0: unknown or none
	Env      func(string) string
	Environ  []string // all of it, as os.Environ
	Dir      string   // current directory
	Now      func() time.Time
	Patience Patience
	Exit     func(code int) // for the second Ctrl-C alone
	Program  string         // this program, to be called anew; "": unknown
}

// Patience bounds how long stdin is waited for, and says when a person has been
// left alone.
type Patience struct {
	FirstByte time.Duration // of context beside a prompt
	Idle      time.Duration // between two reads, and for what must come
	Away      time.Duration // of work before a person is called back
}

// away is how long a person has to leave a command alone before it calls them
// back: who has just typed something is still there.
const away = 10 * time.Second

// System returns the process's own. From then on a reader of stdout or stderr
// that leaves does not kill the process. An error says that the current directory
// cannot be told.
func System() (*Streams, error) {
	survivePipes()
	dir, err := os.Getwd()
	if err != nil { // it is gone: commands that need it say so, as of a -C that is
		if dir = os.Getenv("PWD"); !filepath.IsAbs(dir) {
			return nil, err
		}
	}
	s := &Streams{
		In: os.Stdin, Out: NewWriter(os.Stdout), Err: NewWriter(os.Stderr),
		InTTY: terminal.Is(os.Stdin), OutTTY: terminal.Is(os.Stdout), ErrTTY: terminal.Is(os.Stderr),
		Columns: columns, Env: os.Getenv, Environ: os.Environ(), Dir: dir, Now: time.Now,
		Patience: Patience{FirstByte: 3 * time.Second, Idle: 30 * time.Second, Away: away},
		Exit:     os.Exit,
	}
	s.Program, _ = os.Executable() // what needs it says so
	if s.Interactive() {
		s.Console = terminal.NewConsole(os.Stdin, os.Stderr)
		s.Exit = func(code int) {
			s.Console.Restore() // no deferred call will
			os.Exit(code)
		}
	}
	info, err := os.Stdin.Stat()
	switch {
	case err != nil:
		s.In = nil
	default: // /dev/null and terminals are character devices
		s.InData = info.Mode()&os.ModeCharDevice == 0
	}
	return s, nil
}

// columns is the width of the terminal of stdout, or where that is none of
// stderr.
func columns() int { return terminal.Columns(os.Stdout, os.Stderr) }

// survivePipes keeps a reader of stdout or stderr that leaves from killing the
// process in the middle of what it does. The signal is caught rather than
// ignored: ignored it would stay so in every command the agent runs.
func survivePipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// Interactive reports whether a person can be asked.
func (s *Streams) Interactive() bool { return s.InTTY && s.ErrTTY && !s.Dumb() }

// Dumb reports whether the terminal takes no escape sequences, as far as it
// tells; on Windows it tells nothing.
func (s *Streams) Dumb() bool {
	term := s.Env("TERM")
	return term == "dumb" || term == "" && runtime.GOOS != "windows"
}

// Set reports whether a variable is set the way CI systems mean it.
func (s *Streams) Set(name string) bool {
	switch s.Env(name) {
	case "", "0", "false":
		return false
	}
	return true
}

// Cleaned returns a writer for text that terminals and CI logs read.
func (s *Streams) Cleaned(w io.Writer) *text.Writer {
	return &text.Writer{W: w, Actions: s.Set("GITHUB_ACTIONS")}
}

// Files are the regular files among what the process writes its output to.
func (s *Streams) Files() []fs.FileInfo {
	var list []fs.FileInfo
	for _, w := range []io.Writer{s.Out, s.Err} {
		if f, ok := below(w).(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				list = append(list, info)
			}
		}
	}
	return list
}

// LeftAlone reports whether somebody may sit where stderr goes who had nothing
// to do since a moment long enough ago.
func (s *Streams) LeftAlone(since time.Time) bool {
	return s.ErrTTY && !s.Dumb() && !s.Set("CI") && s.Now().Sub(since) >= s.Patience.Away
}

// Gone reports whether the reader of stdout has left, also while there is
// nothing to write.
func (s *Streams) Gone() bool {
	p, ok := s.Out.(*Writer)
	if !ok {
		return false
	}
	f, isFile := p.w.(*os.File)
	return p.fault() != nil || isFile && unread(f)
}

// Fault is why stdout could not be written, nil if it could. A reader that left
// is none: it had read enough.
func (s *Streams) Fault() error {
	p, ok := s.Out.(*Writer)
	if !ok || errors.Is(p.fault(), syscall.EPIPE) {
		return nil
	}
	return p.fault()
}

// Writer remembers the first write that failed, as where a reader left, and
// swallows what follows: a command is to end in order. Writes may come from
// several goroutines.
type Writer struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

func (p *Writer) fault() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Write gives b to what is below, until a write failed; it returns no error.
func (p *Writer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
	return len(b), nil
}
