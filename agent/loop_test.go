package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// memStore is the smallest store.
type memStore struct {
	mu     sync.Mutex
	events []Event
	run    Run
	epoch  int64
	owner  *Owner
}

func (m *memStore) Load(context.Context, string) (Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Snapshot{RunInfo: RunInfo{Run: m.run, Owner: m.owner, Alive: m.owner != nil, Epoch: m.epoch}, Events: append([]Event(nil), m.events...)}, nil
}
func (m *memStore) Commit(_ context.Context, c Change) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = append(m.events, c.Events...)
	m.run = c.Run
	if c.Own && c.Epoch == 0 {
		m.epoch++
	}
	m.owner = nil
	if c.Own {
		m.owner = &Owner{ID: "x"}
	}
	return m.epoch, nil
}
func (m *memStore) Epoch(context.Context, string) (int64, error)      { return m.epoch, nil }
func (m *memStore) Blob(context.Context, string) ([]byte, error)      { return nil, errors.New("none") }
func (m *memStore) Runs(context.Context, RunQuery) ([]RunInfo, error) { return nil, nil }

type fnModel func(req Request, yield func(Chunk, error) bool)

func (fnModel) ID() string { return "fn" }
func (f fnModel) Stream(_ context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) { f(req, yield) }
}

type fnTool struct {
	def Definition
	do  func(context.Context, Call) (Result, error)
}

func (t fnTool) Definition() Definition                           { return t.def }
func (t fnTool) Call(ctx context.Context, c Call) (Result, error) { return t.do(ctx, c) }

// Read-only calls that ignore their context: those that wait for a slot are
// not started after the drive has ended.
func TestLoop_NothingStartsAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		var started atomic.Int32
		slow := fnTool{Definition{Name: "slow", Effect: EffectReadOnly}, func(context.Context, Call) (Result, error) {
			started.Add(1)
			<-free
			return Result{}, nil
		}}
		m := fnModel(func(_ Request, yield func(Chunk, error) bool) {
			var r Reply
			for i := range 12 {
				r.ToolCalls = append(r.ToolCalls, ToolCall{ID: fmt.Sprint("c", i), Name: "slow", Args: json.RawMessage(`{}`)})
			}
			yield(Chunk{Reply: &r}, nil)
		})
		a, err := New(Config{Model: m, Tools: []Tool{slow}, Store: &memStore{}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for range a.Stream(ctx, "x").Events() {
		}
		close(free)
		synctest.Wait()
		if n := started.Load(); n != maxParallel {
			t.Errorf("%d calls were started, want %d", n, maxParallel)
		}
	})
}

// A reader that panics while a tool is at work: the tool is ended before the
// run is given up.
func TestLoop_ReaderPanicsDuringATool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memStore{}
		owned := false
		act := fnTool{Definition{Name: "act"}, func(ctx context.Context, c Call) (Result, error) {
			c.Output("one")
			c.Output("two")
			<-ctx.Done()
			<-time.After(time.Second) // of the bubble: the tool takes its time to stop
			snap, _ := store.Load(ctx, "")
			owned = snap.Owner != nil
			return Result{}, ctx.Err()
		}}
		m := fnModel(func(_ Request, yield func(Chunk, error) bool) {
			yield(Chunk{Reply: &Reply{ToolCalls: []ToolCall{{ID: "a", Name: "act"}}}}, nil)
		})
		a, err := New(Config{Model: m, Tools: []Tool{act}, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() { _ = recover() }()
			for e := range a.Stream(t.Context(), "x").Events() {
				if e.Type == ToolOutputText {
					panic("reader")
				}
			}
		}()
		if snap, _ := store.Load(t.Context(), ""); !owned || snap.Owner != nil {
			t.Errorf("owned while the tool was at work: %t; owner now %v", owned, snap.Owner)
		}
	})
}

