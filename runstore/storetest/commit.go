package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

func commitTests() []testCase {
	return []testCase{
		{"Commit/creates a run and appends to it", (*suite).createAndAppend},
		{"Commit/keeps every field of the projection", (*suite).wholeProjection},
		{"Commit/needs a run behind a base", (*suite).missingRun},
		{"Commit/conflicts unless decided on the last record", (*suite).conflict},
		{"Commit/refuses malformed changes", (*suite).malformed},
		{"Commit/is all or nothing", (*suite).allOrNothing},
		{"Commit/one of twenty wins", (*suite).oneOfTwenty},
		{"Commit/keeps suspensions whole and alters them", (*suite).suspensions},
		{"Commit/keeps blobs", (*suite).blobs},
		{"Commit/ends with its context", (*suite).contextEnds},
		{"Commit/fails on a closed handle", (*suite).closed},
	}
}

func (s *suite) createAndAppend() {
	h := s.open()
	run := newRun(id(1), 0)
	s.commit(h, change(run, 0, 2))
	run.Text, run.Status = "done", agent.StatusFinished
	s.commit(h, change(run, 2, 3))
	snap := s.load(s.open(), run.ID)
	run.Seq = 5
	if diff := cmp.Diff(run, snap.Run); diff != "" {
		s.Errorf("projection (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(events(run.ID, 0, 5), snap.Events); diff != "" {
		s.Errorf("journal (-want +got):\n%s", diff)
	}
	if snap.Open == nil || len(snap.Open) != 0 {
		s.Errorf("open is %v, want an empty list", snap.Open)
	}
}

// wholeProjection sets every field, so that one a store forgets is missed.
func (s *suite) wholeProjection() {
	h := s.open()
	cost := 1.25
	run := newRun(id(1), 0)
	run.AgentID, run.BaseCommit, run.IdempotencyKey, run.Thinking = "planner", "abc123", "key", "high"
	run.Reason, run.FinishReason, run.Pinned, run.Text = agent.PauseLimit, agent.FinishMaxSteps, "p/m", "words\x00\"\u2028"
	run.Usage = agent.Usage{InputTokens: 1, OutputTokens: 2, CacheReadTokens: 3, CacheWriteTokens: 4, ReasoningTokens: 5, Steps: 6, Cost: &cost}
	run.Limits = agent.Limits{MaxSteps: 7, MaxTokens: 8, MaxCost: 0.5, Timeout: agent.Duration(90 * time.Second)}
	run.Driven, run.Undecided, run.Seq, run.ForeignModel = agent.Duration(time.Minute+time.Nanosecond), true, 1, true
	run.Error = &agent.RunError{Code: "provider", Message: "m", Hint: "h", Retryable: true}
	v := reflect.ValueOf(run)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			s.Fatalf("the test sets no %s", v.Type().Field(i).Name)
		}
	}
	s.commit(h, change(run, 0, 1))
	if diff := cmp.Diff(run, s.load(h, run.ID).Run); diff != "" {
		s.Errorf("projection (-want +got):\n%s", diff)
	}
}

func (s *suite) missingRun() {
	h := s.open()
	if _, err := h.Commit(s.Context(), change(newRun(id(1), 0), 3, 1)); !errors.Is(err, agent.ErrRunNotFound) {
		s.Errorf("commit: got %v, want run not found", err)
	}
	if _, err := h.Load(s.Context(), id(1)); !errors.Is(err, agent.ErrRunNotFound) {
		s.Errorf("load: got %v, want run not found", err)
	}
	if _, err := h.Epoch(s.Context(), id(1)); !errors.Is(err, agent.ErrRunNotFound) {
		s.Errorf("epoch: got %v, want run not found", err)
	}
}

