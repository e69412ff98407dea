package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Fold computes where a run stands from its journal. Records of unknown types
// are kept in the journal and change nothing. The error names the record that
// cannot be read or does not fit.
func Fold(events []Event) (*State, error) {
	st := newState()
	if err := st.Apply(events); err != nil {
		return nil, err
	}
	return st, nil
}

// Apply takes in further records of a journal that was read: Fold of its
// beginning and Apply of the rest come to what Fold of the whole comes to. A
// State that refused a record is not to be used any more.
func (st *State) Apply(events []Event) error {
	for _, e := range events {
		if err := st.apply(e); err != nil {
			return err
		}
	}
	st.touched() // a journal that was read altered nothing
	return nil
}

// apply takes one record in.
func (st *State) apply(e Event) error {
	if e.Seq != st.Run.Seq+1 {
		return fmt.Errorf("fold run %s: record %d follows record %d", e.RunID, e.Seq, st.Run.Seq)
	}
	if st.Run.Status == StatusRunning && drives(e.Type) {
		st.Run.Driven += Duration(max(e.At.Sub(st.last), 0))
	}
	if err := st.fold(e); err != nil {
		return err
	}
	st.Run.Seq, st.Run.Updated, st.last = e.Seq, e.At, e.At
	st.Run.Undecided = st.Run.Status == StatusFinished && len(st.plans) > 0 &&
		st.plans[len(st.plans)-1].Decision == PlanUndecided
	return nil
}

// drives reports whether the time up to a record was spent driving the run,
// rather than waiting for somebody to come.
func drives(t EventType) bool {
	return t != Resumed && t != UserMessage && t != Abort && t != Imported && t != UndoStarted && t != UndoFinished
}

// folder decodes a record's payload and takes it in.
func folder[T any](st *State, e Event, take func(*State, Event, T) error) error {
	p, err := Decode[T](e)
	if err != nil {
		return err
	}
	return take(st, e, p)
}

func (st *State) fold(e Event) error {
	switch e.Type {
	case Start:
		return folder(st, e, (*State).foldStart)
	case UserMessage:
		return folder(st, e, (*State).foldUserMessage)
	case ContextLoaded:
		return folder(st, e, (*State).foldContext)
	case StepStart:
		return folder(st, e, (*State).foldStepStart)
	case ModelMessage:
		return folder(st, e, (*State).foldMessage)
	case ToolCallStarted:
		return folder(st, e, (*State).foldStarted)
	case ToolResult:
		return folder(st, e, (*State).foldResult)
	case ToolCallSuspended, ToolCallApproval:
		return folder(st, e, (*State).foldSuspended)
	case ToolOutputDenied:
		return folder(st, e, (*State).foldDenied)
	case ToolCallResumed:
		return folder(st, e, (*State).foldAnswer)
	case ModeChanged:
		return folder(st, e, (*State).foldMode)
	case StepFinish:
		return folder(st, e, (*State).foldStepFinish)
	case Summary:
		return folder(st, e, (*State).foldSummary)
	case Grant:
		return folder(st, e, (*State).foldGrant)
	case WorkspaceDigest:
		return folder(st, e, (*State).foldSurvey)
	case UndoStarted:
		return folder(st, e, (*State).foldUndoStarted)
	case UndoFinished:
		return folder(st, e, (*State).foldUndo)
	case Resumed:
		return folder(st, e, (*State).foldResumed)
	case Imported:
		return folder(st, e, (*State).foldImport)
	case Pause:
		return folder(st, e, (*State).foldPause)
	case Finish:
		return folder(st, e, (*State).foldFinish)
	case Failure:
		return folder(st, e, (*State).foldFailure)
	case Abort:
		return folder(st, e, (*State).foldAbort)
	}
	return nil
}

func (st *State) foldStart(e Event, p StartPayload) error {
	st.Run = Run{
		ID: e.RunID, AgentID: p.AgentID, Title: p.Title, Prompt: p.Prompt,
		Workspace: p.Workspace, Project: p.Project, BaseCommit: p.BaseCommit,
		IdempotencyKey: p.IdempotencyKey, Status: StatusRunning,
		Mode: p.Mode, Model: p.Model, Pinned: p.Pinned, Thinking: p.Thinking, Limits: p.Limits, Created: e.At,
	}
	st.messages = append(st.messages, Message{Role: RoleUser, Text: p.Prompt})
	return nil
}

// foldContext puts a context file before what the person said last.
func (st *State) foldContext(_ Event, p ContextFile) error {
	at := max(len(st.messages)-1, 0)
	st.messages = slices.Insert(st.messages, at, Message{Role: RoleUser, Text: p.Text})
	return nil
}

