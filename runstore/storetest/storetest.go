// Package storetest is the suite every store of runs must pass.
package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// Factory makes handles of one store that is empty at first.
type Factory struct {
	// Open returns a further handle, as another process would have it. The
	// suite closes it.
	Open func(t *testing.T) runstore.Store
	// Kill ends the process of a handle as SIGKILL does: nothing is given up
	// in order.
	Kill func(t *testing.T, s runstore.Store)
}

// Run runs the suite; every test gets a store of its own.
func Run(t *testing.T, newStore func(t *testing.T) Factory) {
	for _, group := range [][]testCase{commitTests(), ownershipTests(), retryTests(), readTests(), listTests(), planTests(), deleteTests(), pruneTests()} {
		for _, test := range group {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				test.run(&suite{T: t, Factory: newStore(t)})
			})
		}
	}
}

type testCase struct {
	name string
	run  func(*suite)
}

// suite is one test with its store.
type suite struct {
	*testing.T
	Factory
}

// open returns a handle that is closed when the test ends.
func (s *suite) open() runstore.Store {
	s.Helper()
	h := s.Open(s.T)
	s.Cleanup(func() {
		if err := h.Close(); err != nil {
			s.Errorf("close: %v", err)
		}
	})
	return h
}

// start is when the runs of the suite begin.
func start() time.Time { return time.Date(2026, 11, 30, 10, 0, 0, 123456789, time.UTC) }

// newRun is a run that begins n seconds after start.
func newRun(id string, n int) agent.Run {
	at := start().Add(time.Duration(n) * time.Second)
	return agent.Run{
		ID: id, Title: "Title of " + id, Prompt: "Prompt of " + id, Workspace: "/ws", Project: "/ws",
		Status: agent.StatusRunning, Mode: "plan", Model: "script:x", Created: at, Updated: at,
	}
}

// id is a run's ID in the shape of a UUIDv7.
func id(n int) string { return fmt.Sprintf("01939f3c-2a00-7000-8000-%012x", n) }

// events are records base+1 … base+n of a run.
func events(runID string, base int64, n int) []agent.Event {
	out := make([]agent.Event, n)
	for i := range out {
		seq := base + int64(i) + 1
		out[i] = agent.Event{
			Seq: seq, At: start().Add(time.Duration(seq) * time.Millisecond), Type: agent.UserMessage,
			RunID: runID, From: agent.From, Payload: json.RawMessage(fmt.Sprintf(`{"text":"record %d"}`, seq)),
		}
	}
	return out
}

// change appends n records to a run behind base.
func change(run agent.Run, base int64, n int) agent.Change {
	run.Seq = base + int64(n)
	return agent.Change{ID: agent.NewID(), Run: run, Base: base, Events: events(run.ID, base, n)}
}

// owned is change by, or into, an owner.
func owned(run agent.Run, base int64, n int, epoch int64) agent.Change {
	c := change(run, base, n)
	c.Epoch, c.Own = epoch, true
	return c
}

// commit commits and returns the epoch; the test ends if it fails.
func (s *suite) commit(h runstore.Store, c agent.Change) int64 {
	s.Helper()
	epoch, err := h.Commit(s.Context(), c)
	if err != nil {
		s.Fatalf("commit on record %d: %v", c.Base, err)
	}
	return epoch
}

// load loads a run; the test ends if it fails.
func (s *suite) load(h runstore.Store, id string) agent.Snapshot {
	s.Helper()
	snap, err := h.Load(s.Context(), id)
	if err != nil {
		s.Fatalf("load %s: %v", id, err)
	}
	return snap
}
