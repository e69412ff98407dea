package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// medians reports the median of what each operation took.
type medians struct {
	b    *testing.B
	took map[string][]time.Duration
}

func newMedians(b *testing.B) *medians { return &medians{b: b, took: map[string][]time.Duration{}} }

func (m *medians) time(name string, do func()) {
	began := time.Now()
	do()
	m.took[name] = append(m.took[name], time.Since(began))
}

func (m *medians) report() {
	for name, d := range m.took {
		slices.Sort(d)
		m.b.ReportMetric(float64(d[len(d)/2].Microseconds())/1000, name+"-ms/p50")
	}
	m.b.ReportMetric(0, "ns/op") // a mean over unlike parts says nothing
}

// BenchmarkAgent_SQLite measures one process over SQLite with synchronous=FULL:
// start to suspended, answer to finished, and the floor of one fsync.
func BenchmarkAgent_SQLite(b *testing.B) {
	ctx := context.Background()
	dir := b.TempDir()
	store, err := runstore.Open(ctx, filepath.Join(dir, "runs.db"), runstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	m := &played{id: "played", turns: []any{calls(ask("q", "Which?", "Red", "Blue")), says("done")}}
	a, err := agent.New(agent.Config{Model: m, Tools: []agent.Tool{tools.AskUser()}, Store: store})
	if err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	page := make([]byte, 4096)
	times := newMedians(b)
	for b.Loop() {
		var id string
		times.time("suspend", func() {
			s := a.Stream(ctx, "Do it")
			for range s.Events() {
			}
			id = s.RunID()
		})
		times.time("resume", func() {
			s := a.ResumeStream(ctx, "Red", agent.Resume{RunID: id})
			for range s.Events() {
			}
			if st := s.State(); st == nil || st.Run.Status != agent.StatusFinished {
				b.Fatalf("not finished: %v", s.Err())
			}
		})
		times.time("fsync", func() {
			if _, err := file.Write(page); err != nil {
				b.Fatal(err)
			}
			if err := file.Sync(); err != nil {
				b.Fatal(err)
			}
		})
	}
	times.report()
}

// BenchmarkFold measures reading a journal of about 10,000 records.
func BenchmarkFold(b *testing.B) {
	look := tool("look", agent.EffectReadOnly, nil)
	turns := make([]any, 0, 2000)
	for range 1999 {
		turns = append(turns, calls(call("c", "look", `{"path":"some/file.go"}`)))
	}
	r := newRig(b, append(turns, says("done")), look)
	d := drain(b, r.StreamTask(context.Background(), agent.Task{Prompt: "x", Limits: agent.Limits{MaxSteps: 3000}}))
	d.wantStatus(agent.StatusFinished)
	events := r.load(d.runID).Events
	b.ResetTimer()
	for b.Loop() {
		if _, err := agent.Fold(events); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(events)), "records")
}
