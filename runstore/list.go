package runstore

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Runs implements agent.Store. Newest is the latest Created, then the highest
// ID. A search finds runs in whose texts every word of it occurs somewhere,
// ignoring case.
func (s *SQLite) Runs(ctx context.Context, q agent.RunQuery) ([]agent.RunInfo, error) {
	const op = "list runs"
	var infos []agent.RunInfo
	err := s.read(ctx, op, func(tx *sql.Tx) error {
		query, args, err := s.chosenQuery(ctx, tx, q)
		if err != nil {
			return s.fail(ctx, op, err)
		}
		if infos, err = s.queryRuns(ctx, tx, query, args); err != nil {
			return s.fail(ctx, op, err)
		}
		return nil
	})
	return infos, err
}

// chosenQuery is the SQL of a RunQuery by what drives it best: mostly the list,
// for a search perhaps one of its words. What the SQL cannot ask is found out
// before, who lives and what a word's matches lead to; then it names the runs.
func (s *SQLite) chosenQuery(ctx context.Context, tx *sql.Tx, q agent.RunQuery) (string, []any, error) {
	if keep := keeper(q); keep != nil {
		ids, err := s.kept(ctx, tx, q, keep)
		query, args := byIDs(ids, q.Limit)
		return query, args, err
	}
	if len(terms(q.Search)) > 0 && q.IDPart == "" {
		ids, err := searched(ctx, tx, q)
		query, args := byIDs(ids, q.Limit)
		return query, args, err
	}
	query, args := listQuery(q)
	return query, args, nil
}

// kept walks the list for the IDs of runs that keep accepts, until there are
// as many as wanted. It reads no more of each than keep looks at.
func (s *SQLite) kept(ctx context.Context, tx *sql.Tx, q agent.RunQuery, keep func(agent.RunInfo) bool) ([]string, error) {
	query, args := branches(q, `r.id, r.status, r.created_at, `+ownerColumns)
	rows, err := tx.QueryContext(ctx, query+byAge, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	ids := []string{}
	alive := s.aliveOnce()
	for (q.Limit == 0 || len(ids) < q.Limit) && rows.Next() {
		var info agent.RunInfo
		var created int64
		var o ownerRow
		if err := rows.Scan(append([]any{&info.ID, &info.Status, &created}, o.dest()...)...); err != nil {
			return nil, err
		}
		info.Owner = o.owner()
		info.Alive = info.Owner != nil && alive(*info.Owner)
		if keep(info) {
			ids = append(ids, info.ID)
		}
	}
	return ids, rows.Err()
}

// keeper is the part of a query that needs to know who lives, nil if none does.
// Of a run it looks at status and owner alone.
func keeper(q agent.RunQuery) func(agent.RunInfo) bool {
	alive := slices.Contains(q.Statuses, agent.StatusRunning)
	dead := slices.Contains(q.Statuses, agent.StatusInterrupted)
	if alive == dead {
		return nil
	}
	return func(i agent.RunInfo) bool { return slices.Contains(q.Statuses, i.Current()) }
}

const byAge = ` ORDER BY created_at DESC, id DESC`

// listQuery walks the list: one branch for each status asked for, merged by
// age, so that each walks an index from its new end and the limit ends the
// walk. Parts of IDs find any number of runs in no order; of these only the
// keys are sorted.
func listQuery(q agent.RunQuery) (string, []any) {
	limited := q.Limit > 0
	keys := limited && q.IDPart != ""
	columns := runColumns
	if keys {
		columns = `r.id, r.created_at`
	}
	query, args := branches(q, columns)
	query += byAge
	if limited {
		query += ` LIMIT ?`
		args = append(args, q.Limit)
	}
	if keys {
		query = `SELECT ` + runColumns + ` FROM runs r WHERE r.id IN (SELECT id FROM (` + query + `))` + byAge
	}
	return query, args
}

// branches selects the columns of the runs of each status asked for.
func branches(q agent.RunQuery, columns string) (string, []any) {
	var selects []string
	var args []any
	for _, status := range storedStatuses(q.Statuses) {
		c := runConditions(q)
		switch {
		case status == "":
		case q.Waiting: // few wait: their index is the one to walk
			c.add(`+r.status = ?`, status)
		default:
			c.add(`r.status = ?`, status)
		}
		selects = append(selects, `SELECT `+columns+` FROM runs r`+c.String())
		args = append(args, c.args...)
	}
	return strings.Join(selects, ` UNION ALL `), args
}

// storedStatuses are the statuses in the store that those asked for may have,
// "" for any.
func storedStatuses(asked []agent.Status) []agent.Status {
	var stored []agent.Status
	for _, s := range asked {
		if s == agent.StatusInterrupted {
			s = agent.StatusRunning
		}
		if !slices.Contains(stored, s) {
			stored = append(stored, s)
		}
	}
	if stored == nil {
		return []agent.Status{""}
	}
	return stored
}

// conditions collects what a row must satisfy.
type conditions struct {
	where []string
	args  []any
}

func (c *conditions) add(sql string, args ...any) {
	c.where = append(c.where, sql)
	c.args = append(c.args, args...)
}

func (c *conditions) addAll(more conditions) {
	c.where = append(c.where, more.where...)
	c.args = append(c.args, more.args...)
}

func (c *conditions) String() string {
	if len(c.where) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(c.where, ` AND `)
}

func runConditions(q agent.RunQuery) conditions {
	var c conditions
	if q.Project != "" {
		c.add(`r.project = ?`, q.Project)
	}
	if q.Waiting {
		c.add(`r.waiting = 1`)
	}
	if q.Before != "" {
		c.add(`(r.created_at, r.id) < (SELECT created_at, id FROM runs WHERE id = ?)`, q.Before)
	}
	if q.IDPart != "" {
		part := plainID(q.IDPart)
		back := reversed(part)
		c.add(`r.id IN (`+idRange("plain", q)+` UNION `+idRange("reversed", q)+`)`, part, part+afterAll, back, back+afterAll)
	}
	for _, term := range terms(q.Search) {
		c.add(mentions(), term)
	}
	return c
}

// manyIDs is how many matches of a part of an ID are looked at where nothing
// else is asked for: IDs begin with the time, so that runs of one month share
// a prefix, and the last of them are the newest.
const manyIDs = 200

// idRange selects the IDs that begin with something, forwards or backwards.
func idRange(column string, q agent.RunQuery) string {
	query := `SELECT id FROM runs WHERE ` + column + ` >= ? AND ` + column + ` < ?`
	alone := agent.RunQuery{IDPart: q.IDPart, Limit: q.Limit}
	if q.Limit > 0 && q.Limit < manyIDs && reflect.DeepEqual(q, alone) {
		query += fmt.Sprintf(` ORDER BY %s DESC LIMIT %d`, column, manyIDs)
	}
	return `SELECT id FROM (` + query + `)`
}

// afterAll sorts behind every character: part ≤ x < part+afterAll are the
// strings that begin with part.
const afterAll = string(utf8.MaxRune)
