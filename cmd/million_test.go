//go:build unix

package cmd

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

var million = flag.String("million", "", "database of a million runs to measure, built by the benchmark of that name in runstore")

// longTitle is that of the run of 10,000 records, which is made in the database
// if it is not there.
const longTitle = "Ten thousand records"

// BenchmarkMillion measures whole processes on a database of a million runs.
func BenchmarkMillion(b *testing.B) {
	if *million == "" {
		b.Skip("name a database: -million FILE")
	}
	path, err := filepath.Abs(*million)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		b.Fatalf("build the database first, by the benchmark of this name in runstore: %v", err)
	}
	p := newProcess(b)
	p.env = append(p.env, "AGENT_DB="+path)
	long := p.longRun()
	middle := p.listed("--all", "--status", "failed", "--limit", "20000")
	floor := &process{b: b, bin: "true", dir: p.dir, took: p.took}
	for b.Loop() {
		p.run("list", 0, "list")
		p.run("list-all", 0, "list", "--all")
		p.run("list-all-json", 0, "list", "--all", "-o", "json")
		p.run("list-waiting", 0, "list", "--all", "--waiting")
		p.run("list-waiting-json", 0, "list", "--all", "--waiting", "-o", "json")
		p.run("list-page", 0, "list", "--all", "--before", middle)
		p.run("list-search", 0, "list", "--all", "--search", "karo")
		p.run("list-search-two", 0, "list", "--all", "--search", "roro miten")
		p.run("plans-list", 0, "plans", "list", "--all")
		p.run("complete", 0, "__complete", "show", "")
		p.run("show", 0, "show", long)
		p.run("show-json", 0, "show", long, "-o", "json")
		p.run("events-after", 0, "events", long, "--after", "9990")
		p.open(path, long)
		floor.run("true", 0)
	}
	p.report()
}

// open measures reading a run in one process: the journal and its fold.
func (p *process) open(path, id string) {
	p.b.Helper()
	store, err := runstore.Open(p.b.Context(), path, runstore.Options{})
	if err != nil {
		p.b.Fatal(err)
	}
	defer store.Close()
	began := time.Now()
	if _, _, err := loadRun(p.b.Context(), store, id); err != nil {
		p.b.Fatal(err)
	}
	p.took["open-in-process"] = append(p.took["open-in-process"], time.Since(began))
}

// listed is the ID of the last run a list shows, "" if it shows none.
func (p *process) listed(args ...string) string {
	p.b.Helper()
	var list struct {
		Runs []struct{ RunID string }
	}
	if err := json.Unmarshal(p.run("prepare", 0, append([]string{"list", "-o", "json"}, args...)...), &list); err != nil {
		p.b.Fatal(err)
	}
	if len(list.Runs) == 0 {
		return ""
	}
	return list.Runs[len(list.Runs)-1].RunID
}

// longRun is a run of 10,000 records: 2,000 steps with a call in each.
func (p *process) longRun() string {
	p.b.Helper()
	if id := p.listed("--all", "--search", longTitle); id != "" {
		return id
	}
	script := filepath.Join(p.dir, "long.yaml")
	turns := "turns:\n" + strings.Repeat("  - {text: Looking., toolCalls: [{name: list_files, args: {}}]}\n", 2000) + "  - text: Done.\n"
	if err := os.WriteFile(script, []byte(turns), 0o644); err != nil {
		p.b.Fatal(err)
	}
	p.run("prepare", 0, "run", "--model", "script:"+script, "--max-steps", fmt.Sprint(3000), "--title", longTitle, "Look around")
	return p.listed("--all", "--search", longTitle)
}

// BenchmarkPrune deletes 100,000 runs of a copy of that database, while another
// process commits. It goes once, whatever -benchtime says.
func BenchmarkPrune(b *testing.B) {
	if *million == "" {
		b.Skip("name a database: -million FILE")
	}
	p := newProcess(b)
	path := copied(b, *million)
	p.env = append(p.env, "AGENT_DB="+path)
	p.run("open", 0, "list") // brings its schema up to date
	for range 5 {
		p.run("dry-run", 0, "prune", "--older-than", "900d", "--all", "--dry-run")
		p.run("dry-run-json", 0, "prune", "--older-than", "900d", "--all", "--dry-run", "-o", "json")
	}
	store, err := runstore.Open(b.Context(), path, runstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	quiet := committing(b, store, time.After(3*time.Second))
	over, waits := make(chan time.Time), make(chan []time.Duration)
	go func() { waits <- committing(b, store, over) }()
	var doc deletedRuns
	if err := json.Unmarshal(p.run("prune", 0, "prune", "--older-than", ageOfOldest(b, store, 100_000), "--all", "--yes", "-o", "json"), &doc); err != nil {
		b.Fatal(err)
	}
	close(over)
	during := <-waits
	b.ReportMetric(float64(len(doc.Deleted)), "pruned")
	for name, took := range map[string][]time.Duration{"commit-alone": quiet, "commit-beside": during} {
		slices.Sort(took)
		p.took[name] = took
		for of, at := range map[string]int{"p99": len(took) * 99 / 100, "max": len(took) - 1} {
			b.ReportMetric(float64(took[at].Microseconds())/1000, name+"-ms/"+of)
		}
	}
	p.medians() // of the memory, what this process holds itself is told
}

// copied is a copy of a file beside it, for the time of the benchmark.
func copied(b *testing.B, name string) string {
	b.Helper()
	from, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer from.Close()
	dir, err := os.MkdirTemp(filepath.Dir(name), "prune-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	to, err := os.Create(filepath.Join(dir, "runs.db"))
	if err == nil {
		_, err = io.Copy(to, from)
	}
	if err := errors.Join(err, to.Close()); err != nil {
		b.Fatal(err)
	}
	return to.Name()
}

// ageOfOldest is what prune is told to delete about so many runs.
func ageOfOldest(b *testing.B, store runstore.Store, runs int) string {
	b.Helper()
	hours := sort.Search(100_000, func(h int) bool {
		n, err := store.CountEnded(b.Context(), runstore.EndedQuery{Before: time.Now().Add(-time.Duration(h) * time.Hour)})
		if err != nil {
			b.Fatal(err)
		}
		return n < runs
	})
	return fmt.Sprint(hours, "h")
}

// committing begins runs one after the other until it is over, and returns what
// each commit took.
func committing[T any](b *testing.B, store runstore.Store, over <-chan T) []time.Duration {
	var took []time.Duration
	for {
		select {
		case <-over:
			return took
		default:
		}
		run := agent.Run{ID: agent.NewID(), Title: "Beside", Prompt: "Go on beside", Workspace: "/beside", Project: "/beside", Status: agent.StatusPaused, Created: time.Now(), Updated: time.Now()}
		e := agent.Event{Seq: 1, At: run.Created, Type: agent.Start, RunID: run.ID, From: agent.From, Payload: json.RawMessage(`{}`)}
		began := time.Now()
		if _, err := store.Commit(b.Context(), agent.Change{ID: agent.NewID(), Run: run, Events: []agent.Event{e}}); err != nil {
			b.Error(err)
			return took
		}
		took = append(took, time.Since(began))
	}
}
