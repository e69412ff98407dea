package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/modes"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// Whatever is done to a run, in whatever order, and wherever its processes are
// killed: what the store shows is what its journal says, no call has two
// results, no effect happens twice unasked, nobody owns what waits, and there
// is always a way to the end.
func TestProperty_Memory(t *testing.T) {
	testProperties(t, func() database {
		shared := runstore.Memory()
		open := func() runstore.Store { return shared.Handle() }
		return database{open: open, eye: open(), other: open()}
	})
}

func TestProperty_SQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	open := func() runstore.Store {
		s, err := runstore.Open(context.Background(), path, runstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	db := database{open: open, eye: open(), other: open()}
	testProperties(t, func() database { return db })
	if err := errors.Join(db.eye.Close(), db.other.Close()); err != nil {
		t.Fatal(err)
	}
}

// database is where a run lives.
type database struct {
	open  func() runstore.Store // for the process that drives the run
	eye   runstore.Store        // a process that only looks
	other runstore.Store        // a process that meddles
}

// testProperties is not parallel: it counts goroutines. A database of its own
// for each run keeps the time a check takes the same, however many there are.
func testProperties(t *testing.T, where func() database) {
	before := goleak.IgnoreCurrent()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, where())
		defer w.close()
		w.start()
		w.check()
		for range rapid.IntRange(1, 8).Draw(t, "operations") {
			w.advance()
			w.operate()
			w.check()
		}
		w.end()
		snap, _ := w.look()
		mustReplay(t, w.cfg, snap.Events)
	})
	goleak.VerifyNone(t, before)
}

// world is a run, its model, its person, its plan file and the process that
// drives it at the moment.
type world struct {
	database
	t      *rapid.T
	store  *frail
	cfg    agent.Config
	agent  *agent.Agent
	model  *dice
	desk   *desk
	gate   *gate
	now    time.Time
	runID  string
	nested bool // an operation within the range of a stream

	mu      sync.Mutex
	effects map[string]int // by call and how often it had been answered
}

