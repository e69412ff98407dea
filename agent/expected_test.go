package agent_test

import (
	"slices"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// TestTask_Expected asks for what an answer is at hand for, whatever becomes
// of other questions.
func TestTask_Expected(t *testing.T) {
	t.Parallel()
	turns := []any{calls(ask("one", "First?", "A"), ask("two", "Second?", "B"), ask("three", "Third?")), says("Done.")}
	expecting := func(asked *[]string, ids ...string) agent.Expected {
		return func(s agent.Suspension) bool {
			*asked = append(*asked, s.Ref()+" "+string(s.Payload))
			return slices.Contains(ids, s.ToolCallID)
		}
	}
	t.Run("fallback", func(t *testing.T) {
		t.Parallel()
		var asked []string
		r := newRig(t, turns)
		d := r.start(agent.Task{OnQuestion: agent.OnQuestionFallback, Expected: expecting(&asked, "one", "three")}).wantStatus(agent.StatusSuspended)
		if open := d.state.Open(); len(open) != 2 || open[0].ToolCallID != "one" || open[1].ToolCallID != "three" {
			t.Errorf("open: %+v", open)
		}
		if un := d.state.Unanswered(); len(un) != 1 || un[0].ToolCallID != "two" {
			t.Errorf("unanswered: %+v", un)
		}
		want := `one {"question":"First?","options":[{"label":"A"}],"selectionMode":"single_select"}`
		if len(asked) != 3 || asked[0] != want || asked[2] != `three {"question":"Third?"}` {
			t.Errorf("asked about %q", asked)
		}
		r.resume("A", agent.Resume{RunID: d.runID, ToolCallID: "one"}).wantStatus(agent.StatusSuspended)
		r.resume("x", agent.Resume{RunID: d.runID, ToolCallID: "three", OnQuestion: agent.OnQuestionFallback}).wantStatus(agent.StatusFinished)
	})
	t.Run("fail", func(t *testing.T) {
		t.Parallel()
		var asked []string
		d := newRig(t, turns).start(agent.Task{OnQuestion: agent.OnQuestionFail, Expected: expecting(&asked, "one", "three")}).wantStatus(agent.StatusFailed)
		wantContains(t, d.state.Run.Error.Message, "must not wait: two (ask_user)")
		newRig(t, turns).start(agent.Task{OnQuestion: agent.OnQuestionFail, Expected: expecting(&asked, "one", "two", "three")}).wantStatus(agent.StatusSuspended)
	})
	t.Run("an approval is never expected", func(t *testing.T) {
		t.Parallel()
		var asked []string
		r := newRig(t, []any{calls(call("c", "probe", `{}`)), says("Done.")}, tool("probe", agent.EffectOnce, nil))
		r.rebuild(func(c *agent.Config) { c.Permission = askAll{} })
		d := r.start(agent.Task{OnQuestion: agent.OnQuestionFallback, Expected: expecting(&asked, "c")}).wantStatus(agent.StatusFinished)
		if denied := d.state.Denied(); len(denied) != 1 || len(asked) != 0 {
			t.Errorf("denied %+v, asked about %q", denied, asked)
		}
	})
}
