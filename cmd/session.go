package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/ask"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/text"
	"github.com/seed-3e5a1d81/agent/modes"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// reply is an answer to one suspension, who gives it and how. from is where it
// is written, "" if nowhere.
type reply struct {
	to            agent.Suspension
	answer        any
	by, via, from string
	fresh         bool // the model is to go on with a fresh context
}

// session drives runs for one command.
type session struct {
	w     *wiring
	store *runstore.SQLite
	agent *agent.Agent
	modes *modes.Controller
	view  view
	seat  *ask.Person  // who can be asked; nil: nobody
	book  *answersFile // answers before anybody is asked; nil without one
	given reply        // the answer that the stream under way began with
	meets conduct
	by    string
	flags *driveFlags
	cfg   *config.Config // from join on

	record recording
	since  time.Time // a run is driven that nobody had anything to do with since

	digest string // of the plan the user decides on, "" if not named
	queues bool   // a message is on its way to a suspended run
}

// session opens what driving a run takes, but for the agent; see join.
func (w *wiring) session(ctx context.Context, d *driveFlags) (*session, error) {
	if err := model.CheckThinking(d.Thinking); err != nil {
		return nil, exit.Usagef("--%v", err)
	}
	meets, err := d.conduct(w.io)
	if err != nil {
		return nil, err
	}
	record, err := w.recording(d.Record)
	if err != nil {
		return nil, err
	}
	if text.Clean(d.Model) != d.Model || strings.ContainsAny(d.Model, "\n\t") {
		return nil, exit.Usagef("--model %q holds characters that cannot be shown", text.Truncate(d.Model, longestName))
	}
	by, err := d.actor(w.io)
	if err != nil {
		return nil, err
	}
	book, err := w.readAnswers(ctx, d.Answers, by)
	if err != nil {
		return nil, err
	}
	store, err := w.openStore(ctx)
	if err != nil {
		return nil, err
	}
	meets = book.conduct(&d.questionFlags, meets)
	s := &session{w: w, store: store, view: w.view(), meets: meets, by: by, flags: d, book: book, record: record}
	s.seat = s.atSeat()
	return s, nil
}

// join reads the configuration that holds in workspace and makes the agent.
// thinking is that of the run, "" for the configuration's; pinned says that it
// has its model, so that no other is opened.
func (s *session) join(workspace, thinking string, pinned bool) (err error) {
	if s.cfg, err = s.w.configured(workspace, s.flags.permissionFlags); err != nil {
		return err
	}
	s.w.warn(s.cfg)
	s.book.warnInside(s.w, workspace)
	s.meets = s.meets.configured(s.cfg.OnQuestion.Value, s.w.io)
	if s.agent, s.modes, err = s.w.agent(s.store, s.cfg, thinking, pinned); err != nil {
		return err
	}
	s.w.unconfined(s.modes)
	return nil
}

func (s *session) close() { _ = s.store.Close() } // everything was committed before

// announce says before a drive that nobody will be asked, where that is not
// what the user asked for.
func (s *session) announce(modeID string) {
	if line := s.meets.notice(s.mode(modeID), s.book.but()); line != "" {
		s.tell(line)
	}
}

// mode is the mode of this ID, the default one without.
func (s *session) mode(id string) agent.Mode {
	if id == "" {
		return s.modes.Default()
	}
	mode, _ := s.modes.Mode(id)
	return mode
}

func (s *session) tell(line string) { s.w.tell(line) }

// drive ranges a stream, shows it, lets the person answer what opens and say
// what comes next, and ends with the outcome.
func (s *session) drive(ctx context.Context, stream *agent.Stream) error {
	s.since = s.w.io.Now()
	for {
		seen, err := s.show(stream)
		if id := stream.RunID(); id != "" {
			s.w.reach(id)
		}
		err = s.given.placed(err)
		s.notify(stream.State(), seen)
		s.acknowledge(stream, err)
		then, err := s.onward(ctx, stream.RunID(), stream.State(), err)
		switch {
		case errors.Is(err, terminal.ErrLeft):
			return s.leave(ctx, stream.RunID())
		case then == nil:
			return s.finishDrive(ctx, stream, err)
		}
		stream = then
	}
}

