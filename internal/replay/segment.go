package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// segment is what one input from outside made the loop write: the records from
// index from to before to. Without requests it is not the loop's doing.
type segment struct {
	runID    string
	from, to int
	// requests are what the input may have been, the likeliest first.
	requests []request
	adopted  bool   // the input brings the journal before it with it
	late     string // call whose decision came after the run had finished
	detached bool   // the input was only recorded
	plan     agent.PlanFile
	end      end
}

// request puts an input to an agent. Its error is not what a replay fails
// with: the journal tells what came of it.
type request func(ctx context.Context, a *agent.Agent, m manner) error

// manner is what holds for one drive and is not recorded.
type manner struct {
	onQuestion agent.OnQuestion
	expected   agent.Expected
}

// in returns r in this manner.
func (m manner) in(r agent.Resume) agent.Resume {
	r.OnQuestion, r.Expected = m.onQuestion, m.expected
	return r
}

// end says how the records of a segment end.
type end int

const (
	ended   end = iota // in order: nothing may follow
	halted             // in order too, but stopped before all calls of the step were made
	paused             // with a pause from outside, of which only that it is one is compared
	dropped            // with a pause for what only that process knew, which is not compared
	killed             // in the middle; what would have followed is not known
)

// split cuts a journal at its inputs.
func split(journal []agent.Event) ([]segment, error) {
	st, err := agent.Fold(nil)
	if err != nil {
		return nil, err
	}
	var segments []segment
	for i := 0; i < len(journal); {
		seg, n, err := inputAt(st, journal, i)
		if err != nil {
			return nil, fmt.Errorf("replay: record %d: %w", i+1, err)
		}
		if seg != nil {
			if len(segments) > 0 {
				segments[len(segments)-1].close(st, journal, i)
			}
			seg.runID, seg.from = journal[0].RunID, i
			segments = append(segments, *seg)
		}
		if err := st.Apply(journal[i : i+n]); err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
		i += n
	}
	segments[len(segments)-1].close(st, journal, len(journal))
	return segments, nil
}

// close ends a segment before record to, where the run stands as st says.
func (s *segment) close(st *agent.State, journal []agent.Event, to int) {
	s.to = to
	switch {
	case st.Run.Status == agent.StatusRunning:
		s.end = killed
	case asks(journal[to-1]) && unmade(st, journal[:to]):
		s.end = halted
	case journal[to-1].Type == agent.Pause && to-s.from > 1:
		s.pause(journal[to-1])
	}
}

// pause ends a segment with a pause, which may come from outside.
func (s *segment) pause(e agent.Event) {
	p, err := agent.Decode[agent.PausePayload](e)
	switch {
	case err != nil:
	case p.Reason == agent.PauseStopped && alone(p.Message):
		s.end = dropped
	case p.Reason == agent.PauseStopped, p.FinishReason == agent.FinishTimeout, p.Reason == agent.PauseDetached && !s.detached:
		s.end = paused
	}
}

// asks reports whether a drive that ended with e did because a person was needed.
func asks(e agent.Event) bool {
	if e.Type != agent.Failure {
		return e.Type == agent.ToolCallSuspended || e.Type == agent.ToolCallApproval
	}
	p, err := agent.Decode[agent.ErrorPayload](e)
	return err == nil && p.Code == agent.CodeAsked
}

// unmade reports whether a journal, folded to st, ends with calls that have
// neither a result nor an open request to a person.
func unmade(st *agent.State, journal []agent.Event) bool {
	done := map[string]bool{}
	for _, s := range st.Open() {
		done[s.ToolCallID] = true
	}
	step, since := lastStep(journal)
	for _, e := range since {
		if p, err := agent.Decode[agent.CallPayload](e); err == nil && settles(e.Type) {
			done[p.ToolCallID] = true
		}
	}
	return slices.ContainsFunc(step, func(c agent.ToolCall) bool { return !done[c.ID] })
}

// lastStep is the calls of the last reply in a journal, and the records since.
func lastStep(journal []agent.Event) (step []agent.ToolCall, since []agent.Event) {
	for i, e := range slices.Backward(journal) {
		if e.Type == agent.ModelMessage {
			p, _ := agent.Decode[agent.MessagePayload](e) // the journal was folded
			return p.ToolCalls, journal[i+1:]
		}
	}
	return nil, nil
}

func settles(t agent.EventType) bool { return t == agent.ToolResult || t == agent.ToolOutputDenied }

// alone reports whether a pause tells of what only that process knew: its
// reader's fault, or a mode or model it did not have.
func alone(message string) bool {
	return message == "the drive ended out of order" ||
		strings.HasPrefix(message, agent.ErrModelMissing.Error()) || strings.HasPrefix(message, agent.ErrModeMissing.Error())
}