// running marks that the run goes on, unless something is still open.
func (st *State) running() {
	if len(st.Open()) > 0 {
		return
	}
	st.Run.Status, st.Run.Reason, st.Run.FinishReason, st.Run.Error = StatusRunning, "", "", nil
}

func (st *State) foldUserMessage(_ Event, p UserMessagePayload) error {
	m := Message{Role: RoleUser, Text: p.Text}
	if st.step != nil && st.step.replied {
		st.queued = append(st.queued, m)
	} else {
		st.messages = append(st.messages, m)
	}
	st.running()
	return nil
}

func (st *State) foldStepStart(_ Event, p StepStartPayload) error {
	st.step = &step{mode: p.Mode, model: p.Model}
	st.Run.Model = p.Model
	st.running()
	return nil
}

func (st *State) foldMessage(e Event, p MessagePayload) error {
	if st.step == nil || st.step.replied {
		return fmt.Errorf("fold run %s: record %d is a reply outside a step", e.RunID, e.Seq)
	}
	s := st.step
	s.replied, s.text, s.finishReason, s.usage = true, p.Text, p.FinishReason, p.Usage
	for _, tc := range p.ToolCalls {
		if st.calls[tc.ID] != nil {
			return fmt.Errorf("fold run %s: record %d repeats tool call %q", e.RunID, e.Seq, tc.ID)
		}
		c := &call{ToolCall: tc, place: len(st.calls) + 1}
		st.calls[tc.ID] = c
		s.calls = append(s.calls, c)
	}
	st.turns[p.Model]++
	st.faults = 0
	st.spend(s.mode, p.Usage)
	empty := strings.TrimSpace(p.Text) == "" && len(p.ToolCalls) == 0
	s.cut = p.End == EndCut && !empty && len(p.ToolCalls) == 0
	st.empties, st.cuts = counted(st.empties, empty), counted(st.cuts, s.cut)
	if empty {
		return nil
	}
	if p.Text != "" {
		st.Run.Text = p.Text
	}
	if p.End == EndRefused {
		return nil // to be asked anew, it must not read that it declined
	}
	st.messages = append(st.messages, Message{
		Role: RoleAssistant, Text: p.Text, ToolCalls: p.ToolCalls, Model: p.Model, Blocks: p.Blocks,
	})
	return nil
}

// counted counts what happens several times in a row.
func counted(n int, again bool) int {
	if again {
		return n + 1
	}
	return 0
}

// call returns the call a record is about.
func (st *State) call(e Event, id string) (*call, error) {
	if c, ok := st.calls[id]; ok {
		return c, nil
	}
	return nil, fmt.Errorf("fold run %s: record %d is about unknown tool call %q", e.RunID, e.Seq, id)
}

func (st *State) foldStarted(e Event, p StartedPayload) error {
	c, err := st.call(e, p.ToolCallID)
	if err != nil {
		return err
	}
	c.inFlight, c.happened, c.startedAt = true, false, e.At
	if p.Changes != nil { // one made again intends nothing where the first did it all
		c.intended = p.Changes
	}
	return nil
}

// settle records the one output of a call.
func (st *State) settle(e Event, id string, out ToolOutput) (*call, error) {
	c, err := st.call(e, id)
	if err != nil {
		return nil, err
	}
	if c.settled() {
		return nil, fmt.Errorf("fold run %s: record %d is a second result of tool call %s", e.RunID, e.Seq, id)
	}
	out.CallID, out.Name = c.ID, c.Name
	c.output, c.inFlight = &out, false
	return c, nil
}

func (st *State) foldResult(e Event, p ResultPayload) error {
	c, err := st.settle(e, p.ToolCallID, ToolOutput{Content: p.Result.Content, IsError: p.Result.IsError})
	if err != nil {
		return err
	}
	for _, f := range p.Result.Files {
		st.seen[f.Path] = f.Digest
	}
	for _, ch := range p.Result.Changes {
		st.seen[ch.Path] = ch.After
		st.edits.add(ch)
	}
	if p.Fallback {
		st.unanswered = append(st.unanswered, UnansweredCall{ToolCallID: c.ID, ToolName: c.Name, Content: p.Result.Content})
	}
	if sp := p.Result.SubmittedPlan; sp != nil && sp.Decision == PlanUndecided {
		return st.undecided(e, c, sp.PlanSubmission)
	}
	return nil
}

