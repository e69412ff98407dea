package storetest

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

func retryTests() []testCase {
	return []testCase{
		{"Retry/equal bytes succeed with the epoch they got", (*suite).retry},
		{"Retry/of a first change", (*suite).retryCreate},
		{"Retry/of what a fenced owner had committed", (*suite).retryFenced},
		{"Retry/equal bytes of another change are no retry", (*suite).twin},
		{"Retry/other bytes conflict", (*suite).notQuite},
		{"Key/starts one run in a project", (*suite).oneRunAKey},
		{"Key/one of twenty runs wins", (*suite).oneRunOfTwenty},
	}
}

func (s *suite) retry() {
	h, run := s.open(), newRun(id(1), 0)
	s.commit(h, change(run, 0, 1))
	claim := owned(run, 1, 2, 0)
	for range 3 {
		if epoch := s.commit(h, claim); epoch != 1 {
			s.Errorf("epoch %d, want 1", epoch)
		}
	}
	s.commit(h, owned(run, 3, 1, 1))
	s.commit(h, claim)
	if snap := s.load(h, run.ID); len(snap.Events) != 4 || snap.Seq != 4 {
		s.Errorf("%d records, seq %d; want 4, 4", len(snap.Events), snap.Seq)
	}
}

func (s *suite) retryCreate() {
	h, run := s.open(), newRun(id(1), 0)
	claim := owned(run, 0, 1, 0)
	s.commit(h, claim)
	if epoch := s.commit(h, claim); epoch != 1 {
		s.Errorf("epoch %d, want 1", epoch)
	}
}

// retryFenced: what was committed was committed; the owner must not be handed
// the epoch of whoever took over since.
func (s *suite) retryFenced() {
	h, other, run := s.open(), s.open(), newRun(id(1), 0)
	claim := owned(run, 0, 1, 0)
	s.commit(h, claim)
	force := owned(run, 1, 1, 0)
	force.Force = true
	s.commit(other, force)
	if epoch := s.commit(h, claim); epoch != 1 {
		s.Errorf("epoch %d, want 1", epoch)
	}
	if _, err := h.Commit(s.Context(), owned(run, 2, 1, 1)); !errors.Is(err, agent.ErrFenced) {
		s.Errorf("got %v, want fenced", err)
	}
}

// twin: the same answer is given twice at the same moment, by two processes or
// by two goroutines of one. If both were told they won, both would drive the
// run.
func (s *suite) twin() {
	h, other, run := s.open(), s.open(), newRun(id(1), 0)
	s.commit(h, change(run, 0, 1))
	s.commit(h, owned(run, 1, 1, 0))
	for _, store := range []agent.Store{other, h} {
		if _, err := store.Commit(s.Context(), owned(run, 1, 1, 0)); !errors.Is(err, agent.ErrConflict) {
			s.Errorf("got %v, want a conflict", err)
		}
	}
}

func (s *suite) notQuite() {
	h, run := s.open(), newRun(id(1), 0)
	whole := change(run, 0, 3)
	s.commit(h, whole)
	for name, alter := range map[string]func(*agent.Change){
		"payload":      func(c *agent.Change) { c.Events[1].Payload = json.RawMessage(`{"text": "record 2"}`) },
		"time":         func(c *agent.Change) { c.Events[1].At = c.Events[1].At.Add(time.Nanosecond) },
		"type":         func(c *agent.Change) { c.Events[1].Type = agent.Grant },
		"one more":     func(c *agent.Change) { c.Events = events(run.ID, 0, 4) },
		"none at all":  func(c *agent.Change) { c.Events = nil },
		"another base": func(c *agent.Change) { *c = change(run, 1, 3) },
	} {
		c := whole
		c.Events = slices.Clone(whole.Events)
		alter(&c)
		if _, err := h.Commit(s.Context(), c); !errors.Is(err, agent.ErrConflict) {
			s.Errorf("%s: got %v, want a conflict", name, err)
		}
	}
}

// keyed is the first change of run n, with an idempotency key.
func keyed(n int, project, key string) agent.Change {
	run := newRun(id(n), n)
	run.Project, run.IdempotencyKey = project, key
	return owned(run, 0, 1, 0)
}

func (s *suite) oneRunAKey() {
	h, other := s.open(), s.open()
	first := keyed(1, "/a", "key")
	s.commit(h, first)
	s.commit(h, first) // a retry
	var used *agent.KeyUsedError
	if _, err := other.Commit(s.Context(), keyed(2, "/a", "key")); !errors.As(err, &used) || used.RunID != id(1) || used.Key != "key" {
		s.Errorf("got %v, want the run that has the key", err)
	}
	if _, err := other.Load(s.Context(), id(2)); !errors.Is(err, agent.ErrRunNotFound) {
		s.Errorf("a refused run is stored: %v", err)
	}
	s.commit(other, keyed(3, "/b", "key"))
	s.commit(other, keyed(4, "/a", "another"))
	s.commit(other, keyed(5, "/a", ""))
	s.commit(other, keyed(6, "/a", ""))
	next := change(first.Run, 1, 1)
	next.Epoch, next.Own = 1, true
	s.commit(h, next) // the run with the key goes on
}

func (s *suite) oneRunOfTwenty() {
	const tries = 20
	results := make(chan error, tries)
	for n := range tries {
		h := s.open()
		go func() {
			_, err := h.Commit(s.Context(), keyed(n, "/a", "key"))
			results <- err
		}()
	}
	won, lost := 0, map[string]bool{}
	for range tries {
		var used *agent.KeyUsedError
		switch err := <-results; {
		case err == nil:
			won++
		case errors.As(err, &used):
			lost[used.RunID] = true
		default:
			s.Errorf("commit: %v", err)
		}
	}
	if won != 1 || len(lost) != 1 || len(s.list(s.open(), agent.RunQuery{})) != 1 {
		s.Errorf("%d won, the others were told of %v", won, lost)
	}
}
