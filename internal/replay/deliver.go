package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// deliveries is how many replies and results the loop was given.
func (s *stage) deliveries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.delivered
}

// deliver counts a reply or result the loop is given; mu is held.
func (s *stage) deliver() {
	s.delivered++
	if s.as.stop == stopAfter && s.delivered == s.as.after {
		s.cancel(errStop)
	}
}

// committed learns that the journal has so many records.
func (s *stage) committed(seq int64) {
	if s.cut && s.as.stop == stopCommit && seq >= s.cutAt {
		s.cancel(errStop)
	}
}

// next is the reply to a request of the model.
func (s *stage) next(ctx context.Context) (agent.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.replies) == 0 {
		return agent.Reply{}, s.none(ctx)
	}
	r := s.replies[0]
	if r.refused && !s.tooLong {
		s.tooLong = true
		return agent.Reply{}, &agent.ProviderError{Message: "too long", TooLong: true}
	}
	s.replies, s.tooLong = s.replies[1:], false
	s.deliver()
	return r.Reply, nil
}

// none is why a request had no reply.
func (s *stage) none(ctx context.Context) error {
	switch s.last.Type {
	case agent.Pause:
		p, err := agent.Decode[agent.PausePayload](s.last)
		if err == nil && p.Reason == agent.PauseProvider {
			return fault(p)
		}
	case agent.Failure:
		p, err := agent.Decode[agent.ErrorPayload](s.last)
		if err == nil && p.Code == agent.CodeProvider {
			return errors.New(p.Message)
		}
	}
	if s.cut {
		s.cancel(errStop)
		return context.Cause(ctx)
	}
	return errors.New("the recorded run asked for no further reply here")
}

// fault is the error of a provider that makes a pause.
func fault(p agent.PausePayload) *agent.ProviderError {
	e := &agent.ProviderError{Message: strings.TrimPrefix(p.Message, "provider: "), Hint: p.Hint, Retryable: p.Retryable}
	answer, answered := strings.CutPrefix(p.Message, "provider answered ")
	code, message, told := strings.Cut(answer, ": ")
	if status, err := strconv.Atoi(code); answered && told && err == nil {
		e.Status, e.Message = status, message
	}
	return e
}

// facts makes the loop ask for a summary where the recorded one did, and only
// there: how much a request may hold is not recorded.
func (s *stage) facts(model string) agent.ModelFacts {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := agent.ModelFacts{Prices: &agent.Prices{}}
	if s.unpriced[model] || s.last.Type == agent.Pause && bytes.Contains(s.last.Payload, []byte("the prices of")) {
		f.Prices = nil
	}
	switch {
	case len(s.replies) == 0 && s.as.short, len(s.replies) > 0 && s.replies[0].summary && (!s.replies[0].refused || s.tooLong):
		f.ContextWindow = 3 // nothing fits
	}
	return f
}

// quiet is how long no result may come before a call that never had one is
// taken for the last thing at work.
const quiet = 50 * time.Millisecond

// outcome is what a call gave: a result, a request to a person, or nothing
// when the drive was stopped.
func (s *stage) outcome(ctx context.Context, call agent.Call, readOnly bool) (agent.Result, error) {
	p, asks := s.asked[call.ID]
	r, gives := s.results[call.ID]
	switch {
	case asks:
		s.came(call.ID)
		return suspend(call, p)
	case s.silent[call.ID]:
		s.came(call.ID)
		return suspend(call, agent.SuspendedPayload{Payload: json.RawMessage(`{}`)})
	case s.unasked[call.ID] && call.Suspend != nil, s.lost[call.ID], !gives && s.passed():
		return suspend(call, agent.SuspendedPayload{Payload: json.RawMessage(`{}`)})
	case gives:
		s.came(call.ID)
		return r, nil
	case !s.cut:
		return agent.Result{}, errors.New("the recorded run has no result of this call here")
	case readOnly:
		s.await(ctx)
	}
	s.cancel(errStop)
	return agent.Result{}, context.Cause(ctx)
}

// verdict is what was decided about a call. A call with an effect is looked at
// before those that precede it are at work, and made after them.
func (s *stage) verdict(p agent.PermissionRequest) agent.Verdict {
	v, decided := s.verdicts[p.CallID]
	switch {
	case decided:
		return v
	case p.Tool.Effect == agent.EffectReadOnly:
	case s.lost[p.CallID] && !s.started[p.CallID]:
		return agent.Verdict{Action: agent.ActionAsk}
	default:
		_, gave := s.results[p.CallID]
		s.mu.Lock()
		s.ahead = s.started[p.CallID] || gave && p.Tool.Effect == agent.EffectIdempotent
		s.mu.Unlock()
	}
	return agent.Verdict{Action: agent.ActionAllow}
}

// passed reports whether a call with an effect was made after the calls at
// work: one of which nothing came asked a person, and the request was lost.
func (s *stage) passed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cut && s.ahead
}

// reach comes to a call that is about to be made. A drive that was stopped did
// not come to one with an effect of which nothing is recorded.
func (s *stage) reach(_ context.Context, def agent.Definition, call agent.Call) error {
	if def.Effect == agent.EffectReadOnly {
		return nil
	}
	s.mu.Lock()
	s.ahead = false
	s.mu.Unlock()
	_, asks := s.asked[call.ID]
	_, gives := s.results[call.ID]
	if !s.cut || asks || gives || s.started[call.ID] || s.silent[call.ID] || s.lost[call.ID] {
		return nil
	}
	s.cancel(errStop)
	return errStop
}

// came takes note that a recorded outcome of a call was given.
func (s *stage) came(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.left, id)
	s.deliver()
	close(s.more)
	s.more = make(chan struct{})
}

// expects reports whether an answer was at hand: the request was made although
// nobody could be asked, or the run did not fail for it.
func (s *stage) expects(sus agent.Suspension) bool {
	_, asked := s.asked[sus.ToolCallID]
	_, gave := s.results[sus.ToolCallID]
	if asked || !gave && s.passed() {
		return true
	}
	p, err := agent.Decode[agent.ErrorPayload](s.last)
	name := " " + sus.ToolCallID + " ("
	return err == nil && s.last.Type == agent.Failure && p.Code == agent.CodeAsked && !strings.Contains(p.Message, name)
}

// await waits until the calls beside this one have come to their results.
func (s *stage) await(ctx context.Context) {
	for {
		s.mu.Lock()
		more, left := s.more, len(s.left)
		s.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(quiet):
			return // what is left belongs to calls no tool is asked about
		case <-more:
		}
	}
}

// suspend asks a person as the recorded call did.
func suspend(call agent.Call, p agent.SuspendedPayload) (agent.Result, error) {
	if call.Suspend == nil {
		return agent.ErrorResult("the recorded call asked a person"), nil
	}
	if p.Kind != agent.KindPlan {
		return call.Suspend(p.Payload)
	}
	var sub agent.PlanSubmission
	if err := json.Unmarshal(p.Payload, &sub); err != nil {
		return agent.Result{}, fmt.Errorf("read recorded plan: %w", err)
	}
	if sub.Digest != "" {
		sub.Source = []byte(sub.Plan)
	}
	return call.Suspend(sub)
}