// A model that streams on after its context has ended.
func TestLoop_ModelIgnoresContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	m := fnModel(func(req Request, yield func(Chunk, error) bool) {
		for range 1000 {
			if !yield(Chunk{Text: "x"}, nil) {
				return
			}
		}
		yield(Chunk{Reply: &Reply{Text: "x"}}, nil)
	})
	a, _ := New(Config{Model: m, Store: &memStore{}})
	for e := range a.Stream(ctx, "x").Events() {
		if e.Type == TextDelta {
			if n++; n == 5 {
				cancel()
			}
		}
	}
	if n > 10 {
		t.Errorf("%d deltas after the context had ended", n-5)
	}
}

func TestLoop_HostileReplies(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fnModel{
		"bad blocks": func(req Request, yield func(Chunk, error) bool) {
			yield(Chunk{Reply: &Reply{Text: "x", Blocks: json.RawMessage(`{"a":`)}}, nil)
		},
		"deep args": func(req Request, yield func(Chunk, error) bool) {
			b := make([]byte, 0, 20000)
			for range 9998 {
				b = append(b, '[')
			}
			for range 9998 {
				b = append(b, ']')
			}
			if req.Turn > 0 {
				yield(Chunk{Reply: &Reply{Text: "x"}}, nil)
				return
			}
			yield(Chunk{Reply: &Reply{ToolCalls: []ToolCall{{ID: "a", Name: "x", Args: b}}}}, nil)
		},
		"two replies": func(req Request, yield func(Chunk, error) bool) {
			_ = yield(Chunk{Reply: &Reply{Text: "one"}}, nil) && yield(Chunk{Reply: &Reply{Text: "two"}}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := New(Config{Model: f, Store: &memStore{}})
			s := a.Stream(t.Context(), "x")
			for range s.Events() {
			}
			if s.Err() != nil {
				t.Errorf("%.200v", s.Err())
			} else {
				t.Log(s.State().Run.Status, s.State().Run.Text)
			}
		})
	}
	t.Run("nil stream and nil model", func(t *testing.T) {
		a, err := New(Config{Models: func(string) (Model, error) { return nil, nil }, Store: &memStore{}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("panic: %v", p)
			}
		}()
		for range a.StreamTask(t.Context(), Task{Prompt: "x", Model: "m"}).Events() {
		}
	})
}

// Fold must not panic, whatever a journal holds.
func FuzzFold(f *testing.F) {
	for _, typ := range []EventType{Start, UserMessage, StepStart, ModelMessage, ToolCallStarted, ToolResult, ToolCallSuspended, ToolOutputDenied, ToolCallResumed, StepFinish, Resumed, Pause, Finish, Failure, Abort} {
		f.Add(string(typ)+"\n{}\n"+string(typ)+"\nnull", int64(0))
	}
	f.Add("start\n{\"prompt\":\"x\"}\nstep-start\n{}\nmessage\n{\"toolCalls\":[{\"toolCallId\":\"a\",\"toolName\":\"t\",\"args\":{}},{\"toolCallId\":\"a\"}]}\ntool-call-suspended\n{\"toolCallId\":\"a\",\"kind\":\"plan\",\"suspendPayload\":{\"path\":\"x\"}}\ntool-call-resumed\n{\"toolCallId\":\"a\",\"n\":1,\"answer\":{\"action\":\"approved\"}}\ntool-result\n{\"toolCallId\":\"a\",\"result\":{\"content\":\"x\",\"submittedPlan\":{\"path\":\"x\",\"decision\":\"undecided\"}}}\nstep-finish\n{}\nfinish\n{}", int64(5))
	f.Fuzz(func(t *testing.T, text string, at int64) {
		var events []Event
		var typ string
		for i, line := range splitLines(text) {
			if i%2 == 0 {
				typ = line
				continue
			}
			events = append(events, Event{Seq: int64(len(events) + 1), RunID: "r", Type: EventType(typ), At: time.Unix(at*int64(i), 0), Payload: json.RawMessage(line)})
		}
		st, err := Fold(events)
		if err != nil {
			return
		}
		st.Open()
		st.Undecided()
		st.Plans()
		for _, e := range events {
			st.GiveOut(e)
		}
	})
}

func splitLines(s string) []string {
	var out []string
	for len(s) > 0 {
		i := 0
		for i < len(s) && s[i] != '\n' {
			i++
		}
		out = append(out, s[:i])
		s = s[min(i+1, len(s)):]
	}
	return out
}
