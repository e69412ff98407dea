package storetest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

func deleteTests() []testCase {
	return []testCase{
		{"Digests/name what was kept for a run", (*suite).digests},
		{"Delete/leaves nothing of the run", (*suite).deleted},
		{"Delete/keeps content another run has", (*suite).deleteShared},
		{"Delete/refuses what is driven, and what is not there", (*suite).deleteRefused},
	}
}

// rich is a run with something in every place a store may keep.
func rich(n int, blobs ...string) agent.Change {
	run := newRun(id(n), n)
	c := change(run, 0, 3)
	c.Suspensions = []agent.Suspension{{ToolCallID: "c", N: 1, Kind: agent.KindQuestion, State: agent.SuspensionOpen,
		Payload: json.RawMessage(`{"question":"needle in a question"}`)}}
	c.Plans = []agent.Plan{{RunID: run.ID, Path: "p.md", Revision: 1, Title: "T", Body: "needle in a plan", Decision: agent.PlanOpen}}
	for _, b := range blobs {
		c.Blobs = append(c.Blobs, []byte(b))
	}
	return c
}

func (s *suite) wantDigests(h runstore.Store, runID string, blobs ...string) {
	s.Helper()
	var want []string
	for _, b := range blobs {
		want = append(want, agent.Digest([]byte(b)))
	}
	slices.Sort(want)
	if got, err := h.Digests(s.Context(), runID); err != nil || !slices.Equal(got, want) {
		s.Errorf("content of %s: %v, %v; want %v", runID, got, err, want)
	}
}

func (s *suite) digests() {
	h := s.open()
	c := rich(1, "a", "b", "a")
	s.commit(h, c)
	next := change(c.Run, 3, 1)
	next.Blobs = [][]byte{[]byte("b"), []byte("c"), {}}
	s.commit(h, next)
	s.commit(h, rich(2, "b"))
	s.wantDigests(h, id(1), "a", "b", "c", "")
	s.wantDigests(h, id(2), "b")
	s.wantDigests(h, id(3))
}

func (s *suite) deleted() {
	h, other := s.open(), s.open()
	s.commit(h, rich(1, "mine"))
	s.commit(h, rich(2, "yours"))
	if err := h.Delete(s.Context(), id(1)); err != nil {
		s.Fatal(err)
	}
	if _, err := other.Load(s.Context(), id(1)); !errors.Is(err, agent.ErrRunNotFound) {
		s.Errorf("load: %v", err)
	}
	if _, err := other.Blob(s.Context(), agent.Digest([]byte("mine"))); !errors.Is(err, fs.ErrNotExist) {
		s.Errorf("blob: %v", err)
	}
	if e, err := other.Events(s.Context(), id(1), 0); err != nil || len(e) != 0 {
		s.Errorf("%d events, %v", len(e), err)
	}
	if p, err := other.Plans(s.Context(), runstore.PlanQuery{}); err != nil || len(p) != 1 {
		s.Errorf("%d plans, %v; want that of the other run", len(p), err)
	}
	s.wantDigests(other, id(1))
	for _, q := range []agent.RunQuery{{}, {Search: "needle"}, {Search: "ne"}, {IDPart: "01939f3c"}} {
		s.wantList(other, q, id(2))
	}
	s.commit(h, rich(1, "mine")) // the ID is free again
	s.wantList(other, agent.RunQuery{Search: "needle"}, id(2), id(1))
}

func (s *suite) deleteShared() {
	h := s.open()
	s.commit(h, rich(1, "shared", "mine"))
	s.commit(h, rich(2, "shared"))
	if err := h.Delete(s.Context(), id(1)); err != nil {
		s.Fatal(err)
	}
	if data, err := h.Blob(s.Context(), agent.Digest([]byte("shared"))); err != nil || string(data) != "shared" {
		s.Errorf("content of the other run: %q, %v", data, err)
	}
	if err := h.Delete(s.Context(), id(2)); err != nil {
		s.Fatal(err)
	}
	if _, err := h.Blob(s.Context(), agent.Digest([]byte("shared"))); !errors.Is(err, fs.ErrNotExist) {
		s.Errorf("content of no run: %v", err)
	}
}

func (s *suite) deleteRefused() {
	h, dead := s.open(), s.Open(s.T)
	if err := h.Delete(s.Context(), id(1)); !errors.Is(err, agent.ErrRunNotFound) {
		s.Errorf("of no run: %v", err)
	}
	s.commit(dead, owned(newRun(id(1), 1), 0, 1, 0))
	if err := h.Delete(s.Context(), id(1)); !errors.Is(err, agent.ErrBusy) {
		s.Errorf("of a driven run: %v", err)
	}
	s.load(h, id(1))
	s.Kill(s.T, dead)
	if err := h.Delete(s.Context(), id(1)); err != nil {
		s.Errorf("of one whose process died: %v", err)
	}
}
