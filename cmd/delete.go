package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// confirmFlags are those of commands that destroy something.
type confirmFlags struct{ Yes bool }

func (c *confirmFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&c.Yes, "yes", "y", false, "do not ask: needed where there is no terminal")
}

// confirmed asks the person at a terminal. A script has to say that it means
// it.
func (c *confirmFlags) confirmed(ctx context.Context, w *wiring, question, do string) (bool, error) {
	if c.Yes {
		return true, nil
	}
	if w.io.Console == nil || w.g.machine() {
		return false, exit.Hintf(exit.Usagef("nobody can be asked whether to delete"), "add --yes if you mean it")
	}
	ctx, stop := stoppable(ctx, w)
	defer stop()
	p := w.seated()
	at, err := p.Pick(ctx, question, []terminal.Choice{{Label: "Keep"}, {Label: do}})
	return err == nil && at == 1, nil
}

type deleteOptions struct {
	confirmFlags
	Run string
}

const deleteLong = `Delete a run for good: its journal, its plans, its answers, and what files held
before it changed them, so that "agent undo" cannot bring them back. Files in the
workspace stay as they are.

A run that a process drives is not deleted: cancel it first. On a terminal you
are asked; a script says --yes.`

func newDeleteCmd(w *wiring) *cobra.Command {
	opts := &deleteOptions{}
	c := &cobra.Command{
		Use: "delete RUNID", Short: "Delete a run for good", Long: deleteLong,
		Example: "  agent delete 0192abcd\n  agent delete 0192abcd --yes",
		Args:    argsOf(cobra.ExactArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Run = args[0]
			return deleteRun(cmd.Context(), w, opts)
		},
	}
	opts.add(c)
	return c
}

func deleteRun(ctx context.Context, w *wiring, opts *deleteOptions) error {
	if err := refuseInside(w.io, "deleting a run"); err != nil {
		return err
	}
	store, id, err := w.findID(ctx, opts.Run)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // every deletion was committed
	info, err := glance(ctx, store, id)
	if err != nil {
		return err
	}
	question := fmt.Sprintf("Delete run %s (%s): %s?", id, info.Current(), text.Field(info.Title, 60))
	if yes, err := opts.confirmed(ctx, w, question, "Delete it"); err != nil || !yes {
		return w.kept(err)
	}
	if err := store.Delete(ctx, id); err != nil {
		return busyHint(w, id, err)
	}
	if w.g.machine() {
		return printJSON(w.io.Out, deletedRuns{Deleted: []deletedRun{deletedOf(info)}})
	}
	return w.say("deleted: run " + id)
}

// kept ends a command whose person did not want to delete.
func (w *wiring) kept(err error) error {
	if err != nil {
		return err
	}
	w.tell("nothing was deleted")
	return exit.With(exit.Suspended)
}

func busyHint(w *wiring, runID string, err error) error {
	if agent.Code(err) != "busy" {
		return err
	}
	return exit.Hintf(err, "end it first: %s", next.Run{Prefix: w.prefix(), ID: runID}.Command("cancel").Text)
}

// deletedRun names a run that is, or would be, gone.
type deletedRun struct {
	RunID     string       `json:"runId"`
	Title     string       `json:"title"`
	Status    agent.Status `json:"status"`
	Workspace string       `json:"workspace"`
	UpdatedAt time.Time    `json:"updatedAt"`
}

// deletedRuns is the JSON of delete and prune.
type deletedRuns struct {
	Deleted []deletedRun  `json:"deleted"`
	DryRun  bool          `json:"dryRun"`
	Error   *report.Error `json:"error"` // why the rest is still there
}

func deletedOf(i agent.RunInfo) deletedRun {
	return deletedRun{i.ID, i.Title, i.Current(), i.Workspace, i.Updated.UTC()}
}
