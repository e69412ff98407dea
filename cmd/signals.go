package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signalError is why a context ended: the process was told to stop.
type signalError struct{ sig os.Signal }

func (e *signalError) Error() string { return "stopped by signal: " + e.sig.String() }

// hurry is how soon a second Ctrl-C must come to mean "now".
const hurry = time.Second

// stoppable returns a context that ends, with a *signalError as its cause,
// when the process is told to stop. The loop then leaves the run in order. A
// second interrupt within a second exits at once; the run is then settled by
// whoever resumes it. A reader of stdout that leaves no longer kills the
// process either. stop gives the signals back.
func stoppable(ctx context.Context, io *streams) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals, pipes := make(chan os.Signal, 4), make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // nohup, and jobs in the background of a script
			signal.Notify(signals, sig)
		}
	}
	// Caught rather than ignored: an ignored signal would stay so in every
	// command the agent runs.
	signal.Notify(pipes, syscall.SIGPIPE)
	done := make(chan struct{})
	go obey(signals, done, io, cancel)
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		close(done)
		cancel(nil)
	}
}

// obey ends the context at a signal, and the process at a second interrupt.
func obey(signals <-chan os.Signal, done <-chan struct{}, io *streams, cancel context.CancelCauseFunc) {
	var last time.Time
	for {
		select {
		case <-done:
			return
		case sig := <-signals:
			if sig == syscall.SIGINT {
				now := io.Now()
				if !last.IsZero() && now.Sub(last) <= hurry {
					io.Exit(exitOfSignal(sig))
				}
				last = now
			}
			cancel(&signalError{sig})
		}
	}
}

// stoppedBy returns the signal that ended ctx, nil if none did.
func stoppedBy(ctx context.Context) os.Signal {
	var s *signalError
	if errors.As(context.Cause(ctx), &s) {
		return s.sig
	}
	return nil
}

// interruptedEarly turns the error of a command that a signal stopped before
// it could do anything into the exit code of that signal.
func interruptedEarly(ctx context.Context, err error) error {
	if sig := stoppedBy(ctx); sig != nil && err != nil {
		return exitWith(exitOfSignal(sig))
	}
	return err
}
