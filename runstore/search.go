package runstore

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"modernc.org/sqlite"

	"github.com/seed-3e5a1d81/agent/agent"
)

// A search with a limit must not look at every run. It asks for the words that
// its terms are part of first: a term in no word is in no run. Then it looks at
// the newest runs of the list, where common terms are found soon. It goes on
// with the texts that have the words of the term that was met least, from the
// newest run on, or with the list (the runs of a project, those that wait, …)
// if that is rarer. Either ends with the page.

// textsPerSecond is how many keys the texts of one second's runs have: the key
// of a text is that second times it, plus a number.
const textsPerSecond = 1 << 16

const secondOf = `(created_at / 1000000000)`

// firstKey is the lowest key of the texts of a run created at that time.
func firstKey(nanos int64) int64 { return nanos / 1e9 * textsPerSecond }

// search is one on its way.
type search struct {
	ctx    context.Context //nolint:containedctx // of this one call
	tx     *sql.Tx
	list   agent.RunQuery // all that is asked for but the terms
	terms  []term
	found  []string // IDs, from the newest on
	looked int      // how many runs of the list were looked at
	last   string   // the last of these, list.Before if there is none
	second int64    // it was created in
}

// rest is the list behind what was looked at.
func (s *search) rest() agent.RunQuery {
	q := s.list
	q.Before = s.last
	return q
}

// term is one that is looked for.
type term struct {
	text  string
	match string // what texts with its words match; "" if those are too many
	words int    // how many words may stand for it; what a look at the index costs
	met   int    // how many of the runs looked at mention it
}

func newSearch(ctx context.Context, tx *sql.Tx, q agent.RunQuery) *search {
	q.Search = ""
	return &search{ctx: ctx, tx: tx, list: q, last: q.Before, found: []string{}}
}

// searched are the IDs of the runs that a search finds.
func searched(ctx context.Context, tx *sql.Tx, q agent.RunQuery) ([]string, error) {
	s := newSearch(ctx, tx, q)
	for _, text := range terms(q.Search) {
		t, known, err := s.term(text)
		if err != nil || !known {
			return s.found, err
		}
		s.terms = append(s.terms, t)
	}
	more, err := s.walk(s.worth())
	if err != nil || !more {
		return s.found, err
	}
	rarest, err := s.rarest()
	switch {
	case err != nil:
	case rarest == nil:
		_, err = s.walk(0)
	default:
		err = s.stream(*rarest)
	}
	return s.found, err
}

// manyWords is how many words lead to texts one by one. Of more there will be
// one in a run soon.
const manyWords = 2000

// fewWords is how many words of a part of a term are asked for beside others.
const fewWords = 64

// term looks up the words that a term may be in, and whether there are any. Of
// a term of several words the inner ones stand as they are, the first and the
// last may be part of others.
func (s *search) term(text string) (term, bool, error) {
	t := term{text: text, words: manyWords}
	var few []string
	var total int
	parts := words(text)
	for i, word := range parts {
		query, arg := wordsOf(word, i > 0 && i < len(parts)-1)
		var n int
		var list sql.NullString
		err := s.tx.QueryRowContext(s.ctx, fmt.Sprintf(`SELECT count(*), group_concat(id, ' OR ') FROM (%s LIMIT %d)`, query, manyWords), arg).Scan(&n, &list)
		if err != nil || n == 0 {
			return t, false, err
		}
		if n <= fewWords {
			few = append(few, `(`+list.String+`)`)
			total += n
		}
		if n < t.words {
			t.match, t.words = list.String, n
		}
	}
	if len(few) > 0 {
		t.match, t.words = strings.Join(few, ` AND `), total
	}
	return t, true, nil
}

// worth is how many runs may be looked at for what a look at the index costs.
func (s *search) worth() int {
	fewest := manyWords
	for _, t := range s.terms {
		fewest = min(fewest, t.words)
	}
	return 64 + 16*fewest
}

// walk looks at the next runs of the list, all if most is 0. There are more if
// it ends for having looked at most.
func (s *search) walk(most int) (more bool, err error) {
	list, args := branches(s.rest(), `r.id, r.created_at`)
	list += byAge
	if most > 0 {
		list += fmt.Sprintf(` LIMIT %d`, most)
	}
	rows, err := s.tx.QueryContext(s.ctx, `SELECT id, created_at, (SELECT group_concat(o.body, char(10)) FROM texts o WHERE o.run_id = r.id) FROM (`+list+`) r`, args...)
	if err != nil {
		return false, err
	}
	defer func() { _ = rows.Close() }()
	var created int64
	var texts sql.NullString
	n := 0
	for ; rows.Next(); n++ {
		if err := rows.Scan(&s.last, &created, &texts); err != nil {
			return false, err
		}
		if s.mentioned(fold(texts.String)) {
			s.found = append(s.found, s.last)
		}
		if s.full() {
			return false, nil
		}
	}
	s.looked, s.second = s.looked+n, created/1e9
	return n == most, rows.Err()
}

