package runstore

import (
	"slices"
	"testing"
	"time"
)

// TestPrune_words: what searches know afterwards are the words of the runs that
// are left, however many transactions it took and whenever a word was last
// asked about.
func TestPrune_words(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	if err := crowd.fill(t.Context(), s, 1500); err != nil {
		t.Fatal(err)
	}
	for _, before := range []time.Time{time.Date(2023, 1, 2, 0, 0, 0, 0, time.UTC), time.Now()} {
		turns, gone := 0, 0
		err := s.Prune(t.Context(), EndedQuery{Before: before}, func(runs []EndedRun) { turns, gone = turns+1, gone+len(runs) })
		if err != nil || turns < 2 {
			t.Errorf("%d runs gone in %d transactions, %v", gone, turns, err)
		}
		var known, texts []string
		err = s.write(t.Context(), "look", func(w *writeConn) (err error) {
			if known, err = w.strings(t.Context(), `SELECT word FROM words ORDER BY word`); err == nil {
				texts, err = w.strings(t.Context(), `SELECT body FROM texts`)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := slices.Sorted(slices.Values(wordsIn(texts...))); len(want) == 0 || !slices.Equal(known, want) {
			t.Errorf("%d words are known, the texts have %d", len(known), len(want))
		}
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
