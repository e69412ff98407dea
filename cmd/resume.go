package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

type resumeOptions struct {
	driveFlags
	answerFlags
	Run      string
	Message  string
	Mode     string
	Detach   bool
	TakeOver bool
	Limits   *agent.Limits
}

const resumeLong = `Answer what a run waits for, or go on with a run that stopped.

RUNID is a run's ID, a unique beginning or end of it (4 characters or more), or
"latest", the newest run of this workspace. The run goes on in the directory it
was started in, wherever this command is run; -C moves it.

Without answering flags a suspended run asks on a terminal and elsewhere prints
what is open (exit 3); a paused, interrupted or failed one goes on; a finished
one asks for your next message. Without RUNID a terminal offers the runs of this
workspace that wait. With flags one item is answered at a time; with several
open, name it with --tool-call. A wrong answer changes nothing (exit 2), and of
two answers the first wins (exit 5). See agent help exit-codes.`

const resumeExample = `  agent resume latest --answer "English"
  agent resume latest --answer "Add tests" --answer "Update docs"   # multi select
  echo "in my own words" | agent resume latest --answer -
  agent resume 0192abcd --tool-call call_3 --approve --digest sha256:…
  agent resume latest --approve --scope run          # a call, and such calls of this run
  agent resume latest --reject --feedback "shorter"
  agent resume latest --message "Now add a test"`

func newResumeCmd(w *wiring) *cobra.Command {
	opts := &resumeOptions{}
	c := &cobra.Command{
		Use: "resume [RUNID]", Short: "Answer a run, or go on with it",
		Long: resumeLong, Example: resumeExample,
		Args: argsOf(cobra.MaximumNArgs(1)), ValidArgsFunction: w.completeRun,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) > 0 {
				opts.Run = args[0]
			}
			opts.seen(cmd)
			if err := w.g.result.prepare(w.io.Dir); err != nil {
				return w.refused(cmd.Context(), opts.Run, err)
			}
			if opts.Limits, err = opts.limits(cmd); err != nil {
				return w.refused(cmd.Context(), opts.Run, err)
			}
			return resumeRun(cmd.Context(), w, opts)
		},
	}
	f := c.Flags()
	f.StringVarP(&opts.Message, "message", "m", "", "the next message to the agent; on a suspended run it is queued; - reads stdin")
	f.StringVar(&opts.Mode, "mode", "", "with --message: the mode to go on in")
	f.BoolVar(&opts.Detach, "detach", false, "record the answer and do not go on")
	f.BoolVar(&opts.TakeOver, "take-over", false, "take the run from a process that is stuck")
	opts.answerFlags.add(c)
	opts.driveFlags.add(c)
	w.g.result.add(c)
	_ = c.RegisterFlagCompletionFunc("mode", w.completeModes)
	_ = c.RegisterFlagCompletionFunc("model", w.completeModels)
	_ = c.RegisterFlagCompletionFunc("tool-call", w.completeCalls)
	_ = c.RegisterFlagCompletionFunc("answer", w.completeLabels)
	return c
}

func resumeRun(ctx context.Context, w *wiring, opts *resumeOptions) error {
	if err := refuseInside(w.io, "answering or continuing a run"); err != nil {
		return err
	}
	if err := opts.checkStdin(); err != nil {
		return w.refused(ctx, opts.Run, err)
	}
	ctx, stop := stoppable(ctx, w)
	defer stop()
	s, err := w.session(ctx, &opts.driveFlags)
	if err != nil {
		return interruptedEarly(ctx, w.refused(ctx, opts.Run, err))
	}
	defer s.close()
	s.digest = opts.Digest
	runID, err := s.chooseRun(ctx, opts.Run)
	if opts.Run == "" && err != nil {
		return err // what the prompt was left with, whatever left it
	}
	if err != nil {
		return interruptedEarly(ctx, err)
	}
	st, snap, err := loadRun(ctx, s.store, runID)
	if err != nil {
		return interruptedEarly(ctx, err)
	}
	r, err := s.prepare(ctx, opts, st)
	if err != nil {
		return s.finish(ctx, runID, err)
	}
	return s.resume(ctx, opts, r, st, snap)
}

// refused ends a command whose flags were refused before its run was read. Where
// that can be found, what it waits for is printed as for any other fault.
func (w *wiring) refused(ctx context.Context, word string, cause error) error {
	if word == "" || exit.Of(cause) != exit.Usage {
		return cause
	}
	store, id, err := w.findID(ctx, word)
	if err != nil {
		return cause
	}
	defer store.Close() //nolint:errcheck // only read
	o, err := outcomeOf(ctx, store, id, w.prefix(), nil, cause)
	if err != nil {
		return cause
	}
	return w.show(w.view(), o)
}

