package runstore

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// TestSQLite_Runs_search compares what SQLite finds, whatever drives its
// search, with the store in memory, which looks at every run.
func TestSQLite_Runs_search(t *testing.T) {
	t.Parallel()
	s, memory := openTemp(t), Memory()
	ids := fillBoth(t, s, memory, 600)
	rare, some, many := crowd.words[crowdWords-1], crowd.words[200], crowd.words[0]
	for _, search := range []string{
		many, some, rare, "nowhere", many + " " + crowd.words[3], some + " " + many, strings.ToUpper(many) + " " + some,
		"Ünder " + many, "ünder ÖVER", "ka", "ka " + many, "ü", "100%", "un_er", `wo"rd`,
	} {
		for _, q := range []agent.RunQuery{
			{}, {Project: crowd.project(0)}, {Project: crowd.project(150)}, {Waiting: true}, {Before: ids[300]}, {Before: ids[500], Project: crowd.project(0)},
			{Statuses: []agent.Status{agent.StatusFailed, agent.StatusCanceled}}, {Statuses: []agent.Status{agent.StatusInterrupted}},
			{Waiting: true, Statuses: []agent.Status{agent.StatusFinished}}, {IDPart: ids[400][28:]}, {Before: "unknown"},
		} {
			for _, q.Limit = range []int{0, 20} {
				q.Search = search
				if got, want := idsOf(t, s, q), idsOf(t, memory, q); !slices.Equal(got, want) {
					t.Errorf("%+v:\n got %d %v\nwant %d %v", q, len(got), got, len(want), want)
				}
			}
		}
	}
}

