package storetest

import (
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

func ownershipTests() []testCase {
	return []testCase{
		{"Ownership/claim, go on, give up", (*suite).claimAndRelease},
		{"Ownership/a live owner keeps others out", (*suite).busy},
		{"Ownership/also those in its own process", (*suite).busyInside},
		{"Ownership/a dead owner does not", (*suite).deadOwner},
		{"Ownership/a closed handle is dead", (*suite).closedOwner},
		{"Ownership/force takes over and fences", (*suite).force},
		{"Ownership/ending another's ownership fences it", (*suite).endOther},
		{"Ownership/an epoch serves its owner only", (*suite).borrowedEpoch},
		{"Ownership/fenced comes before conflict", (*suite).fencedFirst},
		{"Ownership/conflict comes before busy", (*suite).conflictFirst},
		{"Ownership/release without records", (*suite).bareRelease},
		{"Ownership/one of many takes over the dead", (*suite).takeOverRace},
	}
}

// ownedBy checks whom a run belongs to.
func (s *suite) ownedBy(h runstore.Store, runID string, epoch int64, owned, alive bool) agent.Snapshot {
	s.Helper()
	snap := s.load(h, runID)
	now, err := h.Epoch(s.Context(), runID)
	if err != nil || now != snap.Epoch {
		s.Errorf("epoch is %d (%v), in the snapshot %d", now, err, snap.Epoch)
	}
	if snap.Epoch != epoch || (snap.Owner != nil) != owned || snap.Alive != alive {
		s.Errorf("epoch %d, owner %v, alive %v; want %d, %v, %v", snap.Epoch, snap.Owner, snap.Alive, epoch, owned, alive)
	}
	return snap
}

func (s *suite) claimAndRelease() {
	h, run := s.open(), newRun(id(1), 0)
	before := time.Now().Add(-time.Second)
	if epoch := s.commit(h, owned(run, 0, 1, 0)); epoch != 1 {
		s.Fatalf("first claim has epoch %d, want 1", epoch)
	}
	first := s.ownedBy(h, run.ID, 1, true, true)
	if first.Owner.Since.Before(before) || first.Owner.ID == "" || first.Owner.Host == "" {
		s.Errorf("owner is %+v", first.Owner)
	}
	if epoch := s.commit(h, owned(run, 1, 1, 1)); epoch != 1 {
		s.Errorf("going on has epoch %d, want 1", epoch)
	}
	if since := s.ownedBy(h, run.ID, 1, true, true).Owner.Since; !since.Equal(first.Owner.Since) {
		s.Errorf("owned since %v, want %v", since, first.Owner.Since)
	}
	c := change(run, 2, 1)
	c.Epoch = 1
	if epoch := s.commit(h, c); epoch != 1 {
		s.Errorf("release has epoch %d, want 1", epoch)
	}
	s.ownedBy(h, run.ID, 1, false, false)
	if epoch := s.commit(s.open(), owned(run, 3, 1, 0)); epoch != 2 {
		s.Errorf("second claim has epoch %d, want 2", epoch)
	}
}

func (s *suite) busy() {
	h, run := s.open(), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 1, 0))
	_, err := s.open().Commit(s.Context(), change(run, 1, 1))
	var busy *agent.BusyError
	if !errors.As(err, &busy) || !errors.Is(err, agent.ErrBusy) {
		s.Fatalf("got %v, want busy", err)
	}
	if owner := s.load(h, run.ID).Owner; busy.RunID != run.ID || busy.Owner.ID != owner.ID || !busy.Owner.Since.Equal(owner.Since) {
		s.Errorf("busy names %+v, want %+v", busy.Owner, owner)
	}
	s.ownedBy(h, run.ID, 1, true, true)
}

func (s *suite) busyInside() {
	h, run := s.open(), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 1, 0))
	if _, err := h.Commit(s.Context(), owned(run, 1, 1, 0)); !errors.Is(err, agent.ErrBusy) {
		s.Errorf("got %v, want busy", err)
	}
}

