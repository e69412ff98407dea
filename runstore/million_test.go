package runstore

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

var (
	millionFile = flag.String("million", "", "database of a million runs to measure; built if there is no such file")
	millionRuns = flag.Int("million-runs", 1_000_000, "how many runs the database is built with")
)

// BenchmarkMillion measures what lists ask of a database of a million runs.
// It takes the file that -million names, and builds it first if need be.
func BenchmarkMillion(b *testing.B) {
	if *millionFile == "" {
		b.Skip("name a file for the database, of about 2 GB: -million FILE")
	}
	s := openMillion(b)
	middle := middleRun(b, s)
	for _, q := range []struct {
		name string
		q    agent.RunQuery
	}{
		{"newest", agent.RunQuery{}},
		{"project", agent.RunQuery{Project: crowd.project(0)}},
		{"rare project", agent.RunQuery{Project: crowd.project(manyProjects - 1)}},
		{"waiting", agent.RunQuery{Waiting: true}},
		{"waiting of project", agent.RunQuery{Waiting: true, Project: crowd.project(0)}},
		{"status", agent.RunQuery{Statuses: []agent.Status{agent.StatusFailed}}},
		{"interrupted", agent.RunQuery{Statuses: []agent.Status{agent.StatusInterrupted}}},
		{"running", agent.RunQuery{Statuses: []agent.Status{agent.StatusRunning}}},
		{"waiting and status", agent.RunQuery{Waiting: true, Statuses: []agent.Status{agent.StatusFinished}}},
		{"page in the middle", agent.RunQuery{Before: middle}},
		{"page of project", agent.RunQuery{Before: middle, Project: crowd.project(0)}},
		{"page of waiting", agent.RunQuery{Before: middle, Waiting: true}},
		{"suffix", agent.RunQuery{IDPart: middle[len(middle)-8:]}},
		{"prefix of many", agent.RunQuery{IDPart: middle[:4]}},
		{"search of a word of many", agent.RunQuery{Search: crowd.words[0]}},
		{"search of a rare word", agent.RunQuery{Search: crowd.words[crowdWords-1]}},
		{"search of a word of some", agent.RunQuery{Search: crowd.words[crowdWords/40]}},
		{"search of a word of few", agent.RunQuery{Search: crowd.words[crowdWords/10-1]}},
		{"search of a word of few that wait", agent.RunQuery{Search: crowd.words[crowdWords/10-1], Waiting: true}},
		{"search of three words", agent.RunQuery{Search: crowd.words[1] + " " + crowd.words[40] + " " + crowd.words[100]}},
		{"search of two words", agent.RunQuery{Search: crowd.words[1] + " " + crowd.words[40]}},
		{"search of a word nowhere", agent.RunQuery{Search: "xylophone"}},
		{"search in project", agent.RunQuery{Search: crowd.words[0], Project: crowd.project(manyProjects - 1)}},
		{"search in waiting", agent.RunQuery{Search: crowd.words[9], Waiting: true}},
		{"search, page in the middle", agent.RunQuery{Search: crowd.words[0], Before: middle}},
		{"search of two letters", agent.RunQuery{Search: "ka"}},
		{"search of two letters nowhere", agent.RunQuery{Search: "qq"}},
	} {
		q.q.Limit = 20
		b.Run(q.name, func(b *testing.B) {
			median(b, func() error {
				_, err := s.Runs(b.Context(), q.q)
				return err
			})
		})
	}
	for name, q := range map[string]PlanQuery{
		"plans":            {Limit: 20},
		"plans of project": {Limit: 20, Project: crowd.project(0)},
		"plans of run":     {RunID: middle},
		"plans of path":    {Limit: 20, Path: ".mastracode/plans/" + crowd.words[0] + ".md"},
	} {
		b.Run(name, func(b *testing.B) {
			median(b, func() error {
				_, err := s.Plans(b.Context(), q)
				return err
			})
		})
	}
}

// median measures what do takes and reports the median: other work of the
// machine hardly moves it.
func median(b *testing.B, do func() error) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/p50")
	b.ReportMetric(float64(took[0].Microseconds())/1000, "ms/min")
	b.ReportMetric(0, "ns/op")
}

