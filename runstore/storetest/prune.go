package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

func pruneTests() []testCase {
	return []testCase{
		{"Ended/what ended and waits for nobody, longest ago first", (*suite).ended},
		{"Ended/page by page", (*suite).endedPages},
		{"Prune/leaves nothing of these runs", (*suite).pruned},
		{"Prune/leaves what is driven", (*suite).pruneDriven},
		{"Prune/leaves what was touched since", (*suite).pruneTouched},
		{"Prune/large runs, one by one if need be", (*suite).pruneLarge},
		{"Prune/stops with its context", (*suite).pruneStopped},
		{"Prune/tells each run once, however many prune", (*suite).pruneTogether},
	}
}

// wantEnded wants the runs of a query, and as many of them counted.
func (s *suite) wantEnded(h runstore.Store, q runstore.EndedQuery, want ...string) {
	s.Helper()
	runs, err := h.Ended(s.Context(), q, runstore.EndedRun{}, 100)
	if err != nil {
		s.Fatal(err)
	}
	if got := idsOf(runs); !slices.Equal(got, want) {
		s.Errorf("%+v:\n got %v\nwant %v", q, got, want)
	}
	if n, err := h.CountEnded(s.Context(), q); err != nil || n != len(want) {
		s.Errorf("%+v: counted %d, %v; want %d", q, n, err, len(want))
	}
}

func idsOf(runs []runstore.EndedRun) []string {
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return ids
}

// put commits a run of a status, last touched n seconds after start.
func (s *suite) put(h runstore.Store, n int, status agent.Status, alter ...func(*agent.Change)) {
	s.Helper()
	run := newRun(id(n), n)
	run.Status = status
	c := change(run, 0, 1)
	for _, a := range alter {
		a(&c)
	}
	s.commit(h, c)
}

// before is a query for what was last touched before n seconds after start.
func before(n int) runstore.EndedQuery {
	return runstore.EndedQuery{Before: newRun("", n).Updated}
}

func (s *suite) ended() {
	h := s.open()
	s.put(h, 5, agent.StatusFinished)
	s.put(h, 3, agent.StatusFailed)
	s.put(h, 4, agent.StatusCanceled, func(c *agent.Change) { c.Run.Project = "/other" })
	s.put(h, 1, agent.StatusFinished, func(c *agent.Change) { c.Run.Undecided = true })
	for n, status := range map[int]agent.Status{6: agent.StatusRunning, 7: agent.StatusSuspended, 8: agent.StatusPaused} {
		s.put(h, n, status)
	}
	s.put(h, 2, agent.StatusFinished, func(c *agent.Change) { c.Run.Created = c.Run.Created.Add(-time.Hour) })
	s.wantEnded(h, before(9), id(2), id(3), id(4), id(5))
	s.wantEnded(h, before(5), id(2), id(3), id(4)) // not what was touched at that very moment
	s.wantEnded(h, before(0))
	s.wantEnded(h, runstore.EndedQuery{})
	s.wantEnded(h, runstore.EndedQuery{Project: "/other", Before: start().Add(time.Hour)}, id(4))
	s.wantEnded(h, runstore.EndedQuery{Project: "/ws", Before: start().Add(4 * time.Second)}, id(2), id(3))

	run := newRun(id(3), 3)
	want := runstore.EndedRun{ID: run.ID, Title: run.Title, Workspace: "/ws", Status: agent.StatusFailed, Updated: run.Updated}
	runs, err := h.Ended(s.Context(), before(9), runstore.EndedRun{}, 2)
	if err != nil || len(runs) != 2 {
		s.Fatalf("%v, %v", runs, err)
	}
	if diff := cmp.Diff(want, runs[1]); diff != "" {
		s.Errorf("(-want +got):\n%s", diff)
	}

	again := newRun(id(3), 20)
	again.Status = agent.StatusRunning
	s.commit(h, change(again, 1, 1))
	s.wantEnded(h, before(30), id(2), id(4), id(5))
	again.Status = agent.StatusFinished
	s.commit(h, change(again, 2, 1))
	s.wantEnded(h, before(30), id(2), id(4), id(5), id(3))
	s.wantEnded(h, before(20), id(2), id(4), id(5))
}

