package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
)

// hurry is how soon a second Ctrl-C must come to mean "now".
const hurry = time.Second

// stoppable returns a context that ends, with a *exit.SignalError as its cause,
// when the process is told to stop. The loop then leaves the run in order. A
// second interrupt within a second exits at once; the run is then settled by
// whoever resumes it. Once a run is driven the context also ends soon after the
// reader of stdout has left. stop gives the signals and the terminal back.
func stoppable(ctx context.Context, w *wiring) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 4)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // nohup, and jobs in the background of a script
			signal.Notify(signals, sig)
		}
	}
	done := make(chan struct{})
	go obey(signals, done, w, cancel)
	var heeds sync.WaitGroup
	heeds.Go(func() { heedReader(done, w, cancel) })
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		heeds.Wait() // stdout is its owner's again
		cancel(nil)
		w.io.Console.Restore() // also of a run that panics
	}
}

// errUnread is why a context or a wait ended: the reader of stdout has left.
var errUnread = errors.New("nobody reads stdout any more")

// heedReader ends the context when nobody reads what a driven run says, so that
// a long call does not go on for nobody.
func heedReader(done <-chan struct{}, w *wiring, cancel context.CancelCauseFunc) {
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	for {
		select {
		case <-done:
			return
		case <-again.C:
			if w.driven.Load() != nil && w.io.Gone() {
				cancel(errUnread)
				return
			}
		}
	}
}

// obey ends the context at a signal, and the process at a second interrupt.
func obey(signals <-chan os.Signal, done <-chan struct{}, w *wiring, cancel context.CancelCauseFunc) {
	var last time.Time
	for {
		select {
		case <-done:
			return
		case sig := <-signals:
			if sig == syscall.SIGINT {
				now := w.io.Now()
				if !last.IsZero() && now.Sub(last) <= hurry {
					w.exitNow(exit.OfSignal(sig))
				}
				last = now
			}
			cancel(&exit.SignalError{Signal: sig})
		}
	}
}

// exitNow ends the process as it stands. What a tool has started ends with it.
func (w *wiring) exitNow(code int) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		if id := w.driven.Load(); id != nil {
			w.sayResume(*id)
		}
	}()
	select {
	case <-said:
	case <-time.After(hurry / 4): // nobody reads stderr
	}
	w.io.Exit(code)
}

// sayResume says how a run that was left at once goes on.
func (w *wiring) sayResume(runID string) {
	on := w.errScreen()
	if on.TTY && !w.io.Dumb() { // a spinner may stand there
		on.EraseRow()
	}
	on.Put("resume it: ", on.Look.Ours(next.Run{Prefix: w.prefix(), ID: runID}.Resume().Text), "\n")
	_ = on.Flush() // stderr has nowhere to report its own faults
}

// interruptedEarly turns the error of a command that a signal stopped before
// it could do anything into the exit code of that signal.
func interruptedEarly(ctx context.Context, err error) error {
	if sig := exit.StoppedBy(ctx); sig != nil && err != nil {
		return exit.With(exit.OfSignal(sig))
	}
	return err
}