// prepare checks the flags against each other and makes the agent.
func (s *session) prepare(ctx context.Context, opts *resumeOptions, st *agent.State) (agent.Resume, error) {
	if err := opts.contradiction(); err != nil {
		return agent.Resume{}, err
	}
	workspace, err := s.workspaceFor(opts, st.Run)
	if err == nil && workspace != st.Run.Workspace { // its own was agreed on
		err = s.agreeWorkspace(ctx, workspace, opts.AnyWorkspace)
	}
	if err != nil {
		return agent.Resume{}, err
	}
	if err := s.join(workspace, cmp.Or(opts.Thinking, st.Run.Thinking), cmp.Or(opts.Model, st.Run.Pinned) != ""); err != nil {
		return agent.Resume{}, err
	}
	if err := s.checkMode(opts.Mode); err != nil {
		return agent.Resume{}, err
	}
	if err := s.checkForeign(opts, st.Run); err != nil {
		return agent.Resume{}, err
	}
	return s.resumption(opts, st, workspace)
}

// workspaceFor is the directory the run goes on in: its own, or the one -C
// moves it to. With "latest", -C only says where to look.
func (s *session) workspaceFor(opts *resumeOptions, run agent.Run) (string, error) {
	if s.w.g.Dir == "" || opts.Run == latest {
		return run.Workspace, workspaceThere(run)
	}
	return s.w.workspace()
}

// chooseRun finds the run meant. Without a word nothing is guessed: what waits
// is listed.
func (s *session) chooseRun(ctx context.Context, word string) (string, error) {
	if word == "" {
		return s.chooseWaiting(ctx)
	}
	project := ""
	if word == latest {
		workspace, err := s.w.workspace()
		if err != nil {
			return "", err
		}
		project = gitdir.Project(workspace)
	}
	id, err := selectRun(ctx, s.store, word, project, s.w.io.Now())
	if err == nil {
		s.w.reach(id)
	}
	return id, err
}

// chooseWaiting lets a person choose one of the runs that wait in this
// workspace. Where nobody can be asked they are listed in the error.
func (s *session) chooseWaiting(ctx context.Context) (string, error) {
	workspace, err := s.w.workspace()
	if err != nil {
		return "", err
	}
	runs, err := s.store.Runs(ctx, agent.RunQuery{Project: gitdir.Project(workspace), Waiting: true, Limit: offeredRuns + 1})
	if err != nil {
		return "", fmt.Errorf("list waiting runs: %w", err)
	}
	const naming = "name a run: agent resume RUNID, or agent resume latest"
	if len(runs) == 0 {
		return "", exit.Hintf(exit.Usagef("nothing waits for you in this workspace"), naming+"\nruns of every workspace: agent list --all")
	}
	if p := s.person(); p != nil {
		return s.askWaiting(ctx, p, runs)
	}
	return "", exit.Hintf(exit.Usagef(naming), "waiting in this workspace:\n%s", candidates(runs))
}

// resumption is what holds for every way of going on with a run.
func (s *session) resumption(opts *resumeOptions, st *agent.State, workspace string) (agent.Resume, error) {
	r := agent.Resume{
		RunID: st.Run.ID, Model: opts.Model, Thinking: opts.Thinking, Limits: opts.Limits, Mode: opts.Mode,
		TakeOver: opts.TakeOver, OnQuestion: s.meets.OnQuestion, Expected: s.book.expected(), By: s.by, Via: viaFlag,
		Digest: opts.Digest, FreshContext: opts.Fresh,
	}
	if opts.ToolCall != "" {
		var err error
		if r.ToolCallID, r.N, err = parseRef(opts.ToolCall); err != nil {
			return r, err
		}
	}
	if workspace != st.Run.Workspace {
		r.Workspace, r.Project = workspace, gitdir.Project(workspace)
	}
	return r, nil
}

// workspaceThere refuses to go on with a run whose directory is gone: its tools
// would only tell the model so, one after the other.
func workspaceThere(run agent.Run) error {
	if run.Workspace == "" {
		return nil
	}
	if info, err := os.Stat(run.Workspace); err == nil && info.IsDir() {
		return nil
	}
	return exit.Hintf(exit.Usagef("the workspace of run %s is gone: %s", run.ID, run.Workspace), "move the run to another directory: add -C DIR")
}

// placed adds to the prefix of next commands where a run is to go on whose
// workspace is gone.
func placed(prefix []string, run agent.Run) []string {
	if workspaceThere(run) == nil {
		return prefix
	}
	return append(slices.Clone(prefix), "-C", next.DirHere)
}

// resume does what the flags ask for.
func (s *session) resume(ctx context.Context, opts *resumeOptions, r agent.Resume, st *agent.State, snap agent.Snapshot) error {
	if !opts.Detach {
		s.warnNeighbours(ctx, r.RunID, cmp.Or(r.Workspace, st.Run.Workspace))
	}
	switch {
	case opts.Message != "":
		message, err := said(ctx, s.w.io, "--message", opts.Message)
		if err == nil {
			err = checkMessage(message)
		}
		if err != nil {
			return s.finish(ctx, r.RunID, err)
		}
		s.queues = snap.Current() == agent.StatusSuspended
		s.announce(cmp.Or(opts.Mode, st.Run.Mode))
		return s.drive(ctx, s.agent.Send(ctx, message, r))
	case opts.answers():
		return s.answer(ctx, opts, r, st)
	}
	return s.goOn(ctx, r, st, snap)
}

