package runstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed-3e5a1d81/agent/agent"
)

const runColumns = `r.id, r.seq, r.epoch, r.owner, r.owner_host, r.owner_boot, r.owner_pid, r.owner_since, r.projection,
	(SELECT body FROM texts WHERE run_id = r.id AND ref = '` + promptRef + `'), r.created_at`

const loadRun = `SELECT ` + runColumns + ` FROM runs r WHERE r.id = ?`

const loadEvents = `SELECT seq, at, type, payload FROM events WHERE run_id = ? ORDER BY seq`

const loadEventsAfter = `SELECT seq, at, type, payload FROM events WHERE run_id = ? AND seq > ? ORDER BY seq`

const suspensionColumns = `run_id, call_id, n, pos, kind, tool, args, payload, schema, since, state, answer, answer_by, answer_via, answer_at`

// loadOpen reads the open suspensions of any number of runs, in one query.
const loadOpen = `SELECT ` + suspensionColumns + ` FROM suspensions
	WHERE state = 'open' AND run_id IN (SELECT value FROM json_each(?)) ORDER BY run_id, pos, call_id, n`

// Load implements agent.Store.
func (s *SQLite) Load(ctx context.Context, runID string) (agent.Snapshot, error) {
	op := "load run " + runID
	var snap agent.Snapshot
	err := s.read(ctx, op, func(tx *sql.Tx) error {
		infos, err := s.queryRuns(ctx, tx, loadRun, []any{runID})
		if err != nil {
			return s.fail(ctx, op, err)
		}
		if len(infos) == 0 {
			return fmt.Errorf("%s: %w", op, agent.ErrRunNotFound)
		}
		snap.RunInfo = infos[0]
		if snap.Events, err = loadJournal(ctx, tx, runID, int(snap.Seq)); err != nil {
			return s.fail(ctx, op, err)
		}
		return nil
	})
	return snap, err
}

// Epoch implements agent.Store.
func (s *SQLite) Epoch(ctx context.Context, runID string) (int64, error) {
	op := "ask epoch of run " + runID
	if s.closed.Load() {
		return 0, closedError(op, s.path)
	}
	var epoch int64
	err := s.pool.QueryRowContext(ctx, `SELECT epoch FROM runs WHERE id = ?`, runID).Scan(&epoch)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("%s: %w", op, agent.ErrRunNotFound)
	}
	if err != nil {
		return 0, s.fail(ctx, op, err)
	}
	return epoch, nil
}

// Blob implements agent.Store.
func (s *SQLite) Blob(ctx context.Context, digest string) ([]byte, error) {
	op := "read blob " + digest
	if s.closed.Load() {
		return nil, closedError(op, s.path)
	}
	data := []byte{}
	err := s.pool.QueryRowContext(ctx, `SELECT data FROM blobs WHERE digest = ?`, digest).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%s: %w", op, fs.ErrNotExist)
	}
	if err != nil {
		return nil, s.fail(ctx, op, err)
	}
	return data, nil
}

// queryRuns reads the runs a query over runColumns gives, with their open
// suspensions.
func (s *SQLite) queryRuns(ctx context.Context, tx *sql.Tx, query string, args []any) ([]agent.RunInfo, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	alive := s.aliveOnce()
	var infos []agent.RunInfo
	for rows.Next() {
		info, err := scanRun(rows)
		if err != nil {
			return nil, err
		}
		info.Alive = info.Owner != nil && alive(*info.Owner)
		infos = append(infos, info)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	return infos, fillOpen(ctx, tx, infos)
}

// aliveOnce asks once about each owner.
func (s *SQLite) aliveOnce() func(agent.Owner) bool {
	known := make(map[string]bool)
	return func(o agent.Owner) bool {
		alive, ok := known[o.ID]
		if !ok {
			alive = s.owner.alive(o)
			known[o.ID] = alive
		}
		return alive
	}
}

func scanRun(rows *sql.Rows) (agent.RunInfo, error) {
	var info agent.RunInfo
	var id string
	var seq, created int64
	var o ownerRow
	var projection []byte
	var prompt sql.NullString
	dest := append(append([]any{&id, &seq, &info.Epoch}, o.dest()...), &projection, &prompt, &created)
	if err := rows.Scan(dest...); err != nil {
		return info, err
	}
	if err := json.Unmarshal(projection, &info.Run); err != nil {
		return info, fmt.Errorf("decode projection of run %s: %w", id, err)
	}
	info.ID, info.Seq, info.Prompt, info.Owner = id, seq, prompt.String, o.owner()
	return info, nil
}

// fillOpen adds the open suspensions to infos.
func fillOpen(ctx context.Context, tx *sql.Tx, infos []agent.RunInfo) error {
	if len(infos) == 0 {
		return nil
	}
	place := make(map[string]int, len(infos))
	ids := make([]string, len(infos))
	for i := range infos {
		ids[i], place[infos[i].ID] = infos[i].ID, i
		infos[i].Open = []agent.Suspension{}
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, loadOpen, string(list))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		id, open, err := scanSuspension(rows)
		if err != nil {
			return err
		}
		info := &infos[place[id]]
		info.Open = append(info.Open, open)
	}
	return rows.Err()
}

func scanSuspension(rows *sql.Rows) (runID string, s agent.Suspension, err error) {
	var args, payload, answer []byte
	var by, via sql.NullString
	var since, at sql.NullInt64
	err = rows.Scan(&runID, &s.ToolCallID, &s.N, &s.Call, &s.Kind, &s.ToolName, &args, &payload, &s.Schema, &since, &s.State, &answer, &by, &via, &at)
	s.Args, s.Payload, s.Since = args, payload, timeOf(since)
	if by.Valid {
		s.Answer = &agent.Answer{Data: answer, By: by.String, Via: via.String, At: timeOf(at)}
	}
	return runID, s, err
}

func loadJournal(ctx context.Context, tx *sql.Tx, runID string, n int) ([]agent.Event, error) {
	rows, err := tx.QueryContext(ctx, loadEvents, runID)
	if err != nil {
		return nil, err
	}
	return scanEvents(rows, runID, make([]agent.Event, 0, n))
}

// Events implements Store.
func (s *SQLite) Events(ctx context.Context, runID string, after int64) ([]agent.Event, error) {
	op := "read events of run " + runID
	if s.closed.Load() {
		return nil, closedError(op, s.path)
	}
	rows, err := s.pool.QueryContext(ctx, loadEventsAfter, runID, after)
	if err != nil {
		return nil, s.fail(ctx, op, err)
	}
	events, err := scanEvents(rows, runID, nil)
	if err != nil {
		return nil, s.fail(ctx, op, err)
	}
	return events, nil
}

// scanEvents appends what rows give to events and closes rows.
func scanEvents(rows *sql.Rows, runID string, events []agent.Event) ([]agent.Event, error) {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		e := agent.Event{RunID: runID, From: agent.From}
		var at sql.NullInt64
		var payload []byte
		if err := rows.Scan(&e.Seq, &at, &e.Type, &payload); err != nil {
			return nil, err
		}
		e.At, e.Payload = timeOf(at), payload
		events = append(events, e)
	}
	return events, rows.Err()
}