// undecided keeps a plan that met nobody, as a suspension that does not
// suspend.
func (st *State) undecided(e Event, c *call, sub PlanSubmission) error {
	payload, err := json.Marshal(sub)
	if err != nil {
		return fmt.Errorf("fold run %s: record %d: %w", e.RunID, e.Seq, err)
	}
	s := st.suspend(e, c, SuspendedPayload{Kind: KindPlan, Payload: payload})
	s.State = SuspensionUndecided
	st.addPlan(e, s, sub, PlanUndecided, "")
	return nil
}

func (st *State) suspend(e Event, c *call, p SuspendedPayload) *Suspension {
	s := &Suspension{
		Call: c.place, ToolCallID: c.ID, N: len(c.suspensions) + 1, Kind: p.Kind, ToolName: c.Name, Args: c.Args,
		Payload: p.Payload, Schema: p.Schema, Since: e.At, State: SuspensionOpen,
	}
	c.suspensions = append(c.suspensions, s)
	st.touch(s)
	return s
}

func (st *State) addPlan(e Event, s *Suspension, sub PlanSubmission, decision, by string) {
	if by == "" {
		by = AuthorAgent
	}
	path := planKey(st.Run.Workspace, sub.Path)
	for _, old := range st.plans {
		if old.Path == path && old.Decision == PlanUndecided {
			st.replace(st.calls[old.ToolCallID].suspension(old.N))
		}
	}
	if sub.Revision == 0 { // from a tool that read nothing
		sub.Revision = st.revision(path)
	}
	p := &Plan{
		RunID: e.RunID, ToolCallID: s.ToolCallID, N: s.N, Path: path,
		Submitted: sub.Path, Revision: sub.Revision, Title: sub.Title, Body: sub.Plan, Digest: sub.Digest,
		Author: by, SubmittedAt: e.At, Decision: decision,
	}
	st.plans = append(st.plans, p)
	st.touchPlan(p)
}

// foldSuspended takes a request to a person in. A plan shown again replaces
// the one shown before; on a settled call it stays undecided and the run goes
// on standing where it stood.
func (st *State) foldSuspended(e Event, p SuspendedPayload) error {
	c, err := st.call(e, p.ToolCallID)
	if err != nil {
		return err
	}
	if prev := c.suspension(len(c.suspensions)); prev != nil && p.Kind == KindPlan {
		st.replace(prev)
	}
	s := st.suspend(e, c, p)
	if p.Kind != KindInDoubt {
		c.inFlight = false
	}
	decision := PlanOpen
	if c.settled() {
		s.State, decision = SuspensionUndecided, PlanUndecided
	} else {
		st.Run.Status, st.Run.Reason, st.Run.FinishReason, st.Run.Error = StatusSuspended, "", FinishSuspended, nil
	}
	if p.Kind == KindPlan {
		var sub PlanSubmission
		if err := json.Unmarshal(p.Payload, &sub); err != nil {
			return fmt.Errorf("fold run %s: record %d: read plan: %w", e.RunID, e.Seq, err)
		}
		st.addPlan(e, s, sub, decision, p.By)
	}
	return nil
}

func (st *State) replace(prev *Suspension) {
	if prev.State != SuspensionOpen && prev.State != SuspensionUndecided {
		return
	}
	prev.State = SuspensionReplaced
	st.touch(prev)
	if p := st.plan(prev.ToolCallID, prev.N); p != nil {
		p.Decision = PlanReplaced
		st.touchPlan(p)
	}
}

func (st *State) foldDenied(e Event, p DeniedPayload) error {
	c, err := st.settle(e, p.ToolCallID, ToolOutput{Content: "Denied: " + p.Reason, IsError: true})
	if err != nil {
		return err
	}
	for _, s := range c.suspensions {
		if s.State == SuspensionOpen {
			s.State = SuspensionClosed
			st.touch(s)
			if p := st.plan(s.ToolCallID, s.N); p != nil {
				s.State, p.Decision = SuspensionUndecided, PlanUndecided
				st.touchPlan(p)
			}
		}
	}
	if p.Cause != DeniedCanceled {
		st.denied = append(st.denied, DeniedCall{ToolCallID: c.ID, ToolName: c.Name, Reason: p.Reason, Cause: p.Cause})
	}
	return nil
}

