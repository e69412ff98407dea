package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"context"

	"github.com/seed-3e5a1d81/agent/agent"
)

// small says that the played model has so many tokens of room in all.
func small(window int64) func(*agent.Config) {
	return func(c *agent.Config) {
		c.Facts = func(string) agent.ModelFacts { return agent.ModelFacts{ContextWindow: window} }
	}
}

// reader is a read-only tool that returns the content its argument asks for.
func reader(bytes int) *probe {
	p := tool("look", agent.EffectReadOnly, func(_ context.Context, c agent.Call) (agent.Result, error) {
		return agent.Result{Content: c.ID + " " + strings.Repeat("x", bytes)}, nil
	})
	p.def.Category = agent.CategoryRead
	return p
}

// outputs are the results a request holds, by call.
func outputs(req agent.Request) map[string]string {
	out := map[string]string{}
	for _, m := range req.Messages {
		for _, o := range m.Outputs {
			out[o.CallID] = o.Content
		}
	}
	return out
}

// looks makes n turns that each look once, and an end.
func looks(n int) []any {
	var turns []any
	for i := range n {
		turns = append(turns, calls(call(fmt.Sprintf("l%d", i+1), "look", `{}`)))
	}
	return append(turns, says("done"))
}

func TestRoom_OldResultsAreShortenedInTheRequestAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, looks(8), reader(9000)) // 8 × 9,000 bytes are about 24,000 tokens
	r.rebuild(small(20_000))
	d := r.start(agent.Task{}).wantStatus(agent.StatusFinished)

	reqs := r.model.requests()
	last := outputs(reqs[len(reqs)-1])
	if got := last["l1"]; len(got) > 500 || !strings.HasPrefix(got, "l1 xxx") || !strings.Contains(got, "bytes of this result were left out") {
		t.Errorf("the oldest result is sent as %.80q…, %d bytes", got, len(got))
	}
	for _, id := range []string{"l7", "l8"} {
		if len(last[id]) < 9000 {
			t.Errorf("the new result %s is shortened: %d bytes", id, len(last[id]))
		}
	}
	for _, req := range reqs { // what was shortened once stays so
		for id, content := range outputs(req) {
			if was := outputs(reqs[0])[id]; was != "" && len(was) < len(content) {
				t.Errorf("%s grew again", id)
			}
		}
	}
	for _, e := range d.events {
		if e.Type == agent.Summary {
			t.Error("a summary was made though shortening was enough")
		}
		if e.Type == agent.ToolResult {
			if p, _ := agent.Decode[agent.ResultPayload](e); len(p.Result.Content) < 9000 {
				t.Errorf("the journal holds %d bytes of %s", len(p.Result.Content), p.ToolCallID)
			}
		}
	}
}

func TestRoom_NothingIsShortenedWhereTheWindowIsUnknown(t *testing.T) {
	t.Parallel()
	r := newRig(t, looks(8), reader(9000))
	r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	reqs := r.model.requests()
	for id, content := range outputs(reqs[len(reqs)-1]) {
		if len(content) < 9000 {
			t.Errorf("%s has %d bytes", id, len(content))
		}
	}
}

// chatty is a run whose words fill the window, so that nothing can be shortened.
func chatty(r **rig) []any {
	long := func(id string) agent.Reply {
		return agent.Reply{Text: id + " " + strings.Repeat("word ", 1500), ToolCalls: []agent.ToolCall{call(id, "look", `{}`)}}
	}
	return []any{
		calls(ask("q", "Which colour?", "Red", "Blue")),
		long("l1"),
		func(agent.Request) (agent.Reply, error) {
			(*r).write(planPath, "# First\n\nPaint it red.\n")
			return calls(submit("plan", planPath)), nil
		},
		long("l2"), long("l3"),
		says("We paint; the brush is in shed.go."), // the summary
		says("done"),
	}
}

