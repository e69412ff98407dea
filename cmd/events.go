package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

type eventsOptions struct {
	Run    string
	After  int64
	Follow bool
	format string
}

const eventsLong = `Print the journal of a run, an event a line, as "run --output jsonl" does, but
for what is not recorded: text as it streams and output of tools at work.

With --follow events are printed as they are recorded, whichever process drives
the run, through every suspension, until the run has finished, failed or is
canceled. Every event has a "seq"; --after goes on behind the last one read.

--output text tells the events to a person, --output json is one object.`

const eventsExample = `  agent events latest
  agent events latest --follow --output text
  agent events 0192abcd --after 12 | jq -r .type`

func newEventsCmd(w *wiring) *cobra.Command {
	opts := &eventsOptions{}
	c := &cobra.Command{
		Use: "events RUNID", Short: "Print the events of a run, as they come", Long: eventsLong, Example: eventsExample,
		Args: argsOf(cobra.ExactArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Run, opts.format = args[0], outputJSONL
			if cmd.Flags().Changed("output") {
				opts.format = w.g.Output
			}
			if err := opts.check(); err != nil {
				return err
			}
			return eventsRun(cmd.Context(), w, opts)
		},
	}
	c.Flags().Int64Var(&opts.After, "after", 0, "only events behind this seq")
	c.Flags().BoolVarP(&opts.Follow, "follow", "f", false, "go on with events as they are recorded")
	return c
}

func (o *eventsOptions) check() error {
	switch {
	case o.After < 0:
		return exit.Usagef("--after %d: give a number from 0", o.After)
	case o.Follow && o.format == outputJSON:
		return exit.Usagef("--follow has no end that one object could wait for: use --output jsonl")
	}
	return nil
}

func eventsRun(ctx context.Context, w *wiring, opts *eventsOptions) error {
	f, err := w.find(ctx, opts.Run)
	if err != nil {
		return err
	}
	defer f.store.Close() //nolint:errcheck // only read
	events := f.givenOut(f.snap.Events, opts.After)
	if opts.format == outputJSON {
		return printJSON(w.io.Out, map[string][]agent.Event{"events": events})
	}
	print := opts.printer(w)
	if err := print(events); err != nil || !opts.Follow {
		return err
	}
	ctx, stop := stoppable(ctx, w)
	defer stop()
	return interruptedEarly(ctx, f.follow(ctx, opts.After, w.io.Gone, print))
}

// printer prints events line by line, at once.
func (o *eventsOptions) printer(w *wiring) func([]agent.Event) error {
	if o.format == outputJSONL {
		return func(events []agent.Event) error {
			for _, e := range events {
				if err := printJSON(w.io.Out, e); err != nil {
					return err
				}
			}
			return nil
		}
	}
	out, tells := newScreen(w.io, w.g, w.io.Out, w.io.OutTTY), &tell.Timeline{}
	return func(events []agent.Event) error {
		for _, e := range events {
			if line := tells.Line(e); line != "" {
				out.Line(out.Look.Faint(clock(e.At)), "  ", text.Truncate(line, out.Fit(160, 21)))
			}
		}
		return out.Flush()
	}
}

// givenOut are the records behind after as readers get them.
func (f *found) givenOut(records []agent.Event, after int64) []agent.Event {
	events := []agent.Event{}
	for _, e := range records {
		if e.Seq > after {
			events = append(events, f.state.GiveOut(e))
		}
	}
	return events
}

// follow prints what is recorded behind after and what was read, until the run
// has ended, the reader has left or ctx ends.
func (f *found) follow(ctx context.Context, after int64, left func() bool, print func([]agent.Event) error) error {
	id := f.state.Run.ID
	return poll(ctx, func() (bool, error) {
		info, err := glance(ctx, f.store, id)
		if err != nil || left() {
			return true, err
		}
		if info.Seq > f.state.Run.Seq {
			records, err := f.store.Events(ctx, id, f.state.Run.Seq)
			if err == nil {
				err = f.state.Apply(records)
			}
			if err != nil {
				return true, fmt.Errorf("follow run %s: %w", id, err)
			}
			if err := print(f.givenOut(records, after)); err != nil {
				return true, err
			}
		}
		return ended(f.state.Run.Status), nil
	})
}

// ended reports whether a run goes on only if somebody wants more of it.
func ended(s agent.Status) bool {
	return s == agent.StatusFinished || s == agent.StatusFailed || s == agent.StatusCanceled
}