func (s *suite) conflict() {
	h := s.open()
	run := newRun(id(1), 0)
	s.commit(h, change(run, 0, 3))
	for _, base := range []int64{0, 2, 4} {
		c := change(run, base, 2)
		c.Events[0].Payload = json.RawMessage(`{"text":"another"}`)
		if _, err := h.Commit(s.Context(), c); !errors.Is(err, agent.ErrConflict) {
			s.Errorf("base %d: got %v, want a conflict", base, err)
		}
	}
	if n := len(s.load(h, run.ID).Events); n != 3 {
		s.Errorf("the journal has %d records, want 3", n)
	}
}

func (s *suite) malformed() {
	h := s.open()
	for name, spoil := range map[string]func(*agent.Change){
		"no run ID":        func(c *agent.Change) { c.Run.ID = "" },
		"gap in the seqs":  func(c *agent.Change) { c.Events[1].Seq = 7 },
		"another run's":    func(c *agent.Change) { c.Events[0].RunID = id(2) },
		"not for journals": func(c *agent.Change) { c.Events[0].Type = agent.TextDelta },
	} {
		c := change(newRun(id(1), 0), 0, 2)
		spoil(&c)
		if _, err := h.Commit(s.Context(), c); err == nil {
			s.Errorf("%s: accepted", name)
		}
	}
	if _, err := h.Load(s.Context(), id(1)); !errors.Is(err, agent.ErrRunNotFound) {
		s.Errorf("load: got %v, want run not found", err)
	}
}

// allOrNothing has a change fail at its check; none of its parts may be seen.
func (s *suite) allOrNothing() {
	h := s.open()
	run := newRun(id(1), 0)
	s.commit(h, change(run, 0, 1))
	c := change(run, 5, 1)
	c.Run.Title = "never"
	c.Suspensions = []agent.Suspension{{ToolCallID: "c", N: 1, Kind: agent.KindCustom, State: agent.SuspensionOpen}}
	c.Plans = []agent.Plan{{RunID: run.ID, Path: "p.md", Revision: 1, Decision: agent.PlanOpen}}
	c.Blobs = [][]byte{[]byte("lost")}
	if _, err := h.Commit(s.Context(), c); !errors.Is(err, agent.ErrConflict) {
		s.Fatalf("got %v, want a conflict", err)
	}
	snap := s.load(h, run.ID)
	plans, err := h.Plans(s.Context(), runstore.PlanQuery{})
	if err != nil || len(plans) != 0 || len(snap.Open) != 0 || snap.Title != run.Title {
		s.Errorf("something was kept: plans %v (%v), run %+v", plans, err, snap.RunInfo)
	}
	if _, err := h.Blob(s.Context(), agent.Digest([]byte("lost"))); !errors.Is(err, fs.ErrNotExist) {
		s.Errorf("blob: got %v, want not exist", err)
	}
}

func (s *suite) oneOfTwenty() {
	run := newRun(id(1), 0)
	s.commit(s.open(), change(run, 0, 1))
	handles := []runstore.Store{s.open(), s.open(), s.open(), s.open()}
	errs := make([]error, 20)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			c := owned(run, 1, 1, 0)
			c.Events[0].Payload = json.RawMessage(fmt.Sprintf(`{"text":"answer %d"}`, i))
			_, errs[i] = handles[i%len(handles)].Commit(s.Context(), c)
		})
	}
	group.Wait()
	won := 0
	for i, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, agent.ErrConflict):
			s.Errorf("commit %d: got %v, want a conflict", i, err)
		}
	}
	snap := s.load(handles[0], run.ID)
	if won != 1 || len(snap.Events) != 2 || snap.Epoch != 1 {
		s.Errorf("%d won, %d records, epoch %d; want 1, 2, 1", won, len(snap.Events), snap.Epoch)
	}
}

