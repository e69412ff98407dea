package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
)

type cancelOptions struct {
	actorFlags
	Run string
}

const cancelLong = `End a run for good. What is open is closed; a process that drives the run stops
within a second. Files it changed stay as they are.`

func newCancelCmd(w *wiring) *cobra.Command {
	opts := &cancelOptions{}
	c := &cobra.Command{
		Use: "cancel RUNID", Short: "End a run for good", Long: cancelLong,
		Example: "  agent cancel latest\n  agent cancel 0192abcd --by ann",
		Args:    argsOf(cobra.ExactArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Run = args[0]
			return cancelRun(cmd.Context(), w, opts)
		},
	}
	opts.add(c)
	return c
}

func cancelRun(ctx context.Context, w *wiring, opts *cancelOptions) error {
	if err := refuseInside(w.io, "canceling a run"); err != nil {
		return err
	}
	s, err := w.recorder(ctx, &opts.actorFlags)
	if err != nil {
		return err
	}
	defer s.close()
	runID, err := s.chooseRun(ctx, opts.Run)
	if err != nil {
		return err
	}
	before, err := glance(ctx, s.store, runID)
	if err != nil {
		return err
	}
	_, err = s.agent.Cancel(ctx, agent.Resume{RunID: runID, By: s.by, Via: viaFlag})
	return s.recorded(ctx, runID, before.Seq, err)
}
