package runstore

import (
	"testing"
	"time"
)

// TestPrune_words: what searches know afterwards are the words of the runs that
// are left, however many transactions it took, whenever a word was last asked
// about, and whichever way the clock went between creation and end.
func TestPrune_words(t *testing.T) {
	t.Parallel()
	for name, clock := range map[string]string{
		"right":    `UPDATE runs SET updated_at = created_at + 3600000000000`,
		"backward": `UPDATE runs SET updated_at = (SELECT min(created_at) + max(created_at) FROM runs) - created_at`,
		"frantic":  `UPDATE runs SET updated_at = (SELECT min(created_at) FROM runs) + (created_at - (SELECT min(created_at) FROM runs)) * 7919 % 86400000000000`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openTemp(t)
			if err := crowd.fill(t.Context(), s, 1500); err != nil {
				t.Fatal(err)
			}
			if _, err := s.pool.ExecContext(t.Context(), clock); err != nil {
				t.Fatal(err)
			}
			var half int64
			if err := s.pool.QueryRowContext(t.Context(), `SELECT updated_at FROM runs ORDER BY updated_at LIMIT 1 OFFSET 750`).Scan(&half); err != nil {
				t.Fatal(err)
			}
			for _, before := range []time.Time{time.Unix(0, half), time.Now()} {
				turns, gone := 0, 0
				err := s.Prune(t.Context(), EndedQuery{Before: before}, func(runs []EndedRun) { turns, gone = turns+1, gone+len(runs) })
				if err != nil || turns < 2 {
					t.Errorf("%d runs gone in %d transactions, %v", gone, turns, err)
				}
				wantWords(t, s)
			}
		})
	}
}

// wantWords holds the words that are known against those of the texts.
func wantWords(t *testing.T, s *SQLite) {
	t.Helper()
	texts, err := keyedTexts(s.pool.QueryContext(t.Context(), `SELECT key, body FROM texts`))
	if err != nil {
		t.Fatal(err)
	}
	known, err := keyedTexts(s.pool.QueryContext(t.Context(), `SELECT id, word FROM words`))
	if err != nil {
		t.Fatal(err)
	}
	missing, idle := make(map[string]bool), []string{}
	for _, text := range texts {
		for _, word := range wordsIn(text.body) {
			missing[word] = true
		}
	}
	if len(missing) == 0 {
		t.Error("no texts are left to know the words of")
	}
	for _, k := range known {
		if !missing[k.body] {
			idle = append(idle, k.body)
		}
		delete(missing, k.body)
	}
	if len(missing) > 0 || len(idle) > 0 {
		t.Errorf("not known: %v; known, but in no text: %q", missing, idle)
	}
}

func TestTurn_adapt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		bytes, want int
		took        time.Duration
	}{
		{mostTurn, mostTurn, time.Millisecond},
		{mostTurn, mostTurn / 2, 2 * turnTime},
		{mostTurn, leastTurn, time.Hour},
		{leastTurn, 2 * leastTurn, 0},
		{2 * leastTurn, 3 * leastTurn, turnTime * 2 / 3},
	} {
		turn := turn{bytes: test.bytes}
		turn.adapt(test.took)
		if turn.bytes != test.want {
			t.Errorf("%d bytes took %s: now %d, want %d", test.bytes, test.took, turn.bytes, test.want)
		}
	}
}