// TestSQLite_Runs_searchOdd compares the stores on texts of all kinds of signs,
// of which some are changed and some deleted again.
func TestSQLite_Runs_searchOdd(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the same texts each time
	alphabet := []rune("aabBcC_19.-/\\\"'%*()ßéÉİıſK日本語かカ한글ไทย😀\u0301\u200d\u00a0\x00\n  ")
	odd := func(n int) string {
		text := make([]rune, 1+random.IntN(n))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(text)
	}
	s, memory := openTemp(t), Memory()
	var texts []string
	for n := range 150 {
		run := agent.Run{ID: fmt.Sprintf("run-%03d", n), Title: odd(12), Prompt: odd(60), Created: time.Unix(int64(n/4), 0).UTC(), Status: agent.StatusFinished}
		for base := range int64(1 + random.IntN(2)) {
			start := agent.Event{Seq: base + 1, At: run.Created, Type: agent.Start, RunID: run.ID, From: agent.From}
			c := agent.Change{ID: fmt.Sprint(run.ID, base), Run: run, Base: base, Events: []agent.Event{start}}
			for _, store := range []Store{s, memory} {
				if _, err := store.Commit(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			texts = append(texts, run.Title, run.Prompt)
			run.Title = odd(12)
		}
		if n%7 == 0 {
			if err := errors.Join(s.Delete(t.Context(), run.ID), memory.Delete(t.Context(), run.ID)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 400 {
		text := []rune(texts[random.IntN(len(texts))])
		from := random.IntN(len(text))
		part := string(text[from:min(len(text), from+1+random.IntN(6))])
		if random.IntN(2) == 0 {
			part = strings.ToUpper(part)
		}
		q := agent.RunQuery{Search: part, Limit: random.IntN(3) * 5}
		if got, want := idsOf(t, s, q), idsOf(t, memory, q); !slices.Equal(got, want) {
			t.Errorf("%q, limit %d:\n got %v\nwant %v", part, q.Limit, got, want)
		}
		for _, text := range terms(part) { // whatever would be found by a look at the list
			err := s.read(t.Context(), "look", func(tx *sql.Tx) error {
				search := newSearch(t.Context(), tx, agent.RunQuery{})
				found, known, err := search.term(text)
				if err == nil && known {
					search.terms = append(search.terms, found)
					err = search.stream(found)
				}
				slices.Sort(search.found)
				want := idsOf(t, memory, agent.RunQuery{Search: text})
				slices.Sort(want)
				if !slices.Equal(search.found, want) {
					t.Errorf("%q by its words:\n got %v\nwant %v", text, search.found, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// fillBoth puts the same runs into both stores, several of them made within
// one second and not in the order of their age, and returns their IDs.
func fillBoth(t *testing.T, s *SQLite, memory Store, n int) []string {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same runs each time
	word := rand.NewZipf(random, 1.1, 4, crowdWords-1)
	ids := make([]string, n)
	err := s.write(t.Context(), "fill", func(w *writeConn) error {
		for i, place := range random.Perm(n) {
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(place) * 150 * time.Millisecond)
			c := crowd.change(random, word, crowd.project(place%3*75), at)
			c.Own = false
			if place%9 == 0 {
				c.Run.Prompt = fmt.Sprintf(`Ünder ÖVER 100%% wo"rd %s`, c.Run.Prompt)
			}
			ids[n-1-place] = c.Run.ID
			if _, err := memory.Commit(t.Context(), c); err != nil {
				return err
			}
			commit := commit{w: w, ctx: t.Context(), c: c, writer: s.writer()}
			if _, err := commit.run(); err != nil {
				return fmt.Errorf("run %d: %w", i, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// TestSearch_rarest says what a search goes on with after a look at 40 runs.
func TestSearch_rarest(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	ids := fillBoth(t, s, Memory(), 900)
	rare, some, many := crowd.words[crowdWords-1], crowd.words[200], crowd.words[0]
	project := crowd.project(0)
	for _, test := range []struct {
		name, search string
		list         agent.RunQuery
		want         string
	}{
		{"a rare word", many + " " + rare, agent.RunQuery{}, rare},
		{"a word, in the list of all", many, agent.RunQuery{}, many},
		{"a word rarer than the project", some, agent.RunQuery{Project: project}, some},
		{"a project rarer than the word", many, agent.RunQuery{Project: project}, ""},
		{"a project rarer than the word, a page further on", many, agent.RunQuery{Project: project, Before: ids[300]}, ""},
	} {
		err := s.read(t.Context(), "look", func(tx *sql.Tx) error {
			search := newSearch(t.Context(), tx, test.list)
			for _, text := range terms(test.search) {
				term, known, err := search.term(text)
				if err != nil || !known {
					t.Errorf("%s: term %q: known %v, %v", test.name, text, known, err)
				}
				search.terms = append(search.terms, term)
			}
			if more, err := search.walk(40); err != nil || !more {
				t.Errorf("%s: after the walk more %v, %v", test.name, more, err)
			}
			got, err := search.rarest()
			switch {
			case err != nil:
			case got == nil && test.want != "", got != nil && got.text != test.want:
				t.Errorf("%s: %+v, want %q", test.name, got, test.want)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestSearch_stream_ofManyWords asks the index for as many words as it is ever
// asked for.
func TestSearch_stream_ofManyWords(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	run := agent.Run{ID: "run-a", Status: agent.StatusFinished}
	for n := range manyWords - 1 {
		run.Prompt += fmt.Sprintf("Needle%d ", n)
	}
	start := agent.Event{Seq: 1, Type: agent.Start, RunID: run.ID, From: agent.From}
	if _, err := s.Commit(t.Context(), agent.Change{ID: "a", Run: run, Events: []agent.Event{start}}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"needle", "eed", "ee", "needle1998", "needle5 needle7"} {
		err := s.read(t.Context(), "look", func(tx *sql.Tx) error {
			search := newSearch(t.Context(), tx, agent.RunQuery{})
			var err error
			for _, text := range terms(text) {
				var t term
				if t, _, err = search.term(text); err != nil {
					return err
				}
				search.terms = append(search.terms, t)
			}
			if err := search.stream(search.terms[0]); err != nil {
				return err
			}
			if !slices.Equal(search.found, []string{run.ID}) {
				t.Errorf("%q found %v", text, search.found)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestSearch_walk takes a search to the end of the list, in one walk and in two.
func TestSearch_walk(t *testing.T) {
	t.Parallel()
	s, memory := openTemp(t), Memory()
	ids := fillBoth(t, s, memory, 400)
	for _, q := range []agent.RunQuery{
		{}, {Project: crowd.project(0)}, {Waiting: true}, {Before: ids[300]}, {Project: crowd.project(0), Limit: 3},
		{Statuses: []agent.Status{agent.StatusFailed, agent.StatusFinished}},
	} {
		q.Search = "k a o " + crowd.words[0]
		for _, first := range []int{0, 7} {
			err := s.read(t.Context(), "look", func(tx *sql.Tx) error {
				search := newSearch(t.Context(), tx, q)
				for _, text := range terms(q.Search) {
					search.terms = append(search.terms, term{text: text})
				}
				more, err := search.walk(first)
				if err == nil && more {
					_, err = search.walk(0)
				}
				if want := idsOf(t, memory, q); !slices.Equal(search.found, want) || len(want) == 0 {
					t.Errorf("%+v, %d first: found %v, want %v", q, first, search.found, want)
				}
				return err
			})
			if err != nil {
				t.Errorf("%+v: %v", q, err)
			}
		}
	}
}

// TestCommit_textKeys_ofAFullSecond goes on in the next one.
func TestCommit_textKeys_ofAFullSecond(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	run := agent.Run{ID: "run-a", Title: "First title", Prompt: "First prompt", Created: at, Status: agent.StatusFinished}
	start := agent.Event{Seq: 1, At: at, Type: agent.Start, RunID: run.ID, From: agent.From}
	if _, err := s.Commit(t.Context(), agent.Change{ID: "a", Run: run, Events: []agent.Event{start}}); err != nil {
		t.Fatal(err)
	}
	last := firstKey(at.UnixNano()) + textsPerSecond - 1
	if _, err := s.pool.ExecContext(t.Context(), `UPDATE texts SET key = ? WHERE ref = 'title'`, last); err != nil {
		t.Fatal(err)
	}
	run.ID, run.Title, run.Prompt, start.RunID = "run-b", "Second title", "Second prompt", "run-b"
	if _, err := s.Commit(t.Context(), agent.Change{ID: "b", Run: run, Events: []agent.Event{start}}); err != nil {
		t.Fatal(err)
	}
	if got := idsOf(t, s, agent.RunQuery{Search: "second", Limit: 5}); !slices.Equal(got, []string{"run-b"}) {
		t.Errorf("found %v", got)
	}
}

func openTemp(t *testing.T) *SQLite {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func idsOf(t *testing.T, s Store, q agent.RunQuery) []string {
	t.Helper()
	infos, err := s.Runs(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	ids := []string{}
	for _, i := range infos {
		ids = append(ids, i.ID)
	}
	return ids
}
