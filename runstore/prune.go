package runstore

import (
	"context"
	"fmt"
	"time"
)

// Prune implements Store.
func (s *SQLite) Prune(ctx context.Context, q EndedQuery, gone func([]EndedRun)) error {
	t := turn{EndedQuery: q, bytes: mostTurn, newest: make(map[string]int64)}
	for {
		runs, took, err := s.pruneTurn(ctx, &t)
		if err != nil {
			return err
		}
		if len(runs) > 0 {
			gone(runs)
		}
		switch {
		case t.last:
			return nil
		case !pause(ctx, turnBreak):
			return fmt.Errorf("%s: %w", pruneOp, context.Cause(ctx))
		}
		t.adapt(took)
	}
}

const pruneOp = "prune runs"

// turn is what one transaction of Prune deletes: the next runs of a query, of
// so many bytes.
type turn struct {
	EndedQuery
	after  EndedRun // the last one that was looked at
	bytes  int
	last   bool             // no run is left
	newest map[string]int64 // of words that were asked about, the key of the newest text
}

const (
	// turnTime is how long a transaction should take at most, turnBreak how long
	// the next one is put off: whoever stands in line has to wake up first.
	turnTime  = 150 * time.Millisecond
	turnBreak = 10 * time.Millisecond
	// A transaction deletes no more than mostTurn, however little it takes: now
	// and then the index of texts is put in order, the longer the more texts go.
	mostTurn  = 1 << 20
	leastTurn = 1 << 14
	// runBytes is what a run counts for besides its content.
	runBytes = 1 << 12
	// mostNewest is of how many words the newest text is remembered.
	mostNewest = 1 << 17
)

// adapt makes the next transaction as large as its time allows, by what one
// took.
func (t *turn) adapt(took time.Duration) {
	fits := float64(t.bytes) * float64(turnTime) / float64(max(took, 1))
	t.bytes = max(leastTurn, int(min(fits, 2*float64(t.bytes), mostTurn)))
}

// pruneTurn makes one transaction, and says how long it kept others waiting.
func (s *SQLite) pruneTurn(ctx context.Context, t *turn) (gone []EndedRun, took time.Duration, err error) {
	var began time.Time
	err = s.write(ctx, pruneOp, func(w *writeConn) error {
		began = time.Now()
		whole := context.WithoutCancel(ctx)
		var err error
		if gone, err = s.prunable(whole, w, t); err == nil {
			err = t.delete(whole, w, gone)
		}
		if err != nil {
			return s.fail(whole, pruneOp, err)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return gone, time.Since(began), nil
}

// delete deletes runs, and the words that no other has. A word is not asked
// about again before the newest text that had it goes too.
func (t *turn) delete(ctx context.Context, w *writeConn, runs []EndedRun) error {
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	words, err := w.delete(ctx, ids...)
	if err != nil {
		return err
	}
	var doubtful []string
	for word, key := range words {
		if newest, ok := t.newest[word]; !ok || newest <= key {
			delete(t.newest, word)
			doubtful = append(doubtful, word)
		}
	}
	left, err := w.forget(ctx, doubtful)
	for word, key := range left {
		if len(t.newest) < mostNewest {
			t.newest[word] = key
		}
	}
	return err
}

const sizeColumn = `(SELECT coalesce(sum(length(e.payload)), 0) FROM events e WHERE e.run_id = r.id)
	+ (SELECT coalesce(sum(length(b.data)), 0) FROM blob_uses u JOIN blobs b ON b.digest = u.digest WHERE u.run_id = r.id)`

// prunableQuery selects what a turn may delete, with owner and size.
func prunableQuery(t *turn) (string, []any) {
	return endedAfter(t.EndedQuery, t.after, endedColumns+`, `+ownerColumns+`, `+sizeColumn)
}

// prunable lists what a turn deletes: all but what a live process drives.
func (s *SQLite) prunable(ctx context.Context, w *writeConn, t *turn) ([]EndedRun, error) {
	query, args := prunableQuery(t)
	rows, err := w.query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var runs []EndedRun
	for bytes := 0; bytes < t.bytes; {
		if !rows.Next() {
			t.last = true
			return runs, rows.Err()
		}
		var r endedRow
		var o ownerRow
		var size int
		if err := rows.Scan(append(append(r.dest(), o.dest()...), &size)...); err != nil {
			return nil, err
		}
		bytes += runBytes + size
		t.after = r.run()
		if owner := o.owner(); owner == nil || !s.owner.alive(*owner) {
			runs = append(runs, t.after)
		}
	}
	return runs, nil
}

// pause waits for d and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