func (st *State) foldAnswer(e Event, p ResumedPayload) error {
	c, err := st.call(e, p.ToolCallID)
	if err != nil {
		return err
	}
	s := c.suspension(p.N)
	if s == nil || (s.State != SuspensionOpen && s.State != SuspensionUndecided) {
		return fmt.Errorf("fold run %s: record %d answers %s#%d, which takes no answer", e.RunID, e.Seq, p.ToolCallID, p.N)
	}
	s.Answer = &Answer{Data: p.Answer, By: p.By, Via: p.Via, At: e.At, Fresh: p.FreshContext}
	s.State = SuspensionAnswered
	st.touch(s)
	d := s.Answer.decision()
	if s.Kind == KindInDoubt {
		c.inFlight, c.happened = d.Action != Again, d.Action == Happened
	}
	if plan := st.plan(s.ToolCallID, s.N); plan != nil {
		st.decide(plan, d, p, e.At)
	}
	if !c.settled() {
		st.running()
	}
	return nil
}

func (st *State) decide(plan *Plan, d decision, p ResumedPayload, at time.Time) {
	plan.Decision = PlanRejected
	if d.Action == Approved {
		plan.Decision = PlanApproved
	}
	plan.Feedback, plan.By, plan.Via, plan.DecidedAt = d.Feedback, p.By, p.Via, &at
	st.touchPlan(plan)
}

func (st *State) foldMode(_ Event, p ModeChangedPayload) error {
	st.Run.Mode = p.ModeID
	return nil
}

// foldStepFinish hands the results to the conversation, in call order, and
// after them what the person said meanwhile.
func (st *State) foldStepFinish(e Event, _ StepFinishPayload) error {
	if st.step == nil {
		return fmt.Errorf("fold run %s: record %d ends no step", e.RunID, e.Seq)
	}
	var outputs []ToolOutput
	for _, c := range st.step.calls {
		if !c.settled() {
			return fmt.Errorf("fold run %s: record %d ends a step whose tool call %s has no result", e.RunID, e.Seq, c.ID)
		}
		outputs = append(outputs, *c.output)
	}
	if len(outputs) > 0 {
		st.messages = append(st.messages, Message{Role: RoleTool, Outputs: outputs})
	}
	if st.step.cut {
		st.messages = append(st.messages, Message{Role: RoleUser, Text: goOnFromCut, note: true})
	}
	st.messages = append(st.messages, st.queued...)
	st.queued, st.step = nil, nil
	return nil
}

func (st *State) foldGrant(_ Event, p GrantPayload) error {
	st.grants = append(st.grants, p.Rule)
	return nil
}

func (st *State) foldResumed(_ Event, p ResumePayload) error {
	if p.Model != "" {
		st.Run.Pinned, st.Run.Model, st.Run.ForeignModel = p.Model, p.Model, false
	}
	if p.Thinking != "" {
		st.Run.Thinking = p.Thinking
	}
	st.Run.Limits = st.Run.Limits.override(p.Limits)
	if p.Workspace != "" {
		st.Run.Workspace, st.Run.Project = p.Workspace, p.Project
	}
	st.running()
	return nil
}

// foldImport takes a run in from elsewhere: what was granted there is not
// granted here.
func (st *State) foldImport(_ Event, p ImportPayload) error {
	st.grants = nil
	st.Run.ForeignModel = true
	if p.Workspace != "" {
		st.Run.Workspace, st.Run.Project = p.Workspace, p.Project
	}
	return nil
}

func (st *State) foldPause(_ Event, p PausePayload) error {
	st.Run.Status, st.Run.Reason, st.Run.FinishReason = StatusPaused, p.Reason, p.FinishReason
	if p.FinishReason == "" {
		st.Run.FinishReason = string(p.Reason)
	}
	if p.Reason == PauseProvider {
		st.faults++
		st.Run.Error = &RunError{Code: CodeProvider, Message: p.Message, Hint: p.Hint, Retryable: p.Retryable}
	}
	return nil
}

func (st *State) foldFinish(_ Event, p FinishPayload) error {
	st.Run.Status, st.Run.Reason, st.Run.FinishReason, st.Run.Text = StatusFinished, "", p.FinishReason, p.Text
	return nil
}

func (st *State) foldFailure(_ Event, p ErrorPayload) error {
	st.Run.Status, st.Run.Reason, st.Run.FinishReason = StatusFailed, "", FinishError
	st.Run.Error = &RunError{Code: p.Code, Message: p.Message, Hint: p.Hint}
	return nil
}

func (st *State) foldAbort(_ Event, p ErrorPayload) error {
	st.Run.Status, st.Run.Reason, st.Run.FinishReason = StatusCanceled, "", FinishCanceled
	st.Run.Error = &RunError{Code: p.Code, Message: p.Message}
	return nil
}
