package storetest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

func listTests() []testCase {
	return []testCase{
		{"Runs/newest first, at most so many", (*suite).newestFirst},
		{"Runs/page by page", (*suite).pages},
		{"Runs/by project, status, what waits", (*suite).filters},
		{"Runs/with what is open", (*suite).listOpen},
		{"Runs/by prefix and suffix of the ID", (*suite).idParts},
		{"Runs/by words in every script", (*suite).search},
		{"Runs/by words as they are now", (*suite).searchChanged},
	}
}

// list returns the IDs a query gives.
func (s *suite) list(h runstore.Store, q agent.RunQuery) []string {
	s.Helper()
	infos, err := h.Runs(s.Context(), q)
	if err != nil {
		s.Fatalf("list %+v: %v", q, err)
	}
	ids := []string{}
	for _, i := range infos {
		ids = append(ids, i.ID)
	}
	return ids
}

func (s *suite) wantList(h runstore.Store, q agent.RunQuery, want ...string) {
	s.Helper()
	if got := s.list(h, q); !slices.Equal(got, want) {
		s.Errorf("%+v:\n got %v\nwant %v", q, got, want)
	}
}

func (s *suite) newestFirst() {
	h := s.open()
	for _, n := range []int{2, 5, 1, 4, 3} {
		s.commit(h, change(newRun(id(n), n), 0, 1))
	}
	s.commit(h, change(newRun(id(6), 5), 0, 1)) // as old as 5
	s.wantList(h, agent.RunQuery{}, id(6), id(5), id(4), id(3), id(2), id(1))
	s.wantList(h, agent.RunQuery{Limit: 2}, id(6), id(5))
	s.wantList(h, agent.RunQuery{Limit: 2, Project: "/ws", Statuses: []agent.Status{agent.StatusInterrupted}}, id(6), id(5))
}

func (s *suite) pages() {
	h := s.open()
	for _, n := range []int{1, 2, 3, 4} {
		run := newRun(id(n), n)
		run.Undecided, run.Status = true, agent.StatusFinished
		s.commit(h, change(run, 0, 1))
	}
	s.commit(h, change(newRun(id(5), 4), 0, 1)) // as old as 4, not waiting
	s.wantList(h, agent.RunQuery{Limit: 2, Before: id(5)}, id(4), id(3))
	s.wantList(h, agent.RunQuery{Limit: 2, Before: id(3)}, id(2), id(1))
	s.wantList(h, agent.RunQuery{Limit: 2, Before: id(2), Waiting: true, Project: "/ws"}, id(1))
	s.wantList(h, agent.RunQuery{Before: id(3), Search: "prompt"}, id(2), id(1))
	s.wantList(h, agent.RunQuery{Before: id(3), Statuses: []agent.Status{agent.StatusFinished, agent.StatusPaused}}, id(2), id(1))
	s.wantList(h, agent.RunQuery{Before: id(1)})
	s.wantList(h, agent.RunQuery{Before: id(9)})
}

func (s *suite) filters() {
	h, dead := s.open(), s.Open(s.T)
	put := func(h runstore.Store, n int, project string, status agent.Status, own bool) {
		run := newRun(id(n), n)
		run.Project, run.Status = project, status
		run.Undecided = status == agent.StatusFinished && n%2 == 0
		c := change(run, 0, 1)
		c.Own = own
		s.commit(h, c)
	}
	put(h, 1, "/a", agent.StatusSuspended, false)
	put(h, 2, "/a", agent.StatusFinished, false) // undecided
	put(h, 3, "/a", agent.StatusFinished, false)
	put(h, 4, "/b", agent.StatusPaused, false)
	put(h, 5, "/b", agent.StatusRunning, true)
	put(dead, 6, "/b", agent.StatusRunning, true)
	put(h, 7, "/b", agent.StatusRunning, false) // nobody's: interrupted too
	put(h, 8, "/b", agent.StatusSuspended, false)
	s.Kill(s.T, dead)

	q := func(project string, waiting bool, statuses ...agent.Status) agent.RunQuery {
		return agent.RunQuery{Project: project, Waiting: waiting, Statuses: statuses}
	}
	s.wantList(h, q("/a", false), id(3), id(2), id(1))
	s.wantList(h, q("/c", false))
	s.wantList(h, q("", true), id(8), id(2), id(1))
	s.wantList(h, q("/a", true), id(2), id(1))
	s.wantList(h, q("/a", true, agent.StatusFinished), id(2))
	s.wantList(h, q("", false, agent.StatusRunning), id(5))
	s.wantList(h, q("", false, agent.StatusInterrupted), id(7), id(6))
	s.wantList(h, q("", false, agent.StatusInterrupted, agent.StatusRunning), id(7), id(6), id(5))
	s.wantList(h, q("", false, agent.StatusInterrupted, agent.StatusPaused, agent.StatusSuspended), id(8), id(7), id(6), id(4), id(1))
	s.wantList(h, q("/b", false, agent.StatusPaused, agent.StatusSuspended), id(8), id(4))
	s.wantList(h, q("", false, "unheard-of"))
	limited := q("", false, agent.StatusInterrupted, agent.StatusPaused, agent.StatusSuspended)
	limited.Limit = 3
	s.wantList(h, limited, id(8), id(7), id(6))
}