// answer gives the one answer the flags hold.
func (s *session) answer(ctx context.Context, opts *resumeOptions, r agent.Resume, st *agent.State) error {
	target, err := targetOf(st, r)
	if err != nil {
		return s.finish(ctx, r.RunID, err)
	}
	answer, err := opts.answer(ctx, s.w.io, target)
	if err != nil {
		return s.finish(ctx, r.RunID, err)
	}
	if target.ToolCallID != "" { // what opens in the meantime is not what was meant
		r.ToolCallID, r.N = target.ToolCallID, target.N
	}
	if opts.Detach {
		_, err := s.agent.Answer(ctx, answer, r)
		return s.recorded(ctx, r.RunID, st.Run.Seq, err)
	}
	mode := st.Run.Mode
	if target.Kind == agent.KindPlan && opts.Approve {
		mode = s.modes.AfterApproval(mode)
	}
	s.announce(mode)
	return s.drive(ctx, s.agent.ResumeStream(ctx, answer, r))
}

// recorded ends a command that only records: done is success, whatever the run
// waits for. With jsonl what stands behind after is printed, as if it had been
// streamed.
func (s *session) recorded(ctx context.Context, runID string, after int64, cause error) error {
	o, err := outcomeOf(ctx, s.store, runID, s.w.prefix(), nil, cause)
	if err != nil {
		return err
	}
	if cause == nil {
		o.code = exit.OK
		s.lines(o, after)
	}
	o.diff = s.diffOf(ctx, o.state, cause)
	return s.w.show(s.view, o)
}

// lines prints the records behind after, where each is a line.
func (s *session) lines(o outcome, after int64) {
	if s.w.g.Output != outputJSONL {
		return
	}
	for _, e := range o.events {
		if e.Seq > after {
			s.view.event(o.state.GiveOut(e))
		}
	}
}

// goOn continues a run without an answer.
func (s *session) goOn(ctx context.Context, r agent.Resume, st *agent.State, snap agent.Snapshot) error {
	switch snap.Current() {
	case agent.StatusSuspended: // what is open is announced once more
		return s.drive(ctx, s.agent.Continue(ctx, r))
	case agent.StatusFinished:
		if _, undecided := st.Undecided(); s.talks() || undecided && (s.person() != nil || s.book.decides(st)) {
			return s.reopen(ctx, st)
		}
		return s.finish(ctx, r.RunID, finishedError(st, s.w.prefix()))
	case agent.StatusRunning:
		if !r.TakeOver && snap.Owner != nil {
			return s.finish(ctx, r.RunID, &agent.BusyError{RunID: r.RunID, Owner: *snap.Owner})
		}
	}
	s.announce(st.Run.Mode)
	return s.drive(ctx, s.agent.Continue(ctx, r))
}

// reopen asks a person how a finished run goes on: what they decide about its
// undecided plan, else what they say next.
func (s *session) reopen(ctx context.Context, st *agent.State) error {
	s.tell(fmt.Sprintf("run …%s: %s", shortID(st.Run.ID), text.Field(st.Run.Title, 80)))
	stream, err := s.onward(ctx, st.Run.ID, st, nil)
	switch {
	case errors.Is(err, terminal.ErrLeft):
		return s.leave(ctx, st.Run.ID)
	case stream == nil:
		return s.finish(ctx, st.Run.ID, err)
	}
	return s.drive(ctx, stream)
}

// finishedError says how a finished run can go on after all.
func finishedError(st *agent.State, prefix []string) error {
	n := next.Run{Prefix: prefix, ID: st.Run.ID}
	err := fmt.Errorf("%w: run %s is finished", agent.ErrRunEnded, st.Run.ID)
	if _, undecided := st.Undecided(); undecided {
		return err // the approving command follows
	}
	return exit.Hintf(err, "go on with it: %s", n.Resume("--message", next.MessageHere).Text)
}

// checkForeign refuses a script that only an imported run names: it would say
// whatever it likes in the name of a model.
func (s *session) checkForeign(opts *resumeOptions, run agent.Run) error {
	named := opts.Model != "" || run.Pinned == "" && s.cfg.Model.Value != ""
	if !run.ForeignModel || named {
		return nil
	}
	id := cmp.Or(run.Pinned, run.Model)
	if !strings.HasPrefix(id, scriptPrefix) {
		return nil
	}
	return exit.Hintf(exit.Refusef("model_missing", "run %s was imported with the model %s: a script is only played where you name it", run.ID, id), "name the model: add --model ID")
}