func (s *suite) endedPages() {
	h := s.open()
	for n := range 7 {
		s.put(h, n, agent.StatusFinished, func(c *agent.Change) { c.Run.Updated = start().Add(time.Duration(n/3) * time.Second) })
	}
	for _, project := range []string{"", "/ws"} {
		var got []string
		q, last := runstore.EndedQuery{Project: project, Before: start().Add(time.Hour)}, runstore.EndedRun{}
		for {
			page, err := h.Ended(s.Context(), q, last, 2)
			if err != nil {
				s.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			got, last = append(got, idsOf(page)...), page[len(page)-1]
		}
		if want := []string{id(0), id(1), id(2), id(3), id(4), id(5), id(6)}; !slices.Equal(got, want) {
			s.Errorf("project %q: %v", project, got)
		}
	}
}

// prune prunes and returns the IDs of what is gone.
func (s *suite) prune(h runstore.Store, q runstore.EndedQuery) []string {
	s.Helper()
	var ids []string
	if err := h.Prune(s.Context(), q, func(runs []runstore.EndedRun) { ids = append(ids, idsOf(runs)...) }); err != nil {
		s.Fatalf("prune: %v", err)
	}
	return ids
}

func (s *suite) pruned() {
	h, other := s.open(), s.open()
	for n := range 4 { // 0 and 1 are old and ended
		c := rich(n, "shared", id(n))
		c.Suspensions[0].State, c.Plans[0].Decision = agent.SuspensionClosed, agent.PlanApproved
		c.Run.Status = agent.StatusFinished
		if n == 2 {
			c.Run.Status = agent.StatusPaused
		}
		s.commit(h, c)
	}
	if got := s.prune(h, before(3)); !slices.Equal(got, []string{id(0), id(1)}) {
		s.Errorf("gone: %v", got)
	}
	for _, q := range []agent.RunQuery{{}, {Search: "needle"}, {Search: "ne"}, {IDPart: "01939f3c"}} {
		s.wantList(other, q, id(3), id(2))
	}
	s.wantEnded(other, before(9), id(3))
	if p, err := other.Plans(s.Context(), runstore.PlanQuery{}); err != nil || len(p) != 2 {
		s.Errorf("%d plans, %v", len(p), err)
	}
	for content, there := range map[string]bool{id(0): false, id(1): false, id(2): true, "shared": true} {
		if _, err := other.Blob(s.Context(), agent.Digest([]byte(content))); errors.Is(err, fs.ErrNotExist) == there {
			s.Errorf("content %q: %v", content, err)
		}
	}
	if _, err := other.Load(s.Context(), id(0)); !errors.Is(err, agent.ErrRunNotFound) {
		s.Errorf("load: %v", err)
	}
	late := change(newRun(id(0), 0), 3, 1) // of somebody who read the run before
	if _, err := other.Commit(s.Context(), late); !errors.Is(err, agent.ErrRunNotFound) {
		s.Errorf("commit: %v", err)
	}
	if got := s.prune(h, before(3)); got != nil {
		s.Errorf("gone once more: %v", got)
	}
	q := runstore.EndedQuery{Project: "/elsewhere", Before: start().Add(time.Hour)}
	if got := s.prune(h, q); got != nil {
		s.Errorf("gone of another project: %v", got)
	}
	q.Project = "/ws"
	if got := s.prune(h, q); !slices.Equal(got, []string{id(3)}) {
		s.Errorf("gone of a project: %v", got)
	}
	if _, err := other.Blob(s.Context(), agent.Digest([]byte("shared"))); err != nil {
		s.Errorf("content of the run that is left: %v", err)
	}
}

func (s *suite) pruneDriven() {
	h, dead := s.open(), s.Open(s.T)
	own := func(c *agent.Change) { c.Own = true } // as an undo does
	s.put(h, 1, agent.StatusFinished, own)
	s.put(dead, 2, agent.StatusFinished, own)
	s.put(h, 3, agent.StatusFinished)
	if got := s.prune(s.open(), before(9)); !slices.Equal(got, []string{id(3)}) {
		s.Errorf("gone: %v", got)
	}
	s.Kill(s.T, dead)
	if got := s.prune(h, before(9)); !slices.Equal(got, []string{id(2)}) {
		s.Errorf("gone once its process is dead: %v", got)
	}
	s.load(h, id(1))
}

func (s *suite) pruneTouched() {
	h, other := s.open(), s.open()
	for n := range 40 {
		s.put(h, n, agent.StatusFinished, big)
	}
	touched := false
	err := h.Prune(s.Context(), before(90), func([]runstore.EndedRun) {
		if run := newRun(id(39), 99); !touched && len(s.list(other, agent.RunQuery{})) > 1 {
			touched, run.Status = true, agent.StatusFinished
			s.commit(other, change(run, 1, 1)) // others may write meanwhile
		}
	})
	want := []string{id(39)}
	if !touched {
		want = []string{} // the store deleted all at once
	}
	if got := s.list(h, agent.RunQuery{}); err != nil || !slices.Equal(got, want) {
		s.Errorf("left: %v, %v; want %v", got, err, want)
	}
}

// big makes a run so large that a store may not delete many at once.
func big(c *agent.Change) {
	c.Events[0].Payload = json.RawMessage(`{"text":"` + strings.Repeat("word ", 20_000) + `"}`)
	c.Blobs = [][]byte{[]byte(strings.Repeat(c.Run.ID, 3000))}
}

func (s *suite) pruneLarge() {
	h := s.open()
	var want []string
	for n := range 30 {
		s.put(h, n, agent.StatusFinished, func(c *agent.Change) {
			if n%3 == 0 {
				big(c)
			}
		})
		want = append(want, id(n))
	}
	if got := s.prune(h, before(90)); !slices.Equal(got, want) {
		s.Errorf("gone: %v", got)
	}
	s.wantList(h, agent.RunQuery{})
}

func (s *suite) pruneStopped() {
	h := s.open()
	for n := range 40 {
		s.put(h, n, agent.StatusFinished, big)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(s.Context())
	var told []string
	err := h.Prune(ctx, before(90), func(runs []runstore.EndedRun) {
		told = append(told, idsOf(runs)...)
		cancel(cause)
	})
	left := s.list(h, agent.RunQuery{})
	if done := err == nil && len(left) == 0; !done && !errors.Is(err, cause) {
		s.Errorf("got %v, want the cause", err)
	}
	slices.Reverse(left)
	var want []string
	for n := range 40 {
		want = append(want, id(n))
	}
	if got := slices.Concat(told, left); len(told) == 0 || !slices.Equal(got, want) {
		s.Errorf("told %v, left %v", told, left)
	}
	if err := h.Prune(ctx, before(90), func([]runstore.EndedRun) { s.Error("deleted after the end") }); !errors.Is(err, cause) {
		s.Errorf("got %v, want the cause", err)
	}
	s.wantEnded(h, before(90), left...)
}

func (s *suite) pruneTogether() {
	h := s.open()
	for n := range 40 {
		s.put(h, n, agent.StatusFinished, big)
	}
	const pruners = 3
	gone := make(chan []string, pruners)
	for range pruners {
		other := s.open()
		go func() {
			var ids []string
			if err := other.Prune(s.Context(), before(90), func(runs []runstore.EndedRun) { ids = append(ids, idsOf(runs)...) }); err != nil {
				s.Error(err)
			}
			gone <- ids
		}()
	}
	var all []string
	for range pruners {
		all = append(all, <-gone...)
	}
	slices.Sort(all)
	if n := len(all); n != 40 || len(slices.Compact(all)) != 40 {
		s.Errorf("%d told gone", n)
	}
}