func newWorld(t *rapid.T, db database) *world {
	w := &world{t: t, database: db, desk: &desk{text: "one"}, gate: &gate{}, effects: map[string]int{}, now: time.Unix(1e9, 0)}
	w.model = &dice{id: "dice", turns: drawTurns(t)}
	second := &dice{id: "other", turns: drawTurns(t)}
	all := []agent.Tool{
		tools.AskUser(), tools.SubmitPlan(w.desk),
		tool("look", agent.EffectReadOnly, heed), tool("put", agent.EffectIdempotent, nil),
		tool("make", agent.EffectOnce, w.act(0)), tool("wizard", agent.EffectOnce, w.act(2)),
	}
	var names []string
	for _, tl := range all {
		names = append(names, tl.Definition().Name)
	}
	policy, err := modes.New(modes.Config{Tools: names, Registered: names, Modes: []agent.Mode{
		{ID: "plan", Writes: agent.WritesPlans, TransitionsTo: "build", Default: true}, {ID: "build"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.cfg = agent.Config{
		Model: w.model, Tools: all, Modes: policy, Retry: agent.Retry{MaxElapsed: -1}, Now: w.clock, Gate: w.gate.pass,
		Models: func(id string) (agent.Model, error) {
			if id != second.id {
				return nil, errors.New("no such model")
			}
			return second, nil
		},
	}
	if rapid.Bool().Draw(t, "asking") {
		w.cfg.Permission = askAll{}
	}
	w.reborn()
	return w
}

// reborn is another process; it may be one that will be killed.
func (w *world) reborn() {
	w.store = &frail{Store: w.open(), left: -1}
	w.agent = w.process(w.store)
}

func (w *world) process(store agent.Store) *agent.Agent {
	cfg := w.cfg
	cfg.Store = store
	a, err := agent.New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) close() { _ = w.store.Close() }

func (w *world) clock() time.Time { return w.now }

func (w *world) advance() {
	w.now = w.now.Add(time.Duration(rapid.SampledFrom([]int64{0, 1, 3600, -60}).Draw(w.t, "seconds")) * time.Second)
}

// act is a tool that acts at each of its calls, and asks a person after all
// but the last.
func (w *world) act(questions int) func(context.Context, agent.Call) (agent.Result, error) {
	return func(_ context.Context, c agent.Call) (agent.Result, error) {
		w.mu.Lock()
		w.effects[fmt.Sprintf("%s after %d", c.ID, len(c.Suspensions))]++
		w.mu.Unlock()
		c.Output("acting")
		if len(c.Suspensions) < questions && c.Suspend != nil {
			return c.Suspend(map[string]int{"page": len(c.Suspensions) + 1})
		}
		return agent.Result{Content: "acted"}, nil
	}
}

func (w *world) task() agent.Task {
	return agent.Task{
		Prompt: "Do it", Workspace: "/w", OnQuestion: w.onQuestion(), Expected: drawExpected(w.t),
		Limits: agent.Limits{MaxSteps: rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(w.t, "steps")},
	}
}

func (w *world) onQuestion() agent.OnQuestion {
	return rapid.SampledFrom([]agent.OnQuestion{
		agent.OnQuestionSuspend, agent.OnQuestionSuspend, agent.OnQuestionSuspend, agent.OnQuestionSuspend,
		agent.OnQuestionSuspend, agent.OnQuestionSuspend, agent.OnQuestionSuspend, agent.OnQuestionFallback,
		agent.OnQuestionReadOnlyFallback, agent.OnQuestionFail,
	}).Draw(w.t, "on question")
}

func (w *world) start() {
	ctx, cancel := w.gate.context(w.t)
	defer cancel()
	w.drain(w.agent.StreamTask(ctx, w.task()))
}

// operate does one thing to the run, in a process that may be killed.
func (w *world) operate() {
	w.model.mischief = rapid.SampledFrom([]string{"", "", "", "", "", "fault", "bug", "cut", "late fault"}).Draw(w.t, "mischief")
	if rapid.IntRange(0, 3).Draw(w.t, "killed") == 0 {
		w.store.left = rapid.IntRange(0, 6).Draw(w.t, "at commit")
		w.store.landed = rapid.Bool().Draw(w.t, "landed")
	}
	if rapid.IntRange(0, 4).Draw(w.t, "edited") == 0 {
		w.desk.write(rapid.SampledFrom([]string{"", "one", "two"}).Draw(w.t, "plan file"))
	}
	w.request(w.agent)
	if w.store.dead {
		w.reborn()
	}
	w.store.left = -1
}

func (w *world) request(a *agent.Agent) {
	ctx, cancel := w.gate.context(w.t)
	defer cancel()
	r := w.resume()
	switch rapid.SampledFrom([]string{"answer", "answer", "answer", "record", "continue", "send", "cancel"}).Draw(w.t, "request") {
	case "answer":
		answer := w.choose(&r)
		w.drain(a.ResumeStream(ctx, answer, r))
	case "record":
		_, err := a.Answer(ctx, w.choose(&r), r)
		w.checkErr(err)
	case "continue":
		w.drain(a.Continue(ctx, r))
	case "send":
		r.Mode = rapid.SampledFrom([]string{"", "plan", "build"}).Draw(w.t, "mode")
		w.drain(a.Send(ctx, "go on", r))
	case "cancel":
		if rapid.IntRange(0, 3).Draw(w.t, "really") == 0 {
			_, err := a.Cancel(ctx, r)
			w.checkErr(err)
		}
	}
}

func (w *world) resume() agent.Resume {
	r := agent.Resume{RunID: w.runID, OnQuestion: w.onQuestion(), Expected: drawExpected(w.t), By: "ann"}
	r.TakeOver = w.nested && rapid.Bool().Draw(w.t, "take over")
	r.Model = rapid.SampledFrom([]string{"", "", "", "", "", "", "other", "none"}).Draw(w.t, "model")
	if rapid.IntRange(0, 2).Draw(w.t, "limits") == 0 {
		r.Limits = &agent.Limits{MaxSteps: rapid.IntRange(1, 20).Draw(w.t, "steps")}
	}
	return r
}

// choose picks what to answer, open or not, and an answer that fits or not.
func (w *world) choose(r *agent.Resume) any {
	_, st := w.look()
	open := st.Open()
	if s, late := st.Undecided(); late {
		open = append(open, s)
	}
	if len(open) == 0 || rapid.IntRange(0, 9).Draw(w.t, "astray") == 0 {
		r.ToolCallID, r.N = fmt.Sprintf("c%d", rapid.IntRange(0, 4).Draw(w.t, "call")), rapid.IntRange(0, 3).Draw(w.t, "n")
		return "astray"
	}
	s := rapid.SampledFrom(open).Draw(w.t, "suspension")
	if len(open) > 1 || rapid.Bool().Draw(w.t, "named") {
		r.ToolCallID = s.ToolCallID
	}
	return w.answer(s)
}

func (w *world) answer(s agent.Suspension) any {
	actions := map[agent.Kind][]string{
		agent.KindPlan: {"approved", "rejected"}, agent.KindApproval: {"approved", "rejected"}, agent.KindInDoubt: {"happened", "again"},
	}[s.Kind]
	if actions == nil {
		return "words"
	}
	d := map[string]string{"action": rapid.SampledFrom(append(actions, actions[0], "Approved")).Draw(w.t, "action")}
	if d["action"] == "rejected" && rapid.Bool().Draw(w.t, "feedback") {
		d["feedback"] = "shorter"
	}
	if s.Kind == agent.KindApproval && rapid.Bool().Draw(w.t, "for the run") {
		d["scope"] = "run"
	}
	return d
}

var errReader = errors.New("reader panicked")

// drain ranges a stream. At one of its events the reader may break off, panic,
// or let another process meddle with the run.
func (w *world) drain(s *agent.Stream) {
	if w.runID == "" {
		w.runID = s.RunID()
	}
	meddle := rapid.SampledFrom([]string{"", "", "", "break", "panic", "other"}).Draw(w.t, "reader")
	at := rapid.IntRange(0, 20).Draw(w.t, "at event")
	if w.nested {
		meddle = ""
	}
	defer func() {
		if p := recover(); p != nil && p != any(errReader) {
			panic(p)
		}
	}()
	n := 0
	for _, err := range s.Events() {
		w.checkErr(err)
		if n++; n != at {
			continue
		}
		switch meddle {
		case "break":
			return
		case "panic":
			panic(errReader)
		case "other":
			w.meddle()
		}
	}
	if meddle != "other" {
		w.checkState(s)
	}
}

func (w *world) meddle() {
	w.nested = true
	w.request(w.process(w.other))
	w.nested = false
}

// checkErr accepts what a caller can act on.
func (w *world) checkErr(err error) {
	w.t.Helper()
	if err != nil && agent.Code(err) == "" && !errors.Is(err, errKilled) {
		w.t.Fatalf("nobody can act on error %v", err)
	}
}

// checkState compares what a stream that ended in order says with the store.
func (w *world) checkState(s *agent.Stream) {
	w.t.Helper()
	if s.Err() != nil || s.State() == nil || w.nested {
		return
	}
	snap, _ := w.look()
	if diff := differ(w.t, snap.Run, s.State().Run); diff != "" {
		w.t.Fatalf("the stream's state is not the store's: %s", diff)
	}
}

func (w *world) look() (agent.Snapshot, *agent.State) {
	w.t.Helper()
	snap, err := w.eye.Load(context.Background(), w.runID)
	if err != nil {
		w.t.Skip("killed before anything was stored")
	}
	st, err := agent.Fold(snap.Events)
	if err != nil {
		w.t.Fatalf("the journal cannot be folded: %v", err)
	}
	return snap, st
}

func (w *world) check() {
	w.t.Helper()
	snap, st := w.look()
	plans, err := w.eye.Plans(context.Background(), runstore.PlanQuery{RunID: w.runID})
	if err != nil {
		w.t.Fatal(err)
	}
	for what, pair := range map[string][2]any{
		"run":   {snap.Run, st.Run},
		"open":  {snap.Open, append([]agent.Suspension{}, st.Open()...)},
		"plans": {byCall(plans), byCall(st.Plans())},
	} {
		if diff := differ(w.t, pair[0], pair[1]); diff != "" {
			w.t.Fatalf("%s: store - journal + %s", what, diff)
		}
	}
	if snap.Owner != nil && (snap.Alive || snap.Status != agent.StatusRunning) {
		w.t.Fatalf("a run that is %s is owned by %v", snap.Status, snap.Owner)
	}
	if (snap.Status == agent.StatusSuspended) != (len(snap.Open) > 0) || snap.Current() == agent.StatusRunning {
		w.t.Fatalf("a run with %d open items is %s", len(snap.Open), snap.Current())
	}
	if w.model.complaint != "" {
		w.t.Fatal(w.model.complaint)
	}
	w.checkJournal(snap.Events)
}

// checkJournal holds effects, results and mode changes against the person's
// answers.
func (w *world) checkJournal(events []agent.Event) {
	w.t.Helper()
	again, settled, approvals := map[string]int{}, map[string]bool{}, 0
	for _, e := range events {
		var p struct {
			ToolCallID, By string
			Answer         struct{ Action string }
		}
		_ = json.Unmarshal(e.Payload, &p) // an answer may be a string
		switch e.Type {
		case agent.ToolResult, agent.ToolOutputDenied:
			if settled[p.ToolCallID] {
				w.t.Fatalf("call %s has two results", p.ToolCallID)
			}
			settled[p.ToolCallID] = true
		case agent.ToolCallResumed:
			if p.Answer.Action == "again" {
				again[p.ToolCallID]++
			}
			if p.Answer.Action == "approved" {
				approvals++
			}
		case agent.ModeChanged:
			if p.By == "" && approvals == 0 {
				w.t.Fatal("the mode was changed by nobody")
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for effect, n := range w.effects {
		id, _, _ := strings.Cut(effect, " ")
		if n > 1+again[id] {
			w.t.Fatalf("effect of %s happened %d times, asked for again %d times", effect, n, again[id])
		}
	}
}

// end brings the run to its end with sensible answers alone.
func (w *world) end() {
	w.model.mischief = ""
	for range 80 {
		snap, _ := w.look()
		if snap.Status == agent.StatusFinished || snap.Status == agent.StatusCanceled {
			return
		}
		r := agent.Resume{RunID: w.runID, Limits: &agent.Limits{MaxSteps: 1000}}
		s := w.agent.Continue(context.Background(), r)
		if snap.Status == agent.StatusSuspended {
			open := snap.Open[0]
			r.ToolCallID, r.N = open.ToolCallID, open.N
			s = w.agent.ResumeStream(context.Background(), map[agent.Kind]any{
				agent.KindPlan: agent.PlanDecision{Action: "rejected", Feedback: "no"}, agent.KindApproval: agent.ApprovalDecision{Action: "approved"},
				agent.KindInDoubt: agent.DoubtDecision{Action: "happened"}, agent.KindQuestion: "yes", agent.KindCustom: "yes",
			}[open.Kind], r)
		}
		for _, err := range s.Events() {
			w.checkErr(err)
		}
		w.check()
	}
	snap, _ := w.look()
	w.t.Fatalf("there is no way to the end: %+v", snap.Run)
}

// differ tells how two values differ as JSON; "" if they do not.
func differ(t *rapid.T, a, b any) string {
	t.Helper()
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	if err := errors.Join(errX, errY); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(x, y) {
		return ""
	}
	return cmp.Diff(string(x), string(y))
}

func byCall(plans []agent.Plan) map[string]agent.Plan {
	m := map[string]agent.Plan{}
	for _, p := range plans {
		m[fmt.Sprintf("%s#%d", p.ToolCallID, p.N)] = p
	}
	return m
}
