package runstore

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// TestListQuery_Plan asks SQLite how it would run each query: with a million
// runs, nothing may be sorted and no table read from end to end.
func TestListQuery_Plan(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	two := []agent.Status{agent.StatusFinished, agent.StatusInterrupted}
	for name, q := range map[string]agent.RunQuery{
		"all":                 {Limit: 20},
		"project":             {Limit: 20, Project: "p"},
		"waiting":             {Limit: 20, Waiting: true},
		"waiting of project":  {Limit: 20, Waiting: true, Project: "p"},
		"status":              {Limit: 20, Statuses: two[:1]},
		"statuses":            {Limit: 20, Statuses: two},
		"statuses of project": {Limit: 20, Statuses: two, Project: "p"},
		"status of waiting":   {Limit: 20, Statuses: two, Waiting: true},
		"page":                {Limit: 20, Before: "b"},
		"page of project":     {Limit: 20, Before: "b", Project: "p"},
		"page of waiting":     {Limit: 20, Before: "b", Waiting: true},
		"page of statuses":    {Limit: 20, Before: "b", Statuses: two, Project: "p"},
		"search":              {Limit: 20, Search: "word ab ünder"},
		"search of project":   {Limit: 20, Search: "word ab ünder", Project: "p", Before: "b"},
		"search of waiting":   {Limit: 20, Search: "word", Waiting: true},
		"no limit":            {Project: "p"},
	} {
		query, args := listQuery(q)
		wantIndexes(t, name, explain(t, s, query, args))
		query, args = newSearch(t.Context(), nil, q).streamQuery(term{text: "word", match: "1"})
		wantIndexes(t, name+", by a word", explain(t, s, query, args))
		query, args = reach(q, "1", 64)
		wantIndexes(t, name+", the reach of a word", explain(t, s, query, args))
	}
	query, args := listQuery(agent.RunQuery{IDPart: "0193", Limit: 20})
	steps := strings.Join(explain(t, s, query, args), "\n")
	if !strings.Contains(steps, "runs_plain") || !strings.Contains(steps, "runs_reversed") {
		t.Errorf("ID part:\n%s", steps)
	}
}

// TestPlanQuery_Plan: the runs are walked by age, the plans of each looked up;
// only those of given runs are sorted.
func TestPlanQuery_Plan(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	for name, q := range map[string]PlanQuery{
		"all":         {Limit: 20},
		"project":     {Limit: 20, Project: "p"},
		"run":         {RunID: "r"},
		"runs":        {RunIDs: []string{"r", "s"}},
		"path of run": {RunID: "r", Path: "p.md"},
		"path":        {Path: "p.md"},
	} {
		query, args := planQuery(q, true)
		for _, step := range explain(t, s, query, args) {
			if strings.HasPrefix(step, "SCAN p") || strings.Contains(step, "TEMP B-TREE") && !strings.Contains(step, "LAST") && q.Limit > 0 {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
}

// TestEndedQuery_Plan: what may be pruned is an index of its own, counted and
// walked in order; the rest of a run is looked up by its key.
func TestEndedQuery_Plan(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	after := EndedRun{ID: "r", Updated: time.Unix(1, 0)}
	for project, index := range map[string]string{"": "runs_ended ", "p": "runs_ended_here "} {
		q := EndedQuery{Project: project, Before: time.Unix(2, 0)}
		count, countArgs := endedQuery(q, `count(*)`)
		first, firstArgs := endedAfter(q, EndedRun{}, endedColumns)
		next, nextArgs := endedAfter(q, after, endedColumns)
		prune, pruneArgs := prunableQuery(&turn{EndedQuery: q, after: after})
		for name, steps := range map[string][]string{
			"count": explain(t, s, count, countArgs), "first page": explain(t, s, first, firstArgs),
			"page": explain(t, s, next, nextArgs), "prune": explain(t, s, prune, pruneArgs),
		} {
			wantIndexes(t, name, steps)
			want := "SEARCH r USING INDEX " + index
			if name == "count" {
				want = "SEARCH r USING COVERING INDEX " + index
			}
			if !strings.HasPrefix(steps[0], want) {
				t.Errorf("%s of project %q: %s", name, project, steps[0])
			}
		}
	}
}

// TestDeletion_Plan: of no table more is read than the runs to delete have in
// it, the tables that refer to others included.
func TestDeletion_Plan(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	for _, statement := range deletion {
		for _, step := range explain(t, s, statement, []any{`["r"]`}) {
			if strings.HasPrefix(step, "SCAN") && !strings.HasPrefix(step, "SCAN json_each") && !strings.HasSuffix(step, "VIRTUAL TABLE INDEX 0:=") {
				t.Errorf("%s\n%s", statement, step)
			}
		}
	}
	rows, err := s.pool.QueryContext(t.Context(), `SELECT m.name, f."from" FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
		WHERE m.type = 'table' AND NOT EXISTS (SELECT 1 FROM pragma_index_list(m.name) l JOIN pragma_index_info(l.name) i
			WHERE i.seqno = 0 AND i.name = f."from" AND NOT l.partial)`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		t.Errorf("no index of %s begins with %s, which refers to another table", table, column)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// wantIndexes refuses steps that sort, or read a table from end to end. What
// a search walks is an index of its own.
func wantIndexes(t *testing.T, name string, steps []string) {
	t.Helper()
	for _, step := range steps {
		scan := strings.HasPrefix(step, "SCAN") && !strings.Contains(step, " INDEX ") &&
			!strings.HasPrefix(step, "SCAN json_each") && !strings.HasPrefix(step, "SCAN (subquery")
		if scan || strings.Contains(step, "TEMP B-TREE") {
			t.Errorf("%s: %s\n%s", name, step, strings.Join(steps, "\n"))
		}
	}
}

func explain(t *testing.T, s *SQLite, query string, args []any) []string {
	t.Helper()
	rows, err := s.pool.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, detail)
	}
	if err := rows.Err(); err != nil || len(steps) == 0 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	return steps
}

// TestPlanQuery_many finds the same page by either way.
func TestPlanQuery_many(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	fillBoth(t, s, Memory(), 600)
	for _, q := range []PlanQuery{{Limit: 20}, {Limit: 5, Project: crowd.project(75)}} {
		sorted, walked := planPage(t, s, q, false), planPage(t, s, q, true)
		if len(sorted) != q.Limit || !slices.Equal(sorted, walked) {
			t.Errorf("%+v:\n%v\n%v", q, sorted, walked)
		}
	}
}

func planPage(t *testing.T, s *SQLite, q PlanQuery, many bool) []string {
	t.Helper()
	query, args := planQuery(q, many)
	rows, err := s.pool.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		p, err := scanPlan(rows)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, p.RunID+" "+p.Path)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}
