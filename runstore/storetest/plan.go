package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

func planTests() []testCase {
	return []testCase{
		{"Plans/revisions with what became of them", (*suite).planRevisions},
		{"Plans/by run, path, project, decision", (*suite).planFilters},
		{"OpenPlan/in another suspended run of the workspace", (*suite).openPlan},
	}
}

func (s *suite) plans(h runstore.Store, q runstore.PlanQuery) []agent.Plan {
	s.Helper()
	plans, err := h.Plans(s.Context(), q)
	if err != nil {
		s.Fatalf("plans %+v: %v", q, err)
	}
	return plans
}

func (s *suite) planRevisions() {
	h, run := s.open(), newRun(id(1), 0)
	first := agent.Plan{
		RunID: run.ID, ToolCallID: "call_1", N: 1, Path: "plans/a.md", Submitted: "./plans/a.md", Revision: 1, Title: "A", Body: "body",
		Digest: agent.Digest([]byte("# A\nbody")), Author: "agent", SubmittedAt: start(), Decision: agent.PlanOpen,
	}
	c := change(run, 0, 1)
	c.Plans, c.Blobs = []agent.Plan{first}, [][]byte{[]byte("# A\nbody")}
	s.commit(h, c)
	at := start().Add(time.Hour)
	first.Decision, first.Feedback, first.By, first.Via, first.DecidedAt = agent.PlanRejected, "shorter", "ann", "flag", &at
	second := agent.Plan{
		RunID: run.ID, ToolCallID: "call_2", N: 1, Path: "plans/a.md", Submitted: "plans/a.md", Revision: 2, Title: "A2", Body: "body 2",
		Digest: agent.Digest([]byte("2")), Author: "ann", SubmittedAt: at, Decision: agent.PlanOpen,
	}
	c = change(run, 1, 1)
	c.Plans = []agent.Plan{first, second}
	s.commit(h, c)
	first.Body, second.Body = "", ""
	got := s.plans(s.open(), runstore.PlanQuery{})
	if diff := cmp.Diff([]agent.Plan{first, second}, got); diff != "" {
		s.Fatalf("plans (-want +got):\n%s", diff)
	}
	if data, err := h.Blob(s.Context(), got[0].Digest); err != nil || string(data) != "# A\nbody" {
		s.Errorf("the plan's bytes are %q (%v)", data, err)
	}
}

func (s *suite) planFilters() {
	h := s.open()
	for n, project := range []string{"/a", "/a", "/b"} {
		run := newRun(id(n), n)
		run.Project = project
		c := change(run, 0, 1)
		for i, decision := range []string{agent.PlanRejected, agent.PlanApproved} {
			c.Plans = append(c.Plans, agent.Plan{RunID: run.ID, Path: "p.md", Revision: i + 1, SubmittedAt: start().Add(time.Duration(i)), Decision: decision})
		}
		c.Plans = append(c.Plans, agent.Plan{RunID: run.ID, Path: "q.md", Revision: 1, SubmittedAt: start().Add(time.Minute), Decision: agent.PlanUndecided})
		s.commit(h, c)
	}
	for _, test := range []struct {
		q    runstore.PlanQuery
		want int
	}{
		{runstore.PlanQuery{}, 9},
		{runstore.PlanQuery{RunID: id(1)}, 3},
		{runstore.PlanQuery{RunID: id(1), Path: "p.md"}, 2},
		{runstore.PlanQuery{RunIDs: []string{id(1), id(2), "unknown"}}, 6},
		{runstore.PlanQuery{RunIDs: []string{"unknown"}, Limit: 5}, 0},
		{runstore.PlanQuery{Path: "q.md"}, 3},
		{runstore.PlanQuery{Project: "/a"}, 6},
		{runstore.PlanQuery{Limit: 4}, 4},
		{runstore.PlanQuery{Project: "/c"}, 0},
	} {
		if got := s.plans(h, test.q); len(got) != test.want {
			s.Errorf("%+v: %d plans, want %d", test.q, len(got), test.want)
		}
	}
	newest := s.plans(h, runstore.PlanQuery{Limit: 1})
	if newest[0].RunID != id(2) || newest[0].Revision != 1 || newest[0].Path != "p.md" {
		s.Errorf("first is %+v, want the newest run's first", newest[0])
	}
}

func (s *suite) openPlan() {
	h := s.open()
	put := func(n int, workspace string, status agent.Status, decision string) {
		run := newRun(id(n), n)
		run.Workspace, run.Status = workspace, status
		c := change(run, 0, 1)
		c.Plans = []agent.Plan{{RunID: run.ID, Path: "p.md", Revision: 1, Decision: decision}}
		s.commit(h, c)
	}
	put(1, "/a", agent.StatusSuspended, agent.PlanOpen)
	put(2, "/b", agent.StatusSuspended, agent.PlanApproved)
	put(3, "/c", agent.StatusCanceled, agent.PlanOpen)
	for _, test := range []struct{ workspace, path, notRun, want string }{
		{"/a", "p.md", id(9), id(1)},
		{"/a", "p.md", id(1), ""},
		{"/a", "q.md", id(9), ""},
		{"/b", "p.md", id(9), ""},
		{"/c", "p.md", id(9), ""},
	} {
		got, found, err := h.OpenPlan(s.Context(), test.workspace, test.path, test.notRun)
		if err != nil || got != test.want || found != (test.want != "") {
			s.Errorf("%+v: got %q, %v, %v", test, got, found, err)
		}
	}
}