func TestRoom_SummaryKeepsWhatThePersonSaid(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, reader(10))
	r.model.turns = chatty(&r)
	r.rebuild(small(9_000))
	id := r.start(agent.Task{Prompt: "Paint the fence"}).wantStatus(agent.StatusSuspended).runID
	r.resume("Blue", agent.Resume{RunID: id}).wantStatus(agent.StatusSuspended)
	d := r.resume(agent.PlanDecision{Action: "approved", Feedback: "two coats"}, agent.Resume{RunID: id}).wantStatus(agent.StatusFinished)

	if p := payload[agent.SummaryPayload](t, d.events, agent.Summary); p.Model != "played" || !strings.Contains(p.Text, "shed.go") {
		t.Errorf("summary %+v", p)
	}
	reqs := r.model.requests()
	summed, last := reqs[len(reqs)-2], reqs[len(reqs)-1]
	if len(summed.Tools) != 0 || len(summed.Messages) != 1 || !strings.Contains(summed.Messages[0].Text, "call look") {
		t.Errorf("the request for a summary has %d tools, %d messages", len(summed.Tools), len(summed.Messages))
	}
	var all strings.Builder
	for _, m := range last.Messages {
		all.WriteString(m.Text + "\n")
		for _, o := range m.Outputs {
			all.WriteString(o.Content + "\n")
		}
	}
	for _, want := range []string{"Paint the fence", "shed.go", "Which colour?", "User answered: Blue", "Plan approved. Proceed with implementation", "Paint it red.", "two coats"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the conversation after the summary lacks %q", want)
		}
	}
	if strings.Contains(all.String(), "l1 word") {
		t.Error("the old reply is still there")
	}
	for i, m := range last.Messages {
		if m.Role == agent.RoleTool && (i == 0 || last.Messages[i-1].Role != agent.RoleAssistant) {
			t.Error("results without the reply that asked for them")
		}
	}
}

// Killed after any commit, the run with a summary comes to the same end.
func TestRoom_SummaryIsDurable(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, reader(10))
	r.model.turns = chatty(&r)
	r.rebuild(small(9_000))
	id := r.start(agent.Task{Prompt: "Paint"}).wantStatus(agent.StatusSuspended).runID
	r.resume("Blue", agent.Resume{RunID: id})
	r.resume(agent.PlanDecision{Action: "approved"}, agent.Resume{RunID: id}).wantStatus(agent.StatusFinished)
	snap := r.load(id)
	for n := range snap.Events {
		if n > 0 {
			if _, err := agent.Fold(snap.Events[:n]); err != nil {
				t.Fatalf("fold %d records: %v", n, err)
			}
		}
	}
	st, err := agent.Fold(snap.Events)
	if err != nil || st.Run.Usage.Steps != 6 {
		t.Fatalf("steps %d, %v: a summary is no step", st.Run.Usage.Steps, err)
	}
}

func TestRoom_RefusedForItsLengthIsAskedShorter(t *testing.T) {
	t.Parallel()
	tooLong := &agent.ProviderError{Status: 400, Message: "prompt is too long", TooLong: true}
	r := newRig(t, nil, reader(9000))
	turns := looks(5)
	r.model.turns = turns
	turns[4] = func(req agent.Request) (agent.Reply, error) {
		if len(outputs(req)["l1"]) > 1000 {
			return agent.Reply{}, tooLong
		}
		return says("done at last"), nil
	}
	d := r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	if got := payload[agent.FinishPayload](t, d.events, agent.Finish).Text; got != "done at last" {
		t.Errorf("text %q", got)
	}
}

func TestRoom_RefusedForItsLengthForEverPauses(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{&agent.ProviderError{Status: 400, Message: "prompt is too long", TooLong: true}})
	d := r.start(agent.Task{}).wantStatus(agent.StatusPaused)
	if p := payload[agent.PausePayload](t, d.events, agent.Pause); p.Reason != agent.PauseProvider || p.Retryable {
		t.Errorf("pause %+v", p)
	}
	if n := len(r.model.requests()); n != 4 {
		t.Errorf("asked %d times", n)
	}
}

func TestAgent_FreshContext(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"at the prompt": false, "of a finished run": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil, reader(10))
			r.model.turns = []any{
				agent.Reply{Text: "I look around.", ToolCalls: []agent.ToolCall{call("l", "look", `{}`)}},
				func(agent.Request) (agent.Reply, error) {
					r.write(planPath, "# First\n\nPaint it red.\n")
					return calls(submit("plan", planPath)), nil
				},
				says("built"), says("built"),
			}
			task := agent.Task{Prompt: "Paint the fence"}
			if late {
				task.OnQuestion = agent.OnQuestionFallback
			}
			id := r.start(task).runID
			r.resume(agent.PlanDecision{Action: "approved"}, agent.Resume{RunID: id, FreshContext: true}).wantStatus(agent.StatusFinished)
			reqs := r.model.requests()
			var all strings.Builder
			for _, m := range reqs[len(reqs)-1].Messages {
				if m.Role != agent.RoleUser {
					t.Errorf("a %s message is left", m.Role)
				}
				all.WriteString(m.Text + "\n")
			}
			for _, want := range []string{"Paint the fence", "Plan approved.", "Paint it red."} {
				if strings.Count(all.String(), want) != 1 {
					t.Errorf("%q occurs %d times in\n%s", want, strings.Count(all.String(), want), all.String())
				}
			}
			if reqs[len(reqs)-1].Mode != "build" {
				t.Errorf("mode %s", reqs[len(reqs)-1].Mode)
			}
		})
	}
}

