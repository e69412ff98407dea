package runstore

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "",
		" \t\u00a0\u2028 ":               "",
		"Fix the LIMITER, please":        "fix|the|limiter|,|please",
		"runstore/list.go:45":            "runstore|/|list|.|go|:|45",
		"snake_case a->b":                "snake_case|a|->|b",
		"Überschrift e\u0301te\u0301":    "überschrift|e\u0301te\u0301",
		"データ移行 x":                        "デ|ー|タ|移|行|x",
		"한국어 지원":                         "한국어|지원",
		"😀👍 ok":                          "😀👍|ok",
		"bad \xff\xfe byte, nul\x00here": "bad|\uFFFD|byte|,|nul|here",
	} {
		if got := strings.Join(words(fold(text)), "|"); got != want {
			t.Errorf("words of %q are %q, want %q", text, got, want)
		}
	}
}

// TestSQLite_words: a word is known as long as a text has it.
func TestSQLite_words(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	run := agent.Run{ID: "run-a", Title: "old heading", Prompt: "shared prompt", Created: at, Status: agent.StatusFinished}
	commit := func(base int64) {
		t.Helper()
		e := agent.Event{Seq: base + 1, At: at, Type: agent.Start, RunID: run.ID, From: agent.From}
		if _, err := s.Commit(t.Context(), agent.Change{ID: agent.NewID(), Run: run, Base: base, Events: []agent.Event{e}}); err != nil {
			t.Fatal(err)
		}
	}
	known := func(want ...string) {
		t.Helper()
		rows, err := s.pool.QueryContext(t.Context(), `SELECT word FROM words ORDER BY word`)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		var got []string
		for rows.Next() {
			var word string
			if err := rows.Scan(&word); err != nil {
				t.Fatal(err)
			}
			got = append(got, word)
		}
		if err := rows.Err(); err != nil || !slices.Equal(got, want) {
			t.Errorf("knows %q, %v; want %q", got, err, want)
		}
		if infos, err := s.Runs(t.Context(), agent.RunQuery{Search: "head"}); err != nil || len(infos) != min(1, len(want)-len(want)%2) {
			t.Errorf("found %d runs, %v", len(infos), err)
		}
	}
	commit(0)
	known("heading", "old", "prompt", "shared")
	run.Title = "new heading"
	commit(1)
	known("heading", "new", "prompt", "shared")
	run.ID, run.Title, run.Prompt = "run-b", "", "shared"
	commit(0)
	if err := s.Delete(t.Context(), "run-a"); err != nil {
		t.Fatal(err)
	}
	known("shared")
	if err := s.Delete(t.Context(), "run-b"); err != nil {
		t.Fatal(err)
	}
	known()
}
