package agent_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Counts that no provider can mean count as nothing, so that no limit is
// reached, or never reached, for them.
func TestAgent_implausibleUsage(t *testing.T) {
	t.Parallel()
	lie := func(u agent.Usage) agent.Reply { r := says("done"); r.Usage = u; return r }
	nan, debt := math.NaN(), -3.0
	for name, u := range map[string]agent.Usage{
		"negative": {InputTokens: -5, OutputTokens: -7, CacheReadTokens: math.MinInt64, Cost: &debt},
		"huge":     {InputTokens: math.MaxInt64, OutputTokens: math.MaxInt64, ReasoningTokens: math.MaxInt64, Cost: &nan},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, []any{lie(u), lie(u)})
			d := r.start(agent.Task{Limits: agent.Limits{MaxTokens: 1000}}).wantStatus(agent.StatusFinished)
			if got := d.state.Run.Usage; got.Tokens() != 0 || got.ReasoningTokens != 0 || got.Cost != nil {
				t.Errorf("used %+v", got)
			}
		})
	}
}

// A reply too large to go along with every later request pauses the run, and
// nothing of it is done.
func TestAgent_tooLargeReply(t *testing.T) {
	t.Parallel()
	look := tool("look", agent.EffectReadOnly, nil)
	args, _ := json.Marshal(map[string]string{"x": strings.Repeat("x", 17<<20)})
	r := newRig(t, []any{calls(call("c", "look", json.RawMessage(args))), says("done")}, look)
	d := r.start(agent.Task{}).wantStatus(agent.StatusPaused)
	if e := d.state.Run.Error; e == nil || e.Retryable || !strings.Contains(e.Message, "larger than 16 MiB") {
		t.Errorf("error %+v", e)
	}
}
