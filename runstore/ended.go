package runstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// EndedQuery selects runs that ended and wait for nobody: finished with no plan
// left to decide, failed or canceled. Whatever becomes of a run touches it: once
// Before has passed, no further run comes to be selected.
type EndedQuery struct {
	Project string    // "" means any
	Before  time.Time // only those last touched before
}

// EndedRun is a run of an EndedQuery.
type EndedRun struct {
	ID        string
	Title     string
	Workspace string
	Status    agent.Status
	Updated   time.Time
}

const endedColumns = `r.id, r.title, r.workspace, r.status, r.updated_at`

// endedQuery selects columns of the runs of a query. The condition is that of
// the indexes, word for word.
func endedQuery(q EndedQuery, columns string) (string, []any) {
	index := `runs_ended`
	var c conditions
	c.add(`r.status IN ('finished', 'failed', 'canceled') AND r.waiting = 0`)
	if q.Project != "" {
		index = `runs_ended_here`
		c.add(`r.project = ?`, q.Project)
	}
	c.add(`r.updated_at < ?`, nanosOrZero(q.Before))
	return `SELECT ` + columns + ` FROM runs r INDEXED BY ` + index + c.String(), c.args
}

// endedAfter is endedQuery in order, behind a run.
func endedAfter(q EndedQuery, after EndedRun, columns string) (string, []any) {
	query, args := endedQuery(q, columns)
	if after.ID != "" {
		query += ` AND (r.updated_at, r.id) > (?, ?)`
		args = append(args, nanosOrZero(after.Updated), after.ID)
	}
	return query + ` ORDER BY r.updated_at, r.id`, args
}

// Ended implements Store.
func (s *SQLite) Ended(ctx context.Context, q EndedQuery, after EndedRun, limit int) ([]EndedRun, error) {
	const op = "list ended runs"
	var runs []EndedRun
	err := s.read(ctx, op, func(tx *sql.Tx) error {
		query, args := endedAfter(q, after, endedColumns)
		rows, err := tx.QueryContext(ctx, query+` LIMIT ?`, append(args, limit)...)
		if err != nil {
			return s.fail(ctx, op, err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var r endedRow
			if err := rows.Scan(r.dest()...); err != nil {
				return s.fail(ctx, op, err)
			}
			runs = append(runs, r.run())
		}
		if err := rows.Err(); err != nil {
			return s.fail(ctx, op, err)
		}
		return nil
	})
	return runs, err
}

// CountEnded implements Store.
func (s *SQLite) CountEnded(ctx context.Context, q EndedQuery) (int, error) {
	const op = "count ended runs"
	n := 0
	err := s.read(ctx, op, func(tx *sql.Tx) error {
		query, args := endedQuery(q, `count(*)`)
		if err := tx.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
			return s.fail(ctx, op, err)
		}
		return nil
	})
	return n, err
}

// endedRow receives endedColumns.
type endedRow struct {
	EndedRun
	updated int64
}

func (r *endedRow) dest() []any {
	return []any{&r.ID, &r.Title, &r.Workspace, &r.Status, &r.updated}
}

func (r *endedRow) run() EndedRun {
	r.Updated = timeOf(sql.NullInt64{Int64: r.updated, Valid: r.updated != 0})
	return r.EndedRun
}
