package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-3e5a1d81/agent/agent"
)

// errStop ends the context of a drive where the recorded one was stopped.
var errStop = errors.New("the recorded drive was stopped here")

// stage is the world of one attempt: what models, tools, policy and people gave
// in the recorded segment. It is safe for concurrent use.
type stage struct {
	seg     segment
	as      assumption
	cancel  context.CancelCauseFunc
	cut     bool  // the recorded drive was ended from outside
	cutAt   int64 // seq of the last record before that
	agentID string
	model   string            // where neither run nor mode names one
	models  map[string]string // by mode
	last    agent.Event       // of the segment

	results  map[string]agent.Result // by call
	asked    map[string]agent.SuspendedPayload
	verdicts map[string]agent.Verdict
	started  map[string]bool
	intents  map[string][]agent.FileChange // of calls that started, what they were about to change
	unasked  map[string]bool               // calls that would have asked and could not
	silent   map[string]bool               // calls that asked a person, and were denied because nobody was there
	lost     map[string]bool               // calls with an effect that asked a person, and the request was lost with the drive

	unpriced map[string]bool // models whose prices were not known

	mu        sync.Mutex
	replies   []reply
	tooLong   bool            // the request before a summary was refused as too long
	left      map[string]bool // calls whose results did not come yet
	delivered int
	ahead     bool          // the calls at work were followed by one that was made
	more      chan struct{} // closed and made anew with each result that comes
}

// reply is a recorded answer of a model. refused says that a request was found
// too long before: its step was open already.
type reply struct {
	agent.Reply
	summary, refused bool
}

// newStage reads a segment; acts are the tools that have effects.
func newStage(journal []agent.Event, seg segment, as assumption, acts map[string]bool, cancel context.CancelCauseFunc) (*stage, error) {
	s := &stage{
		seg: seg, as: as, cancel: cancel, models: map[string]string{}, results: map[string]agent.Result{},
		asked: map[string]agent.SuspendedPayload{}, verdicts: map[string]agent.Verdict{}, started: map[string]bool{}, intents: map[string][]agent.FileChange{}, unasked: map[string]bool{}, silent: map[string]bool{}, lost: map[string]bool{},
		unpriced: map[string]bool{}, left: map[string]bool{}, more: make(chan struct{}), last: journal[seg.to-1],
	}
	s.cut, s.cutAt = seg.end != ended, int64(seg.to)
	if seg.end == paused || seg.end == dropped {
		s.cutAt--
	}
	for _, e := range journal[:max(seg.from, 1)] {
		if err := s.before(e); err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
	}
	for i := seg.from; i < seg.to; i++ {
		if err := s.read(journal[i], i > 0 && journal[i-1].Type == agent.StepStart); err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
	}
	if s.cut {
		return s, s.forgotten(journal, acts)
	}
	return s, nil
}

// before takes in what was so when the segment began.
func (s *stage) before(e agent.Event) error {
	switch e.Type {
	case agent.Start:
		p, err := agent.Decode[agent.StartPayload](e)
		s.agentID, s.model = p.AgentID, p.Model
		return err
	case agent.StepStart:
		p, err := agent.Decode[agent.StepStartPayload](e)
		s.model = p.Model
		return err
	}
	return nil
}

// read takes in one record of the segment.
func (s *stage) read(e agent.Event, afterStepStart bool) error {
	var p struct {
		agent.CallPayload
		agent.StepStartPayload
	}
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return fmt.Errorf("read %s record %d: %w", e.Type, e.Seq, err)
	}
	id := p.ToolCallID
	switch e.Type {
	case agent.StepStart:
		if s.models[p.Mode] == "" {
			s.models[p.Mode] = p.Model
		}
	case agent.ModelMessage, agent.Summary:
		return s.readReply(e, afterStepStart)
	case agent.ToolCallStarted:
		p, err := agent.Decode[agent.StartedPayload](e)
		s.started[id], s.intents[id] = true, append([]agent.FileChange{}, p.Changes...)
		return err
	case agent.ToolResult:
		return s.readResult(e, id)
	case agent.ToolCallSuspended, agent.ToolCallApproval:
		return s.readSuspended(e, id)
	case agent.ToolOutputDenied:
		return s.readDenied(e, id)
	case agent.UserMessage:
		if s.seg.late != "" {
			m, err := agent.Decode[agent.UserMessagePayload](e)
			s.results[s.seg.late] = agent.Result{Content: m.Text}
			return err
		}
	}
	return nil
}