// mentioned reports whether all terms are in the texts of a run, and counts
// those that are.
func (s *search) mentioned(texts string) bool {
	all := true
	for i := range s.terms {
		t := &s.terms[i]
		if strings.Contains(texts, t.text) {
			t.met++
		} else {
			all = false
		}
	}
	return all
}

func (s *search) full() bool { return s.list.Limit > 0 && len(s.found) >= s.list.Limit }

// rarest picks what to go on with after a walk: the term that was met least, or
// nil, for the list, if as many texts of the term reach back less far.
func (s *search) rarest() (*term, error) {
	var rarest *term
	for i, t := range s.terms {
		if t.match != "" && (rarest == nil || cmp.Or(cmp.Compare(t.met, rarest.met), cmp.Compare(t.words, rarest.words)) < 0) {
			rarest = &s.terms[i]
		}
	}
	ofAll := s.list.Project == "" && !s.list.Waiting && len(s.list.Statuses) == 0
	if rarest == nil || ofAll {
		return rarest, nil
	}
	query, args := reach(s.list, rarest.match, s.looked)
	var second int64
	err := s.tx.QueryRowContext(s.ctx, query, args...).Scan(&second)
	switch {
	case errors.Is(err, sql.ErrNoRows): // so few that nothing is rarer
		return rarest, nil
	case err == nil && second > s.second:
		return nil, nil
	}
	return rarest, err
}

// reach selects the second of the run of a text that matches, as many texts on.
func reach(q agent.RunQuery, match string, number int) (string, []any) {
	c := matches(q, match)
	return fmt.Sprintf(`SELECT x.rowid / %d FROM texts_index x%s ORDER BY x.rowid DESC LIMIT 1 OFFSET %d`, textsPerSecond, c.String(), number-1), c.args
}

// matches selects the rows of the index that match, of runs that are not too
// new. The texts of a full second have keys of the next.
func matches(q agent.RunQuery, match string) conditions {
	var c conditions
	c.add(`texts_index MATCH ?`, match)
	if q.Before != "" {
		c.add(fmt.Sprintf(`x.rowid < (SELECT (%s + 2) * %d FROM runs WHERE id = ?)`, secondOf, textsPerSecond), q.Before)
	}
	return c
}

// stream adds the runs that the texts of a term lead to, until the page is full
// and to the end of the last one's second: within it keys are in no order.
func (s *search) stream(t term) error {
	query, args := s.streamQuery(t)
	rows, err := s.tx.QueryContext(s.ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	known := make(map[string]bool)
	var last int64 // the second the page ends in
	for rows.Next() {
		var id string
		var second int64
		if err := rows.Scan(&id, &second); err != nil {
			return err
		}
		full := s.full()
		if full && second < last {
			return nil
		}
		if known[id] {
			continue
		}
		known[id] = true
		s.found = append(s.found, id)
		if !full {
			last = second
		}
	}
	return rows.Err()
}

// streamQuery walks the texts of a term that belong to runs of the query.
func (s *search) streamQuery(t term) (string, []any) {
	rest := s.rest()
	c := matches(rest, t.match)
	c.add(holds(`t.body`), t.text)
	c.addAll(runConditions(rest))
	if stored := storedStatuses(rest.Statuses); stored[0] != "" {
		list, _ := json.Marshal(stored) // strings
		c.add(`+r.status IN (SELECT value FROM json_each(?))`, string(list))
	}
	for _, other := range s.terms {
		if other.text != t.text {
			c.add(mentions(), other.text)
		}
	}
	// CROSS JOIN keeps the order of the loops, and with it that of the matches.
	return fmt.Sprintf(`SELECT t.run_id, x.rowid / %d FROM texts_index x CROSS JOIN texts t ON t.key = x.rowid CROSS JOIN runs r ON r.id = t.run_id`, textsPerSecond) +
		c.String() + ` ORDER BY x.rowid DESC`, c.args
}

// mentions is the condition that a term is in a text of run r.
func mentions() string {
	return `EXISTS (SELECT 1 FROM texts o WHERE o.run_id = r.id AND ` + holds(`o.body`) + `)`
}

// holds is the condition that a term is in a text: a blob, since the driver ends
// the texts that it gives to functions at the first NUL.
func holds(text string) string { return `agent_holds(CAST(` + text + ` AS BLOB), ?)` }

// holdsKnown is whether the driver knows agent_holds: nothing is made before
// main.
var holdsKnown struct {
	once sync.Once
	err  error
}

// registerHolds makes agent_holds known to connections that are opened later.
func registerHolds() error {
	holdsKnown.once.Do(func() {
		holdsKnown.err = sqlite.RegisterDeterministicScalarFunction("agent_holds", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			text, isText := args[0].([]byte)
			term, isTerm := args[1].(string)
			return isText && isTerm && strings.Contains(fold(string(text)), term), nil
		})
	})
	return holdsKnown.err
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