func (s *suite) deadOwner() {
	h, other, run := s.Open(s.T), s.open(), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 1, 0))
	s.Kill(s.T, h)
	if snap := s.ownedBy(other, run.ID, 1, true, false); snap.Current() != agent.StatusInterrupted {
		s.Errorf("status is %s, want interrupted", snap.Current())
	}
	if epoch := s.commit(other, owned(run, 1, 1, 0)); epoch != 2 {
		s.Errorf("take-over has epoch %d, want 2", epoch)
	}
	s.ownedBy(other, run.ID, 2, true, true)
}

func (s *suite) closedOwner() {
	h, other, run := s.Open(s.T), s.open(), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 1, 0))
	if err := h.Close(); err != nil {
		s.Fatal(err)
	}
	s.ownedBy(other, run.ID, 1, true, false)
}

func (s *suite) force() {
	h, other, run := s.open(), s.open(), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 1, 0))
	c := owned(run, 1, 1, 0)
	c.Force = true
	if epoch := s.commit(other, c); epoch != 2 {
		s.Errorf("take-over has epoch %d, want 2", epoch)
	}
	if _, err := h.Commit(s.Context(), owned(run, 2, 1, 1)); !errors.Is(err, agent.ErrFenced) {
		s.Errorf("old owner: got %v, want fenced", err)
	}
	s.commit(other, owned(run, 2, 1, 2))
}

// endOther cancels a driven run: the owner must learn of it.
func (s *suite) endOther() {
	h, other, run := s.open(), s.open(), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 1, 0))
	c := change(run, 1, 1)
	c.Force = true
	if epoch := s.commit(other, c); epoch != 2 {
		s.Errorf("cancel has epoch %d, want 2", epoch)
	}
	s.ownedBy(other, run.ID, 2, false, false)
	if _, err := h.Commit(s.Context(), owned(run, 2, 1, 1)); !errors.Is(err, agent.ErrFenced) {
		s.Errorf("old owner: got %v, want fenced", err)
	}
}

func (s *suite) borrowedEpoch() {
	h, other, run := s.open(), s.open(), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 1, 0))
	if _, err := other.Commit(s.Context(), owned(run, 1, 1, 1)); !errors.Is(err, agent.ErrFenced) {
		s.Errorf("got %v, want fenced", err)
	}
}

func (s *suite) fencedFirst() {
	h, run := s.open(), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 2, 0))
	if _, err := h.Commit(s.Context(), owned(run, 1, 3, 9)); !errors.Is(err, agent.ErrFenced) {
		s.Errorf("stale epoch, stale base: got %v, want fenced", err)
	}
	if _, err := h.Commit(s.Context(), owned(run, 1, 3, 1)); !errors.Is(err, agent.ErrConflict) {
		s.Errorf("good epoch, stale base: got %v, want a conflict", err)
	}
}

func (s *suite) conflictFirst() {
	h, run := s.open(), newRun(id(1), 0)
	s.commit(h, change(run, 0, 1))
	s.commit(h, owned(run, 1, 1, 0))
	c := owned(run, 1, 1, 0)
	c.Events[0].Payload = json.RawMessage(`{"text":"too late"}`)
	if _, err := s.open().Commit(s.Context(), c); !errors.Is(err, agent.ErrConflict) {
		s.Errorf("got %v, want a conflict", err)
	}
}

func (s *suite) bareRelease() {
	h, run := s.open(), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 1, 0))
	c := change(run, 1, 0)
	c.Epoch = 1
	s.commit(h, c)
	if snap := s.ownedBy(h, run.ID, 1, false, false); len(snap.Events) != 1 || snap.Seq != 1 {
		s.Errorf("%d records, seq %d; want 1, 1", len(snap.Events), snap.Seq)
	}
}

func (s *suite) takeOverRace() {
	h, run := s.Open(s.T), newRun(id(1), 0)
	s.commit(h, owned(run, 0, 1, 0))
	s.Kill(s.T, h)
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		other := s.open()
		group.Go(func() { _, errs[i] = other.Commit(s.Context(), owned(run, 1, 0, 0)) })
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, agent.ErrBusy):
			s.Errorf("got %v, want busy", err)
		}
	}
	if won != 1 {
		s.Errorf("%d took over, want 1", won)
	}
}
