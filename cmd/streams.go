package cmd

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// streams is everything a command knows of its surroundings. Tests give their
// own; nothing else in the package reaches for the process's.
type streams struct {
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
	Patience patience
	Exit     func(code int) // for the second Ctrl-C alone
	Program  string         // this program, to be called anew; "": unknown
}

// patience bounds how long stdin is waited for, and says when a person has been
// left alone.
type patience struct {
	FirstByte time.Duration // of context beside a prompt
	Idle      time.Duration // between two reads, and for what must come
	Away      time.Duration // of work before a person is called back
}

func systemStreams() (*streams, error) {
	dir, err := os.Getwd()
	if err != nil { // it is gone: commands that need it say so, as of a -C that is
		if dir = os.Getenv("PWD"); !filepath.IsAbs(dir) {
			return nil, err
		}
	}
	s := &streams{
		In: os.Stdin, Out: &pipeWriter{w: os.Stdout}, Err: &pipeWriter{w: os.Stderr},
		InTTY: terminal.Is(os.Stdin), OutTTY: terminal.Is(os.Stdout), ErrTTY: terminal.Is(os.Stderr),
		Columns: columns, Env: os.Getenv, Environ: os.Environ(), Dir: dir, Now: time.Now,
		Patience: patience{FirstByte: 3 * time.Second, Idle: 30 * time.Second, Away: away},
		Exit:     os.Exit,
	}
	s.Program, _ = os.Executable() // what needs it says so
	if s.interactive() {
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

// interactive reports whether a person can be asked.
func (s *streams) interactive() bool { return s.InTTY && s.ErrTTY && !s.dumb() }

// dumb reports whether the terminal takes no escape sequences, as far as it
// tells; on Windows it tells nothing.
func (s *streams) dumb() bool {
	term := s.Env("TERM")
	return term == "dumb" || term == "" && runtime.GOOS != "windows"
}

// set reports whether a variable is set the way CI systems mean it.
func (s *streams) set(name string) bool {
	switch s.Env(name) {
	case "", "0", "false":
		return false
	}
	return true
}

// cleaned returns a writer for text that terminals and CI logs read.
func (s *streams) cleaned(w io.Writer) *text.Writer {
	return &text.Writer{W: w, Actions: s.set("GITHUB_ACTIONS")}
}

// files are the regular files among what the process writes its output to.
func (s *streams) files() []fs.FileInfo {
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

// gone reports whether the reader of stdout has left, also while there is
// nothing to write.
func (s *streams) gone() bool {
	p, ok := s.Out.(*pipeWriter)
	if !ok {
		return false
	}
	f, isFile := p.w.(*os.File)
	return p.fault() != nil || isFile && unread(f)
}

// pipeWriter remembers that its reader left and swallows what follows: a
// command is to end in order, not to die of SIGPIPE.
type pipeWriter struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

func (p *pipeWriter) fault() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *pipeWriter) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
	return len(b), nil
}
