package runstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Digests implements Store.
func (s *SQLite) Digests(ctx context.Context, runID string) ([]string, error) {
	op := "list content of run " + runID
	var digests []string
	err := s.read(ctx, op, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT digest FROM blob_uses WHERE run_id = ? ORDER BY digest`, runID)
		if err != nil {
			return s.fail(ctx, op, err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var d string
			if err := rows.Scan(&d); err != nil {
				return s.fail(ctx, op, err)
			}
			digests = append(digests, d)
		}
		if err := rows.Err(); err != nil {
			return s.fail(ctx, op, err)
		}
		return nil
	})
	return digests, err
}

// Delete implements Store.
func (s *SQLite) Delete(ctx context.Context, runID string) error {
	op := "delete run " + runID
	return s.write(ctx, op, func(w *writeConn) error {
		var o ownerRow
		found, err := w.get(ctx, `SELECT `+ownerColumns+` FROM runs WHERE id = ?`, []any{runID}, o.dest()...)
		if err != nil {
			return s.fail(ctx, op, err)
		}
		if err := deletable(runID, found, o.owner(), s.owner.alive); err != nil {
			return err
		}
		words, err := w.delete(ctx, runID)
		if err == nil {
			_, err = w.forget(ctx, slices.Collect(maps.Keys(words)))
		}
		if err != nil {
			return s.fail(ctx, op, err)
		}
		return nil
	})
}

const textsOfRuns = `SELECT key, body FROM texts WHERE run_id ` + listed

// delete takes runs out of every table and returns the words of their texts,
// each with the key of the newest of these. Those that no other run has are to
// be forgotten.
func (w *writeConn) delete(ctx context.Context, ids ...string) (words map[string]int64, err error) {
	encoded, _ := json.Marshal(ids) // strings
	list := string(encoded)
	texts, err := keyedTexts(w.query(ctx, textsOfRuns, list))
	if err != nil {
		return nil, err
	}
	for _, statement := range deletion {
		if _, err := w.exec(ctx, statement, list); err != nil {
			return nil, err
		}
	}
	words = make(map[string]int64)
	for _, t := range texts {
		for _, word := range wordsIn(t.body) {
			words[word] = max(words[word], t.key)
		}
	}
	return words, nil
}

// deletable refuses to delete a run that is not there or that a live process
// drives.
func deletable(runID string, found bool, owner *agent.Owner, alive func(agent.Owner) bool) error {
	switch {
	case !found:
		return fmt.Errorf("delete run %s: %w", runID, agent.ErrRunNotFound)
	case owner != nil && alive(*owner):
		return &agent.BusyError{RunID: runID, Owner: *owner}
	}
	return nil
}

const listed = `IN (SELECT value FROM json_each(?1))`

// deletion takes the runs of a list out of every table, what refers to others
// first.
var deletion = []string{
	`DELETE FROM texts_index WHERE rowid IN (SELECT key FROM texts WHERE run_id ` + listed + `)`,
	`DELETE FROM texts WHERE run_id ` + listed,
	`DELETE FROM plans WHERE run_id ` + listed,
	`DELETE FROM suspensions WHERE run_id ` + listed,
	`DELETE FROM events WHERE run_id ` + listed,
	`DELETE FROM blobs WHERE digest IN (SELECT u.digest FROM blob_uses u WHERE u.run_id ` + listed + `
		AND NOT EXISTS (SELECT 1 FROM blob_uses o WHERE o.digest = u.digest AND o.run_id NOT ` + listed + `))`,
	`DELETE FROM blob_uses WHERE run_id ` + listed,
	`DELETE FROM runs WHERE id ` + listed,
}
