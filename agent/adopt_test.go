package agent_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// TestAgent_Adopt goes on elsewhere with a run, and hands no power over.
func TestAgent_Adopt(t *testing.T) {
	t.Parallel()
	probe := tool("probe", agent.EffectOnce, nil)
	turns := []any{
		calls(call("a", "probe", `{"n":1}`)), calls(call("b", "probe", `{"n":2}`), ask("q", "Which?")), calls(call("c", "probe", `{"n":3}`)), says("Done."),
	}
	r := newRig(t, turns, probe)
	r.rebuild(func(c *agent.Config) { c.Permission = askAll{} })
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	r.resume(agent.ApprovalDecision{Action: agent.Approved, Scope: agent.ScopeRun}, agent.Resume{RunID: d.runID})
	d.state, _ = agent.Fold(r.load(d.runID).Events)
	if len(d.state.Grants()) == 0 {
		t.Fatal("nothing was granted")
	}
	snap := r.load(d.runID)

	elsewhere := newRig(t, turns, probe)
	elsewhere.rebuild(func(c *agent.Config) { c.Permission, c.Store = askAll{}, runstore.Memory() })
	st, err := elsewhere.Adopt(t.Context(), agent.Adoption{Events: snap.Events, Workspace: elsewhere.workspace, By: "ann", Source: "sha256:0"})
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Grants()) != 0 || st.Run.Workspace != elsewhere.workspace || st.Run.Project != elsewhere.workspace || !st.Run.ForeignModel {
		t.Errorf("adopted %+v, grants %v", st.Run, st.Grants())
	}
	got := elsewhere.load(d.runID)
	last := payload[agent.ImportPayload](t, got.Events, agent.Imported)
	if last.By != "ann" || last.Via != "library" || last.Source != "sha256:0" || got.Owner != nil || got.Status != snap.Status {
		t.Errorf("%+v: %+v", got.RunInfo, last)
	}
	drain(t, elsewhere.ResumeStream(t.Context(), "x", agent.Resume{RunID: d.runID, ToolCallID: "q"})).wantStatus(agent.StatusSuspended)
	if open := elsewhere.load(d.runID).Open; len(open) != 1 || open[0].Kind != agent.KindApproval {
		t.Errorf("the grant came along: %+v", open)
	}
	if _, err := elsewhere.Adopt(t.Context(), agent.Adoption{Events: snap.Events}); agent.Code(err) != "run_exists" {
		t.Errorf("a second time: %v", err)
	}
}

// TestAgent_Adopt_unusedApproval denies what was approved elsewhere and not
// run.
func TestAgent_Adopt_unusedApproval(t *testing.T) {
	t.Parallel()
	probe := tool("probe", agent.EffectOnce, nil)
	turns := []any{calls(call("a", "probe", `{}`)), says("Done.")}
	r := newRig(t, turns, probe)
	r.rebuild(func(c *agent.Config) { c.Permission = askAll{} })
	d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
	if _, err := r.Answer(t.Context(), agent.ApprovalDecision{Action: agent.Approved}, agent.Resume{RunID: d.runID}); err != nil {
		t.Fatal(err)
	}
	snap := r.load(d.runID)
	r.rebuild(func(c *agent.Config) { c.Store = runstore.Memory() })
	if _, err := r.Adopt(t.Context(), agent.Adoption{Events: snap.Events}); err != nil {
		t.Fatal(err)
	}
	end := drain(t, r.Continue(t.Context(), agent.Resume{RunID: d.runID})).wantStatus(agent.StatusFinished)
	if denied := end.state.Denied(); len(denied) != 1 || probe.calls.Load() != 0 {
		t.Errorf("denied %+v, the call ran %d times", denied, probe.calls.Load())
	}
}

// TestAgent_Adopt_refuses what is no journal, and stores nothing of it.
func TestAgent_Adopt_refuses(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q", "Which?")), says("Done.")})
	good := r.load(r.start(agent.Task{}).runID).Events
	change := func(do func(e []agent.Event) []agent.Event) []agent.Event {
		return do(append([]agent.Event{}, good...))
	}
	at := func(i int, do func(*agent.Event)) []agent.Event {
		return change(func(e []agent.Event) []agent.Event { do(&e[i]); return e })
	}
	for name, c := range map[string]struct {
		events []agent.Event
		want   string
	}{
		"nothing":         {nil, "no records"},
		"no start":        {change(func(e []agent.Event) []agent.Event { return e[1:] }), "begins with its only start"},
		"two starts":      {at(1, func(e *agent.Event) { *e = good[0]; e.Seq = 2 }), "begins with its only start"},
		"a gap":           {change(func(e []agent.Event) []agent.Event { return append(e[:1:1], e[2:]...) }), "follows record"},
		"an ID of ours":   {change(func(e []agent.Event) []agent.Event { e = e[:1]; e[0].RunID = "../../x"; return e }), `of run "../../x"`},
		"two runs":        {at(1, func(e *agent.Event) { e.RunID = agent.NewID() }), "is of run"},
		"no record":       {at(1, func(e *agent.Event) { e.Type = agent.TextDelta }), "is no record"},
		"out of time":     {at(1, func(e *agent.Event) { e.At = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }), "is of 9999"},
		"payload":         {at(0, func(e *agent.Event) { e.Payload = json.RawMessage(`[]`) }), "decode start"},
		"a reply outside": {at(1, func(e *agent.Event) { e.Type = agent.ModelMessage; e.Payload = json.RawMessage(`{}`) }), "outside a step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := runstore.Memory()
			cfg := r.cfg
			cfg.Store = store
			a, err := agent.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Adopt(t.Context(), agent.Adoption{Events: c.events}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if runs, err := store.Runs(t.Context(), agent.RunQuery{}); err != nil || len(runs) != 0 {
				t.Errorf("%d runs stored, %v", len(runs), err)
			}
		})
	}
}

// FuzzAgent_Adopt takes journals nobody vouches for, a record a line.
func FuzzAgent_Adopt(f *testing.F) {
	r := newRig(f, []any{calls(ask("q", "Which?"), submit("p", ".mastracode/plans/a.md")), says("Done.")})
	r.write(".mastracode/plans/a.md", "# A\n\nB\n")
	for _, on := range []agent.OnQuestion{agent.OnQuestionSuspend, agent.OnQuestionFallback, agent.OnQuestionFail} {
		var lines strings.Builder
		for _, e := range r.load(r.start(agent.Task{OnQuestion: on}).runID).Events {
			lines.WriteString(string(e.Type) + " " + string(e.Payload) + "\n")
		}
		f.Add(lines.String() + `undo {"files":[]}` + "\n" + `tool-call-resumed {"toolCallId":"q","n":1,"answer":"x"}` + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		var events []agent.Event
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			typ, body, _ := strings.Cut(line, " ")
			events = append(events, agent.Event{Seq: int64(i + 1), At: time.Unix(1_800_000_000, 0), Type: agent.EventType(typ),
				RunID: "01939f3c-2a00-7000-8000-000000000001", From: agent.From, Payload: json.RawMessage(body)})
		}
		a, err := agent.New(agent.Config{Store: runstore.Memory()})
		if err != nil {
			t.Fatal(err)
		}
		st, err := a.Adopt(t.Context(), agent.Adoption{Events: events})
		if err != nil {
			return
		}
		st.Open()
		st.Undecided()
		st.Plans()
		_ = drain(t, a.Continue(t.Context(), agent.Resume{RunID: st.Run.ID}))
	})
}
