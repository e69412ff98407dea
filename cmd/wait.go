package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/runstore"
)

type waitOptions struct {
	Run     string
	Timeout time.Duration
}

const waitLong = `Wait until a run needs you or has ended, and exit with the code of where it then
stands: 0 finished, 1 failed or canceled, 3 suspended, 4 paused or its process
died, 6 finished with denied calls. See agent help exit-codes.

What is open and how to go on is printed as by "agent run". Waiting costs next
to nothing and changes nothing; Ctrl-C ends the waiting, not the run. A run
that is still at work when --timeout has passed is exit 5.`

const waitExample = `  agent wait latest
  rc=0; agent wait 0192abcd --timeout 30m || rc=$?
  agent wait 0192abcd --output json | jq .suspensions`

func newWaitCmd(w *wiring) *cobra.Command {
	opts := &waitOptions{}
	c := &cobra.Command{
		Use: "wait RUNID", Short: "Wait until a run needs you or has ended", Long: waitLong, Example: waitExample,
		Args: argsOf(cobra.ExactArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Run = args[0]
			if err := w.g.result.prepare(w.io.Dir); err != nil {
				return err
			}
			if cmd.Flags().Changed("timeout") && opts.Timeout <= 0 {
				return exit.Usagef("--timeout %s: give a duration above 0, such as 10m", opts.Timeout)
			}
			return waitRun(cmd.Context(), w, opts)
		},
	}
	c.Flags().DurationVar(&opts.Timeout, "timeout", 0, "wait no longer than this, such as 10m (default: as long as it takes)")
	w.g.result.add(c)
	return c
}

func waitRun(ctx context.Context, w *wiring, opts *waitOptions) error {
	began := w.io.Now()
	ctx, stop := stoppable(ctx, w)
	defer stop()
	store, id, err := w.findID(ctx, opts.Run)
	if err != nil {
		return interruptedEarly(ctx, err)
	}
	defer store.Close() //nolint:errcheck // only read
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if opts.Timeout > 0 {
		waiting, cancel = context.WithTimeout(ctx, opts.Timeout)
	}
	defer cancel()
	info, err := untilIdle(ctx, waiting, w, store, id)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, errUnread):
		err = fmt.Errorf("%w: %w", err, &agent.BusyError{RunID: id, Owner: *info.Owner})
	case errors.Is(err, context.DeadlineExceeded) && info.Owner != nil:
		err = fmt.Errorf("after %s: %w", opts.Timeout, &agent.BusyError{RunID: id, Owner: *info.Owner})
	}
	o, err := outcomeOf(ctx, store, id, w.prefix(), nil, err)
	if err != nil {
		return err
	}
	if ctx.Err() == nil {
		w.alertWaiter(o, began)
	}
	return w.show(w.view(), o)
}

// untilIdle waits until no process drives a run or waiting ends, and returns it
// as it was last seen. It looks at least once, however short the wait.
func untilIdle(ctx, waiting context.Context, w *wiring, store runstore.Store, runID string) (agent.RunInfo, error) {
	var seen agent.RunInfo
	told := w.g.Quiet
	err := poll(waiting, func() (bool, error) {
		info, err := glance(ctx, store, runID)
		if err != nil || info.Current() != agent.StatusRunning {
			return true, err
		}
		if seen = info; w.io.Gone() {
			return true, errUnread
		}
		if !told {
			told = true
			w.tell(fmt.Sprintf("waiting for run %s, driven by %s since %s", runID, info.Owner, clock(info.Owner.Since)))
		}
		return false, nil
	})
	return seen, err
}

// pollEvery is how often a command looks that waits for what other processes
// do. A look takes a fraction of a millisecond.
const pollEvery = 100 * time.Millisecond

// poll looks, now and again, until it is done or ctx ends; then the error is
// that of ctx.
func poll(ctx context.Context, done func() (bool, error)) error {
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	for {
		if over, err := done(); over || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}