func (s *stage) readReply(e agent.Event, afterStepStart bool) error {
	if e.Type == agent.Summary {
		p, err := agent.Decode[agent.SummaryPayload](e)
		if p.Model != "" { // else the person wanted a fresh context
			s.replies = append(s.replies, reply{agent.Reply{Text: p.Text, Usage: p.Usage}, true, afterStepStart})
			s.price(p.Model, p.Usage)
		}
		return err
	}
	p, err := agent.Decode[agent.MessagePayload](e)
	s.replies = append(s.replies, reply{Reply: agent.Reply{
		Text: p.Text, ToolCalls: p.ToolCalls, Usage: p.Usage, FinishReason: p.FinishReason, End: p.End, Blocks: p.Blocks,
	}})
	s.price(p.Model, p.Usage)
	return err
}

func (s *stage) price(model string, u agent.Usage) { s.unpriced[model] = u.Cost == nil }

func (s *stage) readResult(e agent.Event, id string) error {
	dec := json.NewDecoder(bytes.NewReader(e.Payload))
	dec.UseNumber() // numbers stay as they were written
	var p agent.ResultPayload
	if err := dec.Decode(&p); err != nil {
		return fmt.Errorf("read result of call %s: %w", id, err)
	}
	sp := p.Result.SubmittedPlan
	s.unasked[id] = p.Fallback || sp != nil && sp.Decision == agent.PlanUndecided
	s.results[id], s.left[id] = p.Result, true
	return nil
}

func (s *stage) readSuspended(e agent.Event, id string) error {
	p, err := agent.Decode[agent.SuspendedPayload](e)
	switch p.Kind {
	case agent.KindInDoubt:
	case agent.KindApproval:
		var a agent.ApprovalRequest
		err = errors.Join(err, json.Unmarshal(p.Payload, &a))
		s.verdicts[id] = agent.Verdict{Action: agent.ActionAsk, Reason: a.Reason, Rule: a.Rule}
	default:
		s.asked[id], s.left[id] = p, true
	}
	return err
}

func (s *stage) readDenied(e agent.Event, id string) error {
	p, err := agent.Decode[agent.DeniedPayload](e)
	switch p.Cause {
	case agent.DeniedByPolicy:
		s.verdicts[id] = agent.Verdict{Action: agent.ActionDeny, Reason: p.Reason}
	case agent.DeniedByPerson:
		s.verdicts[id] = agent.Verdict{Action: agent.ActionAsk}
	case agent.DeniedNobody:
		s.silent[id], s.left[id] = true, true
		if !s.started[id] {
			s.verdicts[id] = agent.Verdict{Action: agent.ActionAsk}
		}
	}
	return err
}

// forgotten finds the calls with an effect whose requests to a person were
// lost with the drive: those that stand before another one of their step that
// was reached, and of which nothing came.
func (s *stage) forgotten(journal []agent.Event, acts map[string]bool) error {
	step, since := lastStep(journal[:s.seg.to])
	settled, reached := map[string]bool{}, map[string]bool{}
	for _, e := range since {
		if !settles(e.Type) && e.Type != agent.ToolCallStarted {
			continue
		}
		p, err := agent.Decode[agent.CallPayload](e)
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		settled[p.ToolCallID] = settles(e.Type)
		reached[p.ToolCallID] = e.Seq > int64(s.seg.from)
	}
	later, found := false, s.as.stop != stopGate
	for _, c := range slices.Backward(step) {
		_, asked := s.asked[c.ID]
		if later && acts[c.Name] && !settled[c.ID] && !asked {
			s.lost[c.ID], found = found, true
		}
		later = later || reached[c.ID]
	}
	return nil
}