// inputAt tells whether record i came from outside, and how many records are
// surely its own.
func inputAt(st *agent.State, journal []agent.Event, i int) (*segment, int, error) {
	e := journal[i]
	switch e.Type {
	case agent.Start:
		return start(journal)
	case agent.Resumed:
		return resumed(journal, i)
	case agent.UserMessage:
		return message(journal, i, agent.ResumePayload{})
	case agent.ToolCallResumed:
		return answer(st, journal, i)
	case agent.ToolCallSuspended:
		return reread(st, e)
	case agent.ToolOutputDenied, agent.Abort:
		return denied(journal, i)
	case agent.Imported:
		return adopted(journal, i, i)
	case agent.UndoStarted, agent.UndoFinished:
		return &segment{}, 1, nil
	}
	return nil, 1, nil
}

func start(journal []agent.Event) (*segment, int, error) {
	p, err := agent.Decode[agent.StartPayload](journal[0])
	if err != nil {
		return nil, 0, err
	}
	t := agent.Task{
		Prompt: p.Prompt, Title: p.Title, Mode: p.Mode, Model: p.Pinned, Thinking: p.Thinking, Workspace: p.Workspace, Project: p.Project,
		BaseCommit: p.BaseCommit, IdempotencyKey: p.IdempotencyKey, Limits: p.Limits, By: p.By, Via: p.Via,
	}
	n := 1
	for ; n < len(journal) && journal[n].Type == agent.ContextLoaded; n++ {
		f, err := agent.Decode[agent.ContextFile](journal[n])
		if err != nil {
			return nil, 0, err
		}
		t.Context = append(t.Context, f)
	}
	return &segment{requests: []request{func(ctx context.Context, a *agent.Agent, m manner) error {
		t.OnQuestion, t.Expected = m.onQuestion, m.expected
		return drain(a.StreamTask(ctx, t))
	}}}, n, nil
}

func drain(s *agent.Stream) error {
	for _, err := range s.Events() {
		if err != nil {
			return err
		}
	}
	return nil
}

// resumed is a continuation, or the head of a message to a run that stopped.
func resumed(journal []agent.Event, i int) (*segment, int, error) {
	e := journal[i]
	p, err := agent.Decode[agent.ResumePayload](e)
	if err != nil {
		return nil, 0, err
	}
	if i+1 < len(journal) && journal[i+1].Type == agent.UserMessage {
		m, err := agent.Decode[agent.UserMessagePayload](journal[i+1])
		if err == nil && m.By == p.By && m.Via == p.Via {
			seg, n, err := message(journal, i+1, p)
			return seg, n + 1, err
		}
	}
	seg := &segment{requests: []request{func(ctx context.Context, a *agent.Agent, m manner) error {
		return drain(a.Continue(ctx, m.in(resumption(e.RunID, p))))
	}}}
	if i+1 < len(journal) && journal[i+1].Type == agent.ToolCallSuspended {
		s, err := agent.Decode[agent.SuspendedPayload](journal[i+1])
		if err == nil && s.Kind == agent.KindInDoubt {
			seg.requests = append(seg.requests, refused(e.RunID, s.ToolCallID, p))
		}
	}
	return seg, 1, nil
}

func resumption(runID string, p agent.ResumePayload) agent.Resume {
	return agent.Resume{
		RunID: runID, Model: p.Model, Thinking: p.Thinking, Limits: p.Limits, Workspace: p.Workspace, Project: p.Project,
		By: p.By, Via: p.Via,
	}
}

// refused is an answer that came first to a run whose process died: what that
// left in doubt was recorded before the answer was looked at.
func refused(runID, callID string, p agent.ResumePayload) request {
	return func(ctx context.Context, a *agent.Agent, m manner) error {
		r := m.in(resumption(runID, p))
		r.ToolCallID = callID
		_, err := a.Answer(ctx, nil, r)
		if errors.Is(err, agent.ErrInvalidAnswer) {
			return nil
		}
		return err
	}
}

// message is what a person said next, on what was overridden with it.
func message(journal []agent.Event, i int, over agent.ResumePayload) (*segment, int, error) {
	p, err := agent.Decode[agent.UserMessagePayload](journal[i])
	if err != nil {
		return nil, 0, err
	}
	send := func(mode string) request {
		return func(ctx context.Context, a *agent.Agent, m manner) error {
			r := m.in(resumption(journal[i].RunID, over))
			r.Mode, r.By, r.Via = mode, p.By, p.Via
			return drain(a.Send(ctx, p.Text, r))
		}
	}
	seg := &segment{requests: []request{send("")}}
	if i+1 < len(journal) && journal[i+1].Type == agent.ModeChanged {
		if m, err := agent.Decode[agent.ModeChangedPayload](journal[i+1]); err == nil && m.By == p.By {
			seg.requests = slices.Insert(seg.requests, 0, send(m.ModeID))
		}
	}
	return seg, 1, nil
}

