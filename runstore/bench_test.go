package runstore_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// testRun is a run in the shape the loop makes them.
func testRun(n int) agent.Run {
	at := time.Date(2026, 11, 30, 10, 0, 0, n, time.UTC)
	return agent.Run{
		ID: fmt.Sprintf("01939f3c-%04x-7000-8000-%012x", n>>12&0xffff, n), Title: fmt.Sprintf("Task %d", n), Prompt: fmt.Sprintf("Do task %d", n),
		Workspace: "/ws", Project: fmt.Sprintf("/project/%d", n%50), Status: agent.StatusFinished, Mode: "build", Model: "script:x", Created: at, Updated: at,
	}
}

// appended is n records of about 300 bytes behind base.
func appended(run agent.Run, base int64, n int) agent.Change {
	run.Seq = base + int64(n)
	c := agent.Change{ID: agent.NewID(), Run: run, Base: base}
	payload := json.RawMessage(`{"toolCallId":"call_1","text":"` + strings.Repeat("word ", 50) + `"}`)
	for seq := base + 1; seq <= run.Seq; seq++ {
		c.Events = append(c.Events, agent.Event{Seq: seq, At: run.Created, Type: agent.ToolResult, RunID: run.ID, From: agent.From, Payload: payload})
	}
	return c
}

// BenchmarkFloor is what no durable append can beat: a write and an fsync.
func BenchmarkFloor(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	page := make([]byte, 4096)
	for b.Loop() {
		if _, err := f.Write(page); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSQLite_Commit appends one record as the owner of the run.
func BenchmarkSQLite_Commit(b *testing.B) {
	s := openBench(b)
	run := testRun(1)
	run.Status = agent.StatusRunning
	c := appended(run, 0, 1)
	c.Own = true
	epoch := mustCommit(b, s, c)
	for base := int64(1); b.Loop(); base++ {
		c := appended(run, base, 1)
		c.Epoch, c.Own = epoch, true
		mustCommit(b, s, c)
	}
}

// BenchmarkSQLite_Commit_texts begins runs with a prompt of 40 words, and with
// a plan of 1,000 beside it: what a search has to find.
func BenchmarkSQLite_Commit_texts(b *testing.B) {
	for name, words := range map[string]int{"prompt": 0, "plan": 1000} {
		b.Run(name, func(b *testing.B) {
			s := openBench(b)
			for n := 0; b.Loop(); n++ {
				run := testRun(n)
				run.Prompt = prose(n, 40)
				c := appended(run, 0, 1)
				if words > 0 {
					body := prose(n, words)
					c.Plans = []agent.Plan{{RunID: run.ID, Path: "p.md", Revision: 1, Title: "Plan", Body: body, Decision: agent.PlanOpen}}
				}
				mustCommit(b, s, c)
			}
		})
	}
}

// prose is that many words, of some thousand different ones.
func prose(seed, words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "word%d ", (seed*31+i*i)%5003)
	}
	return b.String()
}

// BenchmarkSQLite_Load loads a run of 1,000 records.
func BenchmarkSQLite_Load(b *testing.B) {
	s := openBench(b)
	run := testRun(1)
	mustCommit(b, s, appended(run, 0, 1000))
	for b.Loop() {
		snap, err := s.Load(b.Context(), run.ID)
		if err != nil || len(snap.Events) != 1000 {
			b.Fatalf("%d records, %v", len(snap.Events), err)
		}
	}
}

// BenchmarkSQLite_Runs lists the newest 20 of 5,000 runs.
func BenchmarkSQLite_Runs(b *testing.B) {
	s := openBench(b)
	for n := range 5000 {
		mustCommit(b, s, appended(testRun(n), 0, 1))
	}
	for name, q := range map[string]agent.RunQuery{
		"all":         {Limit: 20},
		"project":     {Limit: 20, Project: "/project/7"},
		"status":      {Limit: 20, Project: "/project/7", Statuses: []agent.Status{agent.StatusFinished, agent.StatusInterrupted}},
		"suffix":      {Limit: 20, IDPart: "00000100"},
		"search":      {Limit: 20, Search: "task 4711"},
		"short words": {Limit: 20, Search: "42"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				infos, err := s.Runs(b.Context(), q)
				if err != nil || len(infos) == 0 {
					b.Fatalf("%d runs, %v", len(infos), err)
				}
			}
		})
	}
}

// BenchmarkSQLite_Open opens an existing database, lists, and closes it: what
// every command pays.
func BenchmarkSQLite_Open(b *testing.B) {
	path := filepath.Join(b.TempDir(), "runs.db")
	if s := open(b, path, runstore.Options{}); mustCommit(b, s, appended(testRun(1), 0, 3)) != 0 || s.Close() != nil {
		b.Fatal("cannot prepare the database")
	}
	for b.Loop() {
		s := open(b, path, runstore.Options{})
		if _, err := s.Runs(b.Context(), agent.RunQuery{Limit: 20}); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func openBench(b *testing.B) *runstore.SQLite {
	b.Helper()
	s := open(b, filepath.Join(b.TempDir(), "runs.db"), runstore.Options{})
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func mustCommit(t testing.TB, s runstore.Store, c agent.Change) int64 {
	t.Helper()
	epoch, err := s.Commit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return epoch
}