func (s *suite) listOpen() {
	h := s.open()
	want := map[string][]string{}
	for n := range 4 {
		run := newRun(id(n), n)
		c := change(run, 0, 1)
		c.Own = n == 3
		for i := range n {
			state := agent.SuspensionOpen
			if i == 1 {
				state = agent.SuspensionClosed
			} else {
				want[run.ID] = append(want[run.ID], fmt.Sprintf("call_%d", i))
			}
			c.Suspensions = append(c.Suspensions, agent.Suspension{ToolCallID: fmt.Sprintf("call_%d", i), N: 1, Kind: agent.KindQuestion, State: state})
		}
		s.commit(h, c)
	}
	infos, err := h.Runs(s.Context(), agent.RunQuery{})
	if err != nil {
		s.Fatal(err)
	}
	for _, info := range infos {
		var got []string
		for _, o := range info.Open {
			got = append(got, o.ToolCallID)
		}
		if diff := cmp.Diff(want[info.ID], got); diff != "" || info.Open == nil {
			s.Errorf("open of %s (-want +got):\n%s", info.ID, diff)
		}
		if mine := info.ID == id(3); info.Alive != mine || info.Prompt == "" || (info.Epoch == 1) != mine {
			s.Errorf("%s: %+v", info.ID, info)
		}
	}
}

func (s *suite) idParts() {
	h := s.open()
	a, b, c := "01939f3c-2a00-7abc-8def-0123456789ab", "01939f3c-2a00-7abc-8def-0123456789ff", "02000000-0000-7000-8000-0193abcd0193"
	for i, runID := range []string{a, b, c} {
		s.commit(h, change(newRun(runID, i), 0, 1))
	}
	for part, want := range map[string][]string{
		"0193":                                 {c, b, a}, // a suffix of c, a prefix of the others
		"01939f3c":                             {b, a},
		"01939f3c-2a":                          {b, a},
		"01939F3C2A00":                         {b, a},
		"789ab":                                {a},
		"0123456789ff":                         {b},
		"f-0123456789FF":                       {b},
		"abcd-0193":                            {c},
		a:                                      {a},
		"9f3c":                                 {},
		"01939f3c-2a00-7abc-8def-0123456789ac": {},
		"%":                                    {},
	} {
		s.wantList(h, agent.RunQuery{IDPart: part}, want...)
	}
	s.wantList(h, agent.RunQuery{IDPart: "0193", Project: "/ws", Limit: 1}, c)
}

func (s *suite) search() {
	h := s.open()
	put := func(n int, alter func(*agent.Change)) {
		c := change(newRun(id(n), n), 0, 1)
		c.Run.Title, c.Run.Prompt = "-", "-"
		alter(&c)
		s.commit(h, c)
	}
	put(1, func(c *agent.Change) { c.Run.Prompt = "Refactor the \"auth\" module, 50%_done" })
	put(2, func(c *agent.Change) { c.Run.Title = "Dunkle Überschrift" })
	put(3, func(c *agent.Change) {
		c.Suspensions = []agent.Suspension{{ToolCallID: "c", N: 1, Kind: agent.KindQuestion, State: agent.SuspensionOpen,
			Payload: json.RawMessage(`{"question":"どのデータベースを使いますか"}`)}}
	})
	put(4, func(c *agent.Change) {
		c.Plans = []agent.Plan{{RunID: c.Run.ID, Path: "p.md", Revision: 1, Title: "Plan of the year", Body: "1. move the *auth* code\n2. データ移行", Decision: agent.PlanOpen}}
	})
	for words, want := range map[string][]string{
		"auth":           {id(4), id(1)},
		"AUTH":           {id(4), id(1)},
		"uth":            {id(4), id(1)},
		"factor module":  {id(1)},
		"auth year":      {id(4)}, // one word in the body, one in the title
		"überschrift":    {id(2)},
		"ÜBER":           {id(2)},
		"データ":            {id(4), id(3)},
		"データベース":         {id(3)},
		"使い":             {id(3)},
		"移":              {id(4)},
		"au":             {id(4), id(1)},
		`"auth"`:         {id(1)},
		"*auth*":         {id(4)},
		"auth OR nobody": {},
		"%_":             {id(1)},
		"%":              {id(1)},
		"_":              {id(1)},
		`\`:              {},
		"NEAR(":          {},
		"'":              {},
		"zzz":            {},
		"  ":             {id(4), id(3), id(2), id(1)},
	} {
		s.wantList(h, agent.RunQuery{Search: words}, want...)
	}
	s.wantList(h, agent.RunQuery{Search: "auth", Limit: 1}, id(4))
	s.wantList(h, agent.RunQuery{Search: "auth", Project: "/elsewhere"})
}

func (s *suite) searchChanged() {
	h, run := s.open(), newRun(id(1), 0)
	run.Title = "first heading"
	s.commit(h, change(run, 0, 1))
	run.Title = "second heading"
	c := change(run, 1, 1)
	plan := agent.Plan{RunID: run.ID, Path: "p.md", Revision: 1, Title: "T", Body: "alpha", Decision: agent.PlanOpen}
	c.Plans = []agent.Plan{plan}
	s.commit(h, c)
	plan.Decision = agent.PlanReplaced
	next := plan
	next.Revision, next.N, next.Body, next.Decision = 2, 2, "bravo", agent.PlanOpen
	c = change(run, 2, 1)
	c.Plans = []agent.Plan{plan, next}
	s.commit(h, c)
	s.wantList(h, agent.RunQuery{Search: "first"})
	for _, words := range []string{"second", "alpha", "bravo", "prompt"} {
		s.wantList(h, agent.RunQuery{Search: words}, run.ID)
	}
}
