package runstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/seed-3e5a1d81/agent/agent"
)

const planColumns = `p.run_id, p.path, p.revision, p.call_id, p.n, p.submitted, p.title, p.digest, p.author, p.submitted_at, p.decision,
	p.feedback, p.decided_by, p.via, p.decided_at`

// Plans implements Store.
func (s *SQLite) Plans(ctx context.Context, q PlanQuery) ([]agent.Plan, error) {
	const op = "list plans"
	var plans []agent.Plan
	err := s.read(ctx, op, func(tx *sql.Tx) error {
		many, err := manyPlans(ctx, tx)
		if err != nil {
			return s.fail(ctx, op, err)
		}
		query, args := planQuery(q, many)
		rows, err := tx.QueryContext(ctx, query, args...)
		if err != nil {
			return s.fail(ctx, op, err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			p, err := scanPlan(rows)
			if err != nil {
				return s.fail(ctx, op, err)
			}
			plans = append(plans, p)
		}
		if err := rows.Err(); err != nil {
			return s.fail(ctx, op, err)
		}
		return nil
	})
	return plans, err
}

// sortedPlans is how many plans are rather sorted than found by their runs.
const sortedPlans = 1000

func manyPlans(ctx context.Context, tx *sql.Tx) (bool, error) {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM plans LIMIT ?)`, sortedPlans).Scan(&n)
	return n == sortedPlans, err
}

// planQuery is the SQL of a PlanQuery. Where there are many plans a page of
// them is found by walking the runs from the newest on.
func planQuery(q PlanQuery, many bool) (string, []any) {
	var c conditions
	if q.RunID != "" {
		c.add(`p.run_id = ?`, q.RunID)
	}
	if len(q.RunIDs) > 0 {
		list, _ := json.Marshal(q.RunIDs) // strings
		c.add(`p.run_id IN (SELECT value FROM json_each(?))`, string(list))
	}
	if q.Path != "" {
		c.add(`p.path = ?`, q.Path)
	}
	if q.Project != "" {
		c.add(`r.project = ?`, q.Project)
	}
	tables := ` FROM plans p JOIN runs r ON r.id = p.run_id`
	if many && q.Limit > 0 && q.RunID == "" && len(q.RunIDs) == 0 && q.Path == "" {
		tables = ` FROM runs r CROSS JOIN plans p ON p.run_id = r.id`
	}
	query := `SELECT ` + planColumns + tables + c.String() +
		` ORDER BY r.created_at DESC, r.id DESC, p.submitted_at, p.path, p.revision`
	if q.Limit > 0 {
		query += ` LIMIT ?`
		c.args = append(c.args, q.Limit)
	}
	return query, c.args
}

func scanPlan(rows *sql.Rows) (agent.Plan, error) {
	var p agent.Plan
	var submitted, decided sql.NullInt64
	err := rows.Scan(&p.RunID, &p.Path, &p.Revision, &p.ToolCallID, &p.N, &p.Submitted, &p.Title, &p.Digest, &p.Author, &submitted,
		&p.Decision, &p.Feedback, &p.By, &p.Via, &decided)
	p.SubmittedAt = timeOf(submitted)
	if decided.Valid {
		at := timeOf(decided)
		p.DecidedAt = &at
	}
	return p, err
}

// OpenPlan implements Store.
func (s *SQLite) OpenPlan(ctx context.Context, workspace, path, notRun string) (string, bool, error) {
	op := "look for plan " + path
	if s.closed.Load() {
		return "", false, closedError(op, s.path)
	}
	var runID string
	err := s.pool.QueryRowContext(ctx, `SELECT r.id FROM plans p JOIN runs r ON r.id = p.run_id
		WHERE p.decision = 'open' AND p.path = ? AND r.workspace = ? AND r.status = ? AND r.id <> ?
		ORDER BY r.created_at DESC, r.id DESC LIMIT 1`, path, workspace, agent.StatusSuspended, notRun).Scan(&runID)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, s.fail(ctx, op, err)
	}
	return runID, true, nil
}
