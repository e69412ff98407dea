package next

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestFor(t *testing.T) {
	t.Parallel()
	of := func(kind agent.Kind, n int, payload string) []agent.Suspension {
		return []agent.Suspension{{ToolCallID: "c 1", N: n, Kind: kind, Payload: json.RawMessage(payload)}}
	}
	const begin = "agent resume r "
	tests := []struct {
		name    string
		run     agent.Run
		status  agent.Status
		waiting []agent.Suspension
		want    []string
	}{
		{"question", agent.Run{}, agent.StatusSuspended, of(agent.KindQuestion, 1, `{}`), []string{begin + "--tool-call 'c 1' --answer '<answer>'"}},
		{"plan", agent.Run{}, agent.StatusSuspended, of(agent.KindPlan, 2, `{"digest":"sha256:ab"}`), []string{
			begin + "--tool-call 'c 1#2' --approve --digest sha256:ab",
			begin + "--tool-call 'c 1#2' --reject --feedback '<feedback>' --digest sha256:ab",
		}},
		{"plan without a digest", agent.Run{}, agent.StatusSuspended, of(agent.KindPlan, 1, `{"path":"a.md"}`), []string{
			begin + "--tool-call 'c 1' --approve", begin + "--tool-call 'c 1' --reject --feedback '<feedback>'",
		}},
		{"approval", agent.Run{}, agent.StatusSuspended, of(agent.KindApproval, 1, `{"digest":"sha256:cd"}`), []string{
			begin + "--tool-call 'c 1' --approve --digest sha256:cd", begin + "--tool-call 'c 1' --reject --digest sha256:cd",
		}},
		{"in doubt", agent.Run{}, agent.StatusSuspended, of(agent.KindInDoubt, 1, `{}`), []string{
			begin + `--tool-call 'c 1' --data '{"action":"happened"}'`,
			begin + `--tool-call 'c 1' --data '{"action":"again"}'`,
			begin + `--tool-call 'c 1' --data '{"action":"stop"}'`,
		}},
		{"custom", agent.Run{}, agent.StatusSuspended, of(agent.KindCustom, 1, `[]`), []string{begin + "--tool-call 'c 1' --data '<answer>'"}},
		{"undecided plan", agent.Run{}, agent.StatusFinished, of(agent.KindPlan, 1, `{"digest":"sha256:ab"}`), []string{begin + "--tool-call 'c 1' --approve --digest sha256:ab"}},
		{"rejected plan", agent.Run{FinishReason: agent.FinishPlanRejected}, agent.StatusFinished, nil, []string{begin + "--message '<message>'"}},
		{"finished", agent.Run{FinishReason: agent.FinishStop}, agent.StatusFinished, nil, nil},
		{"canceled", agent.Run{}, agent.StatusCanceled, nil, nil},
		{"running", agent.Run{}, agent.StatusRunning, nil, nil},
		{"interrupted", agent.Run{}, agent.StatusInterrupted, nil, []string{"agent resume r"}},
		{"failed", agent.Run{}, agent.StatusFailed, nil, []string{"agent resume r"}},
		{"paused", agent.Run{FinishReason: agent.FinishStopped}, agent.StatusPaused, nil, []string{"agent resume r"}},
		{"out of steps", agent.Run{FinishReason: agent.FinishMaxSteps, Usage: agent.Usage{Steps: 7}}, agent.StatusPaused, nil, []string{begin + "--max-steps 107"}},
		{"out of time", agent.Run{FinishReason: agent.FinishTimeout, Limits: agent.Limits{Timeout: agent.Duration(time.Minute)}}, agent.StatusPaused, nil, []string{begin + "--timeout 2m0s"}},
		{"out of time, and slept", agent.Run{FinishReason: agent.FinishTimeout, Limits: agent.Limits{Timeout: agent.Duration(time.Minute)}, Driven: agent.Duration(9*time.Hour + 3)}, agent.StatusPaused, nil, []string{begin + "--timeout 9h1m0s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run.ID = "r"
			var got []string
			for _, n := range For(tt.run, tt.status, tt.waiting, []string{"agent"}) {
				got = append(got, n.Text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
