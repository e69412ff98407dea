//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package terminal

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// promptsHere: prompts can be shown on this system.
const promptsHere = true

// terminalMode is how a terminal treats what is typed.
type terminalMode struct{ termios unix.Termios }

// modeOf reads the mode of a terminal.
func modeOf(f *os.File) (*terminalMode, error) {
	t, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	if err != nil {
		return nil, err
	}
	return &terminalMode{*t}, nil
}

// set gives a terminal this mode and drops what was typed.
func (m *terminalMode) set(f *os.File) {
	_ = unix.IoctlSetTermios(int(f.Fd()), setTermios, &m.termios) // a terminal that is gone needs no mode
	dropTyped(int(f.Fd()))
}

// put gives a terminal this mode. From the background the system would stop the
// process for it, and the mode is somebody else's then.
func (m *terminalMode) put(f *os.File) {
	if inFront(f) {
		_ = unix.IoctlSetTermios(int(f.Fd()), setTermios, &m.termios) // a terminal that is gone needs no mode
	}
}

// withoutEcho turns echo off and returns how the terminal was; nil if it could
// not be done.
func withoutEcho(f *os.File) *terminalMode {
	was, err := modeOf(f)
	if err != nil || !inFront(f) {
		return nil
	}
	quiet := *was
	quiet.termios.Lflag &^= unix.ECHO | unix.ECHONL
	quiet.put(f)
	return was
}

// inFront reports whether the process is in the foreground of its terminal.
func inFront(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// singleKeys turns a terminal to single keys without echo and signals, as
// survey does too, and returns how it was. Output stays processed. The order
// matters: what comes after the mode was set is dropped with the rest.
func singleKeys(f *os.File) (*terminalMode, error) {
	was, err := modeOf(f)
	if err != nil {
		return nil, err
	}
	t := was.termios
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(f.Fd()), setTermios, &t); err != nil {
		return nil, err
	}
	dropTyped(int(f.Fd()))
	return was, nil
}

// read returns what was typed, waiting at most wait (below 0: for ever). It
// returns nothing when nothing came in time, ErrLeft when the context of the
// prompt has ended, io.EOF when the terminal is gone. A read that waits could
// not be called off, so it waits before it reads.
func (s *sitting) read(wait time.Duration) ([]byte, error) {
	in, wake := int(s.in.Fd()), int(s.wake.Fd())
	if max(in, wake) >= unix.FD_SETSIZE {
		return nil, unix.EMFILE
	}
	for {
		var ready unix.FdSet
		ready.Set(in)
		ready.Set(wake)
		var limit *unix.Timeval
		if wait >= 0 {
			t := unix.NsecToTimeval(int64(wait))
			limit = &t
		}
		n, err := unix.Select(max(in, wake)+1, &ready, nil, nil, limit)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, err
		case n == 0:
			return nil, nil
		case ready.IsSet(wake):
			return nil, s.woken()
		default:
			return readOnce(in)
		}
	}
}

func readOnce(fd int) ([]byte, error) {
	buf := make([]byte, 4096)
	for {
		n, err := unix.Read(fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, err
		case n == 0:
			return nil, io.EOF
		default:
			return buf[:n], nil
		}
	}
}
