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
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		var last time.Time
		for {
			select {
			case <-done:
				return
			case sig := <-signals:
				now := io.Now()
				if sig == syscall.SIGINT && !last.IsZero() && now.Sub(last) <= hurry {
					io.Exit(exitOfSignal(sig))
				}
				if sig == syscall.SIGINT {
					last = now
				}
				cancel(&signalError{sig})
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Reset(syscall.SIGPIPE)
		close(done)
		cancel(nil)
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
