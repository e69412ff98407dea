package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/runstore"
)

func TestEmpty(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(Empty())
	if err != nil {
		t.Fatal(err)
	}
	if !Begins(raw) || Begins([]byte(`{"version":1,"runs":[]}`)) {
		t.Error("a final object is not recognized")
	}
	for _, list := range []string{"usageByMode", "suspensions", "denied", "unanswered", "next"} {
		if !strings.Contains(string(raw), `"`+list+`":[]`) {
			t.Errorf("%s is no empty list: %s", list, raw)
		}
	}
}

func TestSuspensions(t *testing.T) {
	t.Parallel()
	args := json.RawMessage(`{"command":"ls"}`)
	for kind, shown := range map[agent.Kind]bool{
		agent.KindApproval: true, agent.KindInDoubt: true, agent.KindQuestion: false, agent.KindPlan: false,
	} {
		list := Suspensions([]agent.Suspension{{ToolCallID: "c", Kind: kind, Args: args}})
		if len(list) != 1 || (list[0].Args != nil) != shown {
			t.Errorf("%s: %+v", kind, list)
		}
	}
}

func TestErrorOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want Error
	}{
		{errors.New("x"), Error{Code: exit.CodeInternal, Message: "x"}},
		{exit.Hintf(exit.Usagef("no run\ntwo are near"), "agent list"), Error{Code: exit.CodeUsage, Message: "no run", Hint: "two are near\nagent list"}},
		{&agent.BusyError{RunID: "r"}, Error{Code: "busy", Message: (&agent.BusyError{RunID: "r"}).Error(), Retryable: true}},
		{runstore.ErrLocked, Error{Code: exit.ErrorCode(runstore.ErrLocked), Message: runstore.ErrLocked.Error(), Retryable: true}},
	} {
		if got := *ErrorOf(tt.err); got != tt.want {
			t.Errorf("got  %+v\nwant %+v", got, tt.want)
		}
	}
	if r := Empty().Failed(errors.New("x"), exit.Conflict); r.ExitCode != exit.Conflict || r.Error.Message != "x" {
		t.Errorf("failed: %+v", r)
	}
}