func TestAgent_FreshContextGoesWithAnApprovalAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{calls(ask("q", "Which?"))})
	id := r.start(agent.Task{}).wantStatus(agent.StatusSuspended).runID
	r.resume("Blue", agent.Resume{RunID: id, FreshContext: true}).wantErr(agent.ErrInvalidAnswer)
	if open, err := r.Open(t.Context(), id); err != nil || len(open) != 1 {
		t.Errorf("open %v, %v", open, err)
	}
}

func TestAgent_CutReplyGoesOn(t *testing.T) {
	t.Parallel()
	cut := agent.Reply{Text: "The first half", End: agent.EndCut}
	r := newRig(t, []any{cut, says("and the second.")})
	r.start(agent.Task{}).wantStatus(agent.StatusFinished)
	messages := r.model.requests()[1].Messages
	if last := messages[len(messages)-1]; last.Role != agent.RoleUser || !strings.Contains(last.Text, "cut off") {
		t.Errorf("asked again with %+v", last)
	}

	r = newRig(t, []any{cut, cut, cut, says("the end")})
	d := r.start(agent.Task{}).wantStatus(agent.StatusPaused)
	if p := payload[agent.PausePayload](t, d.events, agent.Pause); p.Reason != agent.PauseProvider || !p.Retryable {
		t.Errorf("pause %+v", p)
	}
	drain(t, r.Continue(t.Context(), agent.Resume{RunID: d.runID})).wantStatus(agent.StatusFinished)
}

func TestAgent_RefusalPausesAndIsNotPartOfTheConversation(t *testing.T) {
	t.Parallel()
	refused := agent.Reply{Text: "I will not.", End: agent.EndRefused, ToolCalls: []agent.ToolCall{call("l", "look", `{}`)}}
	r := newRig(t, []any{refused, says("Well then.")}, reader(10))
	d := r.start(agent.Task{}).wantStatus(agent.StatusPaused)
	p := payload[agent.PausePayload](t, d.events, agent.Pause)
	if p.Reason != agent.PauseProvider || p.Retryable || !strings.Contains(p.Message, "I will not.") {
		t.Errorf("pause %+v", p)
	}
	drain(t, r.Send(t.Context(), "Please", agent.Resume{RunID: d.runID})).wantStatus(agent.StatusFinished)
	for _, m := range r.model.requests()[1].Messages {
		if m.Role == agent.RoleAssistant {
			t.Errorf("the refusal is sent again: %+v", m)
		}
	}
}

func TestAgent_UsageByMode(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	spent := func(reply agent.Reply, in int64) agent.Reply {
		reply.Usage = agent.Usage{InputTokens: in}
		return reply
	}
	r.model.turns = []any{
		func(agent.Request) (agent.Reply, error) {
			r.write(planPath, "# First\n\nPaint.\n")
			return spent(calls(submit("plan", planPath)), 1_000_000), nil
		},
		spent(says("built"), 2_000_000),
	}
	r.rebuild(func(c *agent.Config) {
		c.Facts = func(string) agent.ModelFacts { return agent.ModelFacts{Prices: &agent.Prices{Input: 3}} }
	})
	id := r.start(agent.Task{}).runID
	r.resume(agent.PlanDecision{Action: "approved"}, agent.Resume{RunID: id}).wantStatus(agent.StatusFinished)
	st, err := agent.Fold(r.load(id).Events)
	if err != nil {
		t.Fatal(err)
	}
	modes := st.UsageByMode()
	if len(modes) != 2 || modes[0].Mode != "plan" || modes[1].Mode != "build" || *modes[0].Cost != 3 || *modes[1].Cost != 6 || *st.Run.Usage.Cost != 9 {
		t.Errorf("usage %+v of %+v", modes, st.Run.Usage)
	}
}