func (s *suite) suspensions() {
	h := s.open()
	run := newRun(id(1), 0)
	run.Status = agent.StatusSuspended
	first := agent.Suspension{
		Call: 2, ToolCallID: "call_b", N: 1, Kind: agent.KindQuestion, ToolName: "ask_user", Args: json.RawMessage(`{ "question" : "Q" }`),
		Payload: json.RawMessage(`{"question": "Q"}`), Schema: `{"type":"string"}`, Since: start(), State: agent.SuspensionOpen,
	}
	second := agent.Suspension{Call: 3, ToolCallID: "call_a", N: 1, Kind: agent.KindPlan, ToolName: "submit_plan", Payload: json.RawMessage(`{}`), Since: start(), State: agent.SuspensionOpen}
	c := change(run, 0, 1)
	c.Suspensions = []agent.Suspension{first, second}
	s.commit(h, c)
	if diff := cmp.Diff([]agent.Suspension{first, second}, s.load(h, run.ID).Open); diff != "" {
		s.Errorf("open (-want +got):\n%s", diff)
	}
	first.State = agent.SuspensionAnswered
	first.Answer = &agent.Answer{Data: json.RawMessage(`"A"`), By: "ann", Via: "flag", At: start()}
	third := first
	third.N, third.State, third.Answer = 2, agent.SuspensionOpen, nil
	c = change(run, 1, 1)
	c.Suspensions = []agent.Suspension{first, third}
	s.commit(h, c)
	if diff := cmp.Diff([]agent.Suspension{third, second}, s.load(h, run.ID).Open); diff != "" {
		s.Errorf("open, in call order (-want +got):\n%s", diff)
	}
}

func (s *suite) blobs() {
	h := s.open()
	c := change(newRun(id(1), 0), 0, 1)
	big := []byte(strings.Repeat("\x00\xff plan", 100_000))
	c.Blobs = [][]byte{[]byte("a"), {}, big, []byte("a")}
	s.commit(h, c)
	c = change(newRun(id(2), 0), 0, 1)
	c.Blobs = [][]byte{[]byte("a")}
	s.commit(h, c)
	for _, want := range [][]byte{[]byte("a"), {}, big} {
		got, err := s.open().Blob(s.Context(), agent.Digest(want))
		if err != nil || string(got) != string(want) {
			s.Errorf("blob of %d bytes: got %d bytes, %v", len(want), len(got), err)
		}
	}
	if _, err := h.Blob(s.Context(), agent.Digest([]byte("b"))); !errors.Is(err, fs.ErrNotExist) {
		s.Errorf("missing blob: got %v, want not exist", err)
	}
}

func (s *suite) contextEnds() {
	h, run := s.open(), newRun(id(1), 0)
	s.commit(h, change(run, 0, 1))
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(s.Context())
	cancel(cause)
	_, commit := h.Commit(ctx, change(run, 1, 1))
	_, load := h.Load(ctx, run.ID)
	_, epoch := h.Epoch(ctx, run.ID)
	_, runs := h.Runs(ctx, agent.RunQuery{})
	for i, err := range []error{commit, load, epoch, runs} {
		if !errors.Is(err, cause) {
			s.Errorf("method %d: got %v, want the cause", i, err)
		}
	}
	s.commit(h, change(run, 1, 1))
}

func (s *suite) closed() {
	h := s.Open(s.T)
	if err := errors.Join(h.Close(), h.Close()); err != nil {
		s.Fatalf("close twice: %v", err)
	}
	_, commit := h.Commit(s.Context(), change(newRun(id(1), 0), 0, 1))
	_, load := h.Load(s.Context(), id(1))
	_, epoch := h.Epoch(s.Context(), id(1))
	_, blob := h.Blob(s.Context(), "sha256:")
	_, runs := h.Runs(s.Context(), agent.RunQuery{})
	_, plans := h.Plans(s.Context(), runstore.PlanQuery{})
	_, _, open := h.OpenPlan(s.Context(), "/", "p", "")
	for i, err := range []error{commit, load, epoch, blob, runs, plans, open} {
		if !errors.Is(err, fs.ErrClosed) || !errors.Is(err, runstore.ErrStore) {
			s.Errorf("method %d: got %v, want closed", i, err)
		}
	}
}
