package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

type undoOptions struct {
	actorFlags
	Run    string
	Paths  []string
	Force  bool
	DryRun bool
	Redo   bool
}

const undoLong = `Put the files that the tools of a run changed back as they were before its first
change: former contents and permission bits come back, files it made are removed.
"agent diff RUNID" shows what is taken back. PATH limits it to some files or
directories. What shell commands changed stays.

Where a file is not as the run left it nothing is done (exit 5); --force puts it
back all the same. What is overwritten is kept: --redo brings the files back as
they were before the last undo, and once more the one before that.

The run itself goes on standing where it stood. If it is continued, the agent is
told what was taken back.`

const undoExample = `  agent undo latest --dry-run
  agent undo latest
  agent undo 0192abcd src/parser.go
  agent undo latest --redo`

func newUndoCmd(w *wiring) *cobra.Command {
	opts := &undoOptions{}
	c := &cobra.Command{
		Use: "undo RUNID [PATH…]", Short: "Take back what a run changed in files", Long: undoLong, Example: undoExample,
		Args: argsOf(cobra.MinimumNArgs(1)), ValidArgsFunction: w.completeChanged,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Run, opts.Paths = args[0], args[1:]
			return undoRun(cmd.Context(), w, opts)
		},
	}
	f := c.Flags()
	f.BoolVar(&opts.Force, "force", false, "also put back files that changed since; what they hold is kept for --redo")
	f.BoolVarP(&opts.DryRun, "dry-run", "n", false, "only say what would be done")
	f.BoolVar(&opts.Redo, "redo", false, "take back the last undo")
	opts.add(c)
	return c
}

func undoRun(ctx context.Context, w *wiring, opts *undoOptions) error {
	if err := refuseInside(w.io, "undoing a run"); err != nil {
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
	st, _, err := loadRun(ctx, s.store, runID)
	if err != nil {
		return err
	}
	u, err := w.undoOf(opts, st, s.by)
	if err != nil {
		return err
	}
	done, err := s.agent.Undo(ctx, u)
	return w.showUndo(done, masked(w.io, w.g, w.undoFault(done, err)))
}

// undoOf is what the flags ask for.
func (w *wiring) undoOf(opts *undoOptions, st *agent.State, by string) (agent.Undo, error) {
	u := agent.Undo{RunID: st.Run.ID, Redo: opts.Redo, Force: opts.Force, DryRun: opts.DryRun, By: by, Via: viaFlag}
	if err := workspaceThere(st.Run); err != nil {
		return u, exit.Usagef("the workspace of run %s is gone: %s", st.Run.ID, st.Run.Workspace)
	}
	changes := st.Changes()
	if opts.Redo {
		changes = st.Undone()
	}
	var err error
	if u.Select, err = w.choosePaths(st.Run, changes, opts.Paths); err != nil {
		return u, err
	}
	u.Files, err = w.files(st.Run.Workspace)
	return u, err
}

// undoFault is what an undo failed with, with the next step.
func (w *wiring) undoFault(done agent.Undone, err error) error {
	var changed *agent.FilesChangedError
	switch {
	case errors.As(err, &changed) && slices.ContainsFunc(changed.Files, agent.UndoFile.Hopeless):
		return exit.Hintf(err, "name the files that are to be put back: %s", w.command("undo", done.RunID, "<path>"))
	case errors.As(err, &changed):
		return exit.Hintf(err, "look at them: %s\nput them back all the same: add --force; what they hold now is kept for --redo", w.command("diff", done.RunID))
	case errors.Is(err, agent.ErrBusy):
		return exit.Hintf(err, "let it end, or end it: %s", w.command("cancel", done.RunID))
	case err == nil && len(done.Failed) > 0:
		return exit.Hintf(fmt.Errorf("undo run %s: %d of %d files could not be written%s", done.RunID, len(done.Failed),
			len(done.Failed)+len(done.Files), failures(done.Failed)), "the others are done; repeat the command for these")
	}
	return err
}

func failures(failed []agent.UndoFailure) string {
	var b strings.Builder
	for _, f := range failed {
		fmt.Fprintf(&b, "\n  %s: %s", f.Path, f.Error)
	}
	return b.String()
}

// shownUndo is the JSON of undo.
type shownUndo struct {
	agent.Undone
	ExitCode int           `json:"exitCode"`
	Error    *report.Error `json:"error"`
}

func (w *wiring) showUndo(done agent.Undone, err error) error {
	if !w.g.machine() || done.RunID == "" {
		return errors.Join(w.tellUndo(done, err), err)
	}
	shown := shownUndo{Undone: done}
	if err != nil {
		shown.ExitCode = exit.Of(err)
		shown.Error = report.ErrorOf(err)
		mention(w.io.Cleaned(w.io.Err), err)
	}
	if err := printJSON(w.io.Out, shown); err != nil {
		return err
	}
	return exit.With(shown.ExitCode)
}

// tellUndo says what was done to which file.
func (w *wiring) tellUndo(done agent.Undone, err error) error {
	if err != nil && len(done.Failed) == 0 {
		return nil // nothing was done
	}
	if len(done.Files)+len(done.Failed) == 0 {
		w.tell(map[bool]string{false: "nothing to undo", true: "nothing to redo"}[done.Redo])
		return nil
	}
	out := w.page()
	for _, f := range done.Files {
		out.Line(undoVerb(f.Action, done.DryRun), " ", text.Field(f.Path, out.Fit(400, 16)))
	}
	if err := out.show(); err != nil {
		return err
	}
	switch {
	case done.DryRun:
		w.tell("nothing was changed (--dry-run)")
	case done.Redo:
		w.tellCommand("take it back", w.command("undo", done.RunID))
	default:
		w.tellCommand("bring it back", w.command("undo", done.RunID, "--redo"))
	}
	return nil
}

func undoVerb(a agent.UndoAction, dry bool) string {
	verb := map[agent.UndoAction][2]string{
		agent.UndoRestore: {"restored", "would restore"}, agent.UndoCreate: {"created", "would create"},
		agent.UndoRemove: {"removed", "would remove"}, agent.UndoNone: {"as it was", "as it was"},
	}[a]
	if dry {
		return text.Pad(verb[1], 13)
	}
	return text.Pad(verb[0], 9)
}

// completeChanged offers runs, and then the files the run changed.
func (w *wiring) completeChanged(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return w.completeRuns(cmd, args, word)
	}
	f, err := w.find(cmd.Context(), args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer f.store.Close() //nolint:errcheck // only read
	var paths []cobra.Completion
	for _, c := range append(f.state.Changes(), f.state.Undone()...) {
		if name := text.Field(c.Path, 400); name == c.Path && !slices.Contains(args, name) {
			paths = append(paths, name)
		}
	}
	return paths, cobra.ShellCompDirectiveNoFileComp
}
