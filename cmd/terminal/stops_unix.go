//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package terminal

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// stop stops the process with all of its group, as the terminal does at Ctrl-Z,
// and returns when it goes on. Where nobody could continue it the system drops
// the signal, and stop returns soon.
//
// The signal itself is never caught: Go does not give it its default action
// back.
func stop() {
	const soon = 100 * time.Millisecond
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, unix.SIGCONT)
	defer signal.Stop(goesOn)
	if unix.Kill(0, unix.SIGTSTP) != nil {
		return
	}
	select {
	case <-goesOn:
	case <-time.After(soon):
	}
}

// onContinue calls do whenever the process was stopped and goes on, until end is
// called.
func onContinue(do func()) (end func()) {
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, unix.SIGCONT)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-signals:
				do()
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// woken is why a sitting was called away from the keyboard.
func (s *sitting) woken() error {
	if n, _ := s.wake.Read(make([]byte, 1)); n > 0 {
		return errContinued
	}
	return ErrLeft
}
