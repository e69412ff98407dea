package runstore

import (
	"path/filepath"
	"strings"
	"testing"

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
		"no limit":            {Project: "p"},
	} {
		for _, step := range explain(t, s, q) {
			if strings.Contains(step, "TEMP B-TREE") || strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "USING INDEX") {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
	steps := strings.Join(explain(t, s, agent.RunQuery{IDPart: "0193", Limit: 20}), "\n")
	if !strings.Contains(steps, "runs_plain") || !strings.Contains(steps, "runs_reversed") {
		t.Errorf("ID part:\n%s", steps)
	}
}

func explain(t *testing.T, s *SQLite, q agent.RunQuery) []string {
	t.Helper()
	query, args := listQuery(q)
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