// acknowledge says what became of a message to a run that waits for something
// else.
func (s *session) acknowledge(stream *agent.Stream, err error) {
	if st := stream.State(); s.queues && err == nil && st != nil && st.Run.Status == agent.StatusSuspended {
		s.tell("queued: delivered after this step")
	}
	s.queues = false
}

// onward finds how a run goes on that a stream left as st: by the file of
// answers, or by the person, who is called for it. No stream means that it does
// not now.
func (s *session) onward(ctx context.Context, runID string, st *agent.State, cause error) (*agent.Stream, error) {
	s.given = reply{}
	if cause == nil {
		if replies := s.book.replies(st); len(replies) > 0 {
			return s.replies(ctx, runID, replies)
		}
	}
	if st != nil && ctx.Err() == nil { // who stopped it is here
		s.w.alert(s.cfg, st.Run, s.since)
	}
	if s.person() == nil || s.book.leaves(st) {
		return nil, cause
	}
	defer func() { s.since = s.w.io.Now() }() // who was asked is here
	return s.turn(ctx, runID, st, cause)
}

// turn asks the person. A plan that changed under its approval is shown and
// asked about again.
func (s *session) turn(ctx context.Context, runID string, st *agent.State, cause error) (*agent.Stream, error) {
	var changed *agent.PlanChangedError
	if errors.As(cause, &changed) && changed.Now != nil {
		complain(s.w.io.Cleaned(s.w.io.Err), masked(s.w.io, s.w.g, cause))
		st, _, cause = loadRun(ctx, s.store, runID)
	}
	if cause != nil || st == nil {
		return nil, cause
	}
	_, undecided := st.Undecided()
	switch {
	case st.Run.Status == agent.StatusSuspended || undecided:
		r, err := s.seat.Attend(ctx, st, next.Waiting(st))
		if err != nil {
			return nil, err
		}
		return s.replies(ctx, runID, []reply{{to: r.To, answer: r.Answer, fresh: r.Fresh}})
	case st.Run.Status == agent.StatusFinished && s.talks():
		message, err := s.seat.Message(ctx, st)
		if err != nil || message == "" {
			return nil, err
		}
		return s.agent.Send(ctx, message, agent.Resume{RunID: runID, OnQuestion: s.meets.OnQuestion, Expected: s.book.expected(), By: s.by, Via: viaTTY}), nil
	}
	return nil, nil
}

// viaTTY is how answers given at a prompt came.
const viaTTY = "tty"

// leave ends a command whose person left a prompt. What is open was shown
// before; here stands that it waits, and how to answer it.
func (s *session) leave(ctx context.Context, runID string) error {
	s.regret(s.keep(ctx, runID))
	o, err := outcomeOf(ctx, s.store, runID, s.w.prefix(), nil, nil)
	if err != nil {
		return err
	}
	if len(next.Waiting(o.state)) > 0 { // also an undecided plan of a finished run
		o.code = exit.Suspended
	}
	s.book.tellIdle(s.w)
	s.sayOpen(o)
	if s.w.g.machine() {
		return s.w.show(s.view, o)
	}
	o.code = s.w.g.result.code(o.code)
	if err := s.w.g.result.write(o.report()); err != nil {
		return err
	}
	return exit.With(o.code)
}

// sayOpen tells the person what they left open and how to answer it, also where
// stdout holds an object for somebody else.
func (s *session) sayOpen(o outcome) {
	on := s.w.errScreen()
	on.Line("\nNothing more was decided. Still open:")
	for _, sus := range next.Waiting(o.state) {
		on.Line("  ", text.Field(tell.OpenLine(sus), on.Fit(200, 2)))
	}
	n := next.Run{Prefix: o.prefix, ID: o.state.Run.ID}
	next.Print(on, append([]next.Command{n.Resume()}, next.Of(o.state, o.status, o.prefix)...))
	_ = on.Flush() // a terminal that is gone is no reason for another exit code
}