func openMillion(b *testing.B) *SQLite {
	b.Helper()
	_, missing := os.Stat(*millionFile)
	s, err := Open(b.Context(), *millionFile, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	if !errors.Is(missing, fs.ErrNotExist) {
		return s
	}
	began := time.Now()
	if err := crowd.fill(b.Context(), s, *millionRuns); err != nil {
		b.Fatal(err)
	}
	b.Logf("built %d runs in %s", *millionRuns, time.Since(began).Round(time.Second))
	return s
}

// middleRun is the run in the middle of the list.
func middleRun(b *testing.B, s *SQLite) string {
	b.Helper()
	var id string
	err := s.pool.QueryRowContext(b.Context(), `SELECT id FROM runs ORDER BY created_at LIMIT 1 OFFSET ?`, *millionRuns/2).Scan(&id)
	if err != nil {
		b.Fatal(err)
	}
	return id
}

const (
	crowdWords   = 4000
	manyProjects = 200
	perCommit    = 20_000
)

// multitude makes runs as years of work leave them: a few projects have most
// of them, a few words are in most prompts, and few wait for a person.
type multitude struct{ words []string }

var crowd = newMultitude()

func newMultitude() *multitude {
	syllables := strings.Fields("ka ro mi ten dar lu so per vin ga tor es ul ba ne chi mor fi ad lo")
	m := &multitude{}
	for i := range crowdWords {
		word := ""
		for n := i + len(syllables); n > 0; n /= len(syllables) {
			word += syllables[n%len(syllables)]
		}
		m.words = append(m.words, word)
	}
	return m
}

func (m *multitude) project(n int) string { return fmt.Sprintf("/home/ann/project-%d", n) }

// fill writes n runs as commits do, but without looking for what was there
// before: with many runs to a transaction, and the index of texts made at the
// end.
func (m *multitude) fill(ctx context.Context, s *SQLite, n int) error {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same runs each time
	word := rand.NewZipf(random, 1.1, 4, crowdWords-1)
	project := rand.NewZipf(random, 1.3, 3, manyProjects-1)
	at := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	keys := make(map[int64]int64) // of the texts, the next one of a second
	for made := 0; made < n; made += perCommit {
		err := s.write(ctx, "fill", func(w *writeConn) error {
			if _, err := w.exec(ctx, `PRAGMA cache_size = -262144`); err != nil {
				return err
			}
			for range min(perCommit, n-made) {
				at = at.Add(time.Duration(random.ExpFloat64() * float64(100*time.Second)))
				t := commit{w: w, ctx: ctx, c: m.change(random, word, m.project(int(project.Uint64())), at)} //nolint:gosec // below 200
				if err := t.writeNew(s.writer(), keys); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.write(ctx, "fill", func(w *writeConn) error {
		return indexTexts(ctx, w)
	})
}

// writeNew writes a run that is not there, its texts under the next keys of
// their second and not in the index.
func (t *commit) writeNew(w writer, keys map[int64]int64) error {
	var err error
	if t.ruling, err = w.rule(t.c, head{}, nil); err != nil {
		return err
	}
	t.writeRun()
	t.writeEvents()
	t.writeSuspensions()
	t.writePlans()
	t.writeBlobs()
	first := firstKey(t.c.Run.Created.UnixNano())
	for _, text := range textsOf(t.c, true, true) {
		t.exec(`INSERT INTO texts (key, run_id, ref, body) VALUES (?, ?, ?, ?)`, first+keys[first], t.c.Run.ID, text.ref, text.body)
		keys[first]++
	}
	return t.fault
}

// change is a whole run in one commit: its end, a question if it waits, a plan
// now and then.
func (m *multitude) change(random *rand.Rand, word *rand.Zipf, project string, at time.Time) agent.Change {
	text := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = m.words[word.Uint64()]
		}
		return strings.Join(words, " ")
	}
	run := agent.Run{
		ID: idAt(random, at), Title: text(4), Prompt: text(8 + random.IntN(12)), Workspace: project, Project: project,
		Status: agent.StatusFinished, FinishReason: "stop", Mode: "build", Model: "script:x", Created: at, Updated: at.Add(time.Hour),
	}
	c := agent.Change{ID: "change", Events: []agent.Event{
		{Seq: 1, At: at, Type: agent.Start, RunID: run.ID, From: agent.From, Payload: json.RawMessage(`{"prompt":"` + run.Prompt + `"}`)},
	}}
	switch of := random.IntN(1000); {
	case of < 15:
		run.Status = agent.StatusSuspended
		payload, _ := json.Marshal(map[string]string{"question": text(10)})
		c.Suspensions = []agent.Suspension{{ToolCallID: "call_1", N: 1, Kind: agent.KindQuestion, ToolName: "ask_user", Payload: payload, Since: at, State: agent.SuspensionOpen}}
	case of < 18:
		run.Undecided = true
	case of < 19:
		run.Status, c.Own = agent.StatusRunning, true // by a process that will be gone
	case of < 40:
		run.Status = agent.StatusPaused
	case of < 80:
		run.Status = agent.StatusFailed
	case of < 100:
		run.Status = agent.StatusCanceled
	}
	if random.IntN(20) == 0 {
		body := text(60)
		decision := agent.PlanApproved
		if run.Undecided {
			decision = agent.PlanUndecided
		}
		c.Plans = []agent.Plan{{RunID: run.ID, Path: ".mastracode/plans/" + m.words[random.IntN(crowdWords)] + ".md", Revision: 1, ToolCallID: "call_0", N: 1,
			Title: text(4), Body: body, Digest: agent.Digest([]byte(body)), SubmittedAt: at, Decision: decision}}
		c.Blobs = [][]byte{[]byte(body)}
	}
	c.Run = run
	return c
}

// idAt is a UUIDv7 of that time.
func idAt(random *rand.Rand, at time.Time) string {
	ms, a, b := at.UnixMilli(), random.Uint32(), random.Uint64()
	return fmt.Sprintf("%08x-%04x-7%03x-8%03x-%012x", ms>>16, ms&0xffff, a&0xfff, a>>20, b&(1<<48-1))
}
