package runstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/seed-3e5a1d81/agent/agent"
)

// A search with a limit must not look at every run: common words occur in most
// of them. It is driven by the rarest thing it asks for, either by the list
// (the runs of a project, those that wait, …) or by one of its words, walks
// that from its new end, checks the rest of each run it meets, and ends with
// the page. Words the index does not know, of one letter or two, can only be
// checked.

// textsPerSecond is how many keys the texts of one second's runs have: the key
// of a text is that second times it, plus a number.
const textsPerSecond = 1 << 16

const secondOf = `(created_at / 1000000000)`

// firstKey is the lowest key of the texts of a run created at that time.
func firstKey(nanos int64) int64 { return nanos / 1e9 * textsPerSecond }

// rarest picks what drives a search: the word of which a number of matches
// reaches back furthest, "" if the list itself does.
func rarest(ctx context.Context, tx *sql.Tx, q agent.RunQuery) (string, error) {
	list, listArgs := reachOfList(q)
	driver := ""
	least, known, err := reach(ctx, tx, list, listArgs)
	for _, term := range terms(q.Search) {
		if !known || err != nil {
			return driver, err // so few that nothing is rarer
		}
		if !indexed(term) {
			continue
		}
		query, args := reachOfTerm(q, term)
		var second int64
		if second, known, err = reach(ctx, tx, query, args); !known || second < least {
			driver, least = term, second
		}
	}
	return driver, err
}

// probed is how many matches are looked at to see how rare something is.
const probed = 200

// reach is the second of the probed-th match, counted from the newest, and
// whether there are so many.
func reach(ctx context.Context, tx *sql.Tx, query string, args []any) (second int64, known bool, err error) {
	err = tx.QueryRowContext(ctx, query, args...).Scan(&second)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return second, err == nil, err
}

func reachOfList(q agent.RunQuery) (string, []any) {
	q.Search = ""
	query, args := branches(q, `r.id, r.created_at`)
	return `SELECT ` + secondOf + ` FROM (` + query + byAge + fmt.Sprintf(` LIMIT 1 OFFSET %d)`, probed-1), args
}

func reachOfTerm(q agent.RunQuery, term string) (string, []any) {
	c := matches(q, term)
	return fmt.Sprintf(`SELECT x.rowid / %d FROM texts_index x%s ORDER BY x.rowid DESC LIMIT 1 OFFSET %d`, textsPerSecond, c.String(), probed-1), c.args
}

// matches selects the rows of the index with a term, of runs that are not too
// new.
func matches(q agent.RunQuery, term string) conditions {
	var c conditions
	c.add(`texts_index MATCH ?`, phrase(term))
	if q.Before != "" {
		c.add(fmt.Sprintf(`x.rowid < (SELECT (%s + 1) * %d FROM runs WHERE id = ?)`, secondOf, textsPerSecond), q.Before)
	}
	return c
}

// streamQuery walks the matches of a term that belong to runs of the query,
// from the newest run on.
func streamQuery(q agent.RunQuery, term string) (string, []any) {
	c := matches(q, term)
	rest := q
	rest.Search = strings.Join(without(terms(q.Search), term), " ")
	more := runConditions(rest)
	if stored := storedStatuses(q.Statuses); stored[0] != "" {
		list, _ := json.Marshal(stored) // strings
		more.add(`+r.status IN (SELECT value FROM json_each(?))`, string(list))
	}
	c.where, c.args = append(c.where, more.where...), append(c.args, more.args...)
	// CROSS JOIN keeps the order of the loops, and with it that of the matches.
	return `SELECT t.run_id, x.rowid FROM texts_index x CROSS JOIN texts t ON t.key = x.rowid CROSS JOIN runs r ON r.id = t.run_id` +
		c.String() + ` ORDER BY x.rowid DESC`, c.args
}

func without(terms []string, term string) []string {
	var rest []string
	for _, t := range terms {
		if t != term {
			rest = append(rest, t)
		}
	}
	return rest
}

// found reads the runs of a stream until limit (0: none) of them are known, and
// to the end of the last one's second: within it keys are in no order.
func found(ctx context.Context, tx *sql.Tx, query string, args []any, limit int) ([]string, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	ids := []string{}
	known := make(map[string]bool)
	var enough int64 // the second the page ends in
	for rows.Next() {
		var id string
		var key int64
		if err := rows.Scan(&id, &key); err != nil {
			return nil, err
		}
		if limit > 0 && len(ids) >= limit && key/textsPerSecond < enough {
			return ids, nil
		}
		if known[id] {
			continue
		}
		known[id] = true
		ids = append(ids, id)
		if len(ids) == limit {
			enough = key / textsPerSecond
		}
	}
	return ids, rows.Err()
}

// byIDs is the query of runs known by their IDs.
func byIDs(ids []string, limit int) (string, []any) {
	list, _ := json.Marshal(ids) // strings
	query := `SELECT ` + runColumns + ` FROM runs r WHERE r.id IN (SELECT value FROM json_each(?))` + byAge
	if limit > 0 {
		return query + ` LIMIT ?`, []any{string(list), limit}
	}
	return query, []any{string(list)}
}

// mention is the condition that a term occurs in a text of run r. The index
// folds the case of every script, LIKE that of ASCII.
func mention(term string) (string, []any) {
	const of = `EXISTS (SELECT 1 FROM texts o WHERE o.run_id = r.id AND `
	switch {
	case ascii(term):
		return of + `o.body LIKE ? ESCAPE '\')`, []any{like(term)}
	case indexed(term):
		return `EXISTS (SELECT 1 FROM texts o CROSS JOIN texts_index x ON x.rowid = o.key WHERE o.run_id = r.id AND texts_index MATCH ?)`, []any{phrase(term)}
	}
	return of + `(o.body LIKE ? ESCAPE '\' OR o.body LIKE ? ESCAPE '\'))`, []any{like(strings.ToLower(term)), like(strings.ToUpper(term))}
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