// replies gives all answers but the last, which are only recorded while others
// are open, and returns the stream of that one.
func (s *session) replies(ctx context.Context, runID string, replies []reply) (*agent.Stream, error) {
	last := len(replies) - 1
	for _, r := range replies[:last] {
		if _, err := s.show(s.reply(ctx, runID, r)); err != nil {
			return nil, r.placed(err)
		}
	}
	s.given = replies[last]
	return s.reply(ctx, runID, s.given), nil
}

func (s *session) reply(ctx context.Context, runID string, r reply) *agent.Stream {
	return s.agent.ResumeStream(ctx, r.answer, s.resumeOf(runID, r))
}

func (s *session) resumeOf(runID string, r reply) agent.Resume {
	return agent.Resume{
		RunID: runID, ToolCallID: r.to.ToolCallID, N: r.to.N, Digest: next.Digest(r.to), FreshContext: r.fresh,
		OnQuestion: s.meets.OnQuestion, Expected: s.book.expected(), By: cmp.Or(r.by, s.by), Via: cmp.Or(r.via, viaTTY),
	}
}

// show ranges a stream to its end, or until nobody reads stdout any more: then
// breaking off leaves the run paused. It returns the types of the records.
func (s *session) show(stream *agent.Stream) (seen []agent.EventType, err error) {
	for e, err := range stream.Events() {
		if err != nil {
			return seen, err
		}
		if e.Seq > 0 {
			seen = append(seen, e.Type)
		}
		id := stream.RunID()
		s.w.driven.Store(&id)
		s.view.event(e)
		if s.w.io.Gone() {
			break
		}
	}
	return seen, stream.Err()
}

// finish shows where a run was left and returns its exit code. What cannot be
// told in terms of a run is returned as it is.
func (s *session) finish(ctx context.Context, runID string, cause error) error {
	return s.conclude(ctx, runID, nil, cause)
}

// finishDrive is finish after a stream was ranged to its end.
func (s *session) finishDrive(ctx context.Context, stream *agent.Stream, cause error) error {
	return s.conclude(ctx, stream.RunID(), stream.State(), cause)
}

func (s *session) conclude(ctx context.Context, runID string, left *agent.State, cause error) error {
	if err := s.keep(ctx, runID); cause == nil {
		cause = err
	} else {
		s.regret(err)
	}
	o, err := outcomeOf(ctx, s.store, runID, s.w.prefix(), left, cause)
	if err != nil {
		return err
	}
	o.diff = s.diffOf(ctx, o.state, cause)
	s.book.tellIdle(s.w)
	return s.w.show(s.view, o)
}

// show prints an outcome and returns its exit code.
func (w *wiring) show(v view, o outcome) error {
	o.err = masked(w.io, w.g, o.err)
	o.code = w.g.result.code(o.code)
	if err := w.g.result.write(o.report()); err != nil { // what became of the run is told all the same
		o.err, o.code = errors.Join(o.err, err), max(o.code, exit.Failure)
	}
	if err := v.outcome(o); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return exit.With(o.code)
}

// diffOf says how the plan that is open differs from the one that was decided
// on; "" if the command failed with anything else.
func (s *session) diffOf(ctx context.Context, st *agent.State, cause error) string {
	var changed *agent.PlanChangedError
	if !errors.As(cause, &changed) || changed.Now == nil {
		return ""
	}
	was := changed.Was
	for _, p := range st.Plans() {
		if p.Digest == s.digest {
			was = submissionOf(p) // the user named an earlier revision
		}
	}
	if was.Digest == changed.Now.Digest {
		return ""
	}
	diff, err := planDiff(context.WithoutCancel(ctx), s.store, was, *changed.Now)
	if err != nil {
		return err.Error() + "\n"
	}
	return diff
}