// answer is an answer to a request of the run.
func answer(st *agent.State, journal []agent.Event, i int) (*segment, int, error) {
	p, err := agent.Decode[agent.ResumedPayload](journal[i])
	if err != nil {
		return nil, 0, err
	}
	r := agent.Resume{RunID: journal[i].RunID, ToolCallID: p.ToolCallID, N: p.N, FreshContext: p.FreshContext, By: p.By, Via: p.Via}
	detached := isDetached(journal, i+1)
	seg := &segment{requests: []request{answering(p.Answer, r, detached)}, detached: detached}
	asked, _ := st.Suspension(p.ToolCallID, p.N)
	var shown agent.PlanSubmission
	if asked.Kind == agent.KindPlan && json.Unmarshal(asked.Payload, &shown) == nil {
		seg.plan = agent.PlanFile{Digest: shown.Digest}
	}
	var decided struct{ Action, Feedback string }
	_ = json.Unmarshal(p.Answer, &decided) // words decide nothing
	switch {
	case asked.Kind == agent.KindInDoubt && decided.Action == agent.Stop:
		return seg, upTo(journal, i, agent.Abort), nil
	case asked.State == agent.SuspensionUndecided && (decided.Action == agent.Approved || decided.Feedback != ""):
		seg.late = p.ToolCallID
		return seg, upTo(journal, i, agent.UserMessage), nil
	}
	return seg, 1, nil
}

// upTo is how many records there are from i to the next one of a type.
func upTo(journal []agent.Event, i int, t agent.EventType) int {
	n := slices.IndexFunc(journal[i:], func(e agent.Event) bool { return e.Type == t })
	return max(n+1, 1)
}

// isDetached reports whether an answer whose further records begin at i was
// only recorded.
func isDetached(journal []agent.Event, i int) bool {
	if i < len(journal) && journal[i].Type == agent.Grant {
		i++
	}
	if i >= len(journal) || journal[i].Type != agent.Pause {
		return false
	}
	p, err := agent.Decode[agent.PausePayload](journal[i])
	return err == nil && p.Reason == agent.PauseDetached
}

func answering(data json.RawMessage, r agent.Resume, detach bool) request {
	return func(ctx context.Context, a *agent.Agent, m manner) error {
		if detach {
			_, err := a.Answer(ctx, data, m.in(r))
			return err
		}
		return drain(a.ResumeStream(ctx, data, m.in(r)))
	}
}

// reread is a plan whose file had changed while it was open.
func reread(st *agent.State, e agent.Event) (*segment, int, error) {
	p, err := agent.Decode[agent.SuspendedPayload](e)
	if err != nil || p.Kind != agent.KindPlan {
		return nil, 1, err
	}
	before, ok := st.Suspension(p.ToolCallID, 0)
	if !ok || before.State != agent.SuspensionOpen && before.State != agent.SuspensionUndecided {
		return nil, 1, nil
	}
	var sub agent.PlanSubmission
	if err := json.Unmarshal(p.Payload, &sub); err != nil {
		return nil, 0, fmt.Errorf("read plan: %w", err)
	}
	r := agent.Resume{RunID: e.RunID, ToolCallID: p.ToolCallID, By: p.By}
	return &segment{
		plan: agent.PlanFile{Path: sub.Path, Title: sub.Title, Plan: sub.Plan, Digest: sub.Digest, Source: []byte(sub.Plan)},
		requests: []request{func(ctx context.Context, a *agent.Agent, m manner) error {
			return drain(a.Reread(ctx, m.in(r)))
		}},
	}, 1, nil
}

// denied is the beginning of a cancellation or of an import, which deny calls
// first, or of neither.
func denied(journal []agent.Event, i int) (*segment, int, error) {
	next := i
	for next < len(journal) && journal[next].Type == agent.ToolOutputDenied {
		p, err := agent.Decode[agent.DeniedPayload](journal[next])
		if err != nil {
			return nil, 0, err
		}
		if p.Cause == agent.DeniedCanceled {
			return canceled(journal, i)
		}
		next++
	}
	switch {
	case next < len(journal) && journal[next].Type == agent.Imported:
		return adopted(journal, i, next)
	case next == i: // an abort
		return canceled(journal, i)
	}
	return nil, 1, nil
}

// adopted is a run that came from another store; its record is at index at.
func adopted(journal []agent.Event, i, at int) (*segment, int, error) {
	p, err := agent.Decode[agent.ImportPayload](journal[at])
	if err != nil {
		return nil, 0, err
	}
	ad := agent.Adoption{
		Events: journal[:i], Workspace: p.Workspace, Project: p.Project, BaseCommit: p.BaseCommit,
		Source: p.Source, By: p.By, Via: p.Via,
	}
	return &segment{adopted: true, requests: []request{func(ctx context.Context, a *agent.Agent, _ manner) error {
		_, err := a.Adopt(ctx, ad)
		return err
	}}}, at - i + 1, nil
}

// canceled is the end a person put to a run: its calls are closed first.
func canceled(journal []agent.Event, i int) (*segment, int, error) {
	n := upTo(journal, i, agent.Abort)
	p, err := agent.Decode[agent.ErrorPayload](journal[i+n-1])
	if err != nil {
		return nil, 0, err
	}
	return &segment{requests: []request{func(ctx context.Context, a *agent.Agent, _ manner) error {
		_, err := a.Cancel(ctx, agent.Resume{RunID: journal[i].RunID, By: p.By})
		return err
	}}}, n, nil
}
