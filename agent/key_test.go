package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// TestTask_IdempotencyKey starts a task once, and says of another one with its
// key what differs.
func TestTask_IdempotencyKey(t *testing.T) {
	t.Parallel()
	r := newRig(t, []any{says("Done."), says("Done again.")})
	r.rebuild(func(c *agent.Config) { // secrets are masked before they are compared
		c.Mask = func(data []byte) []byte {
			return []byte(strings.ReplaceAll(string(data), "hunter2hunter2", "[secret]"))
		}
	})
	first := r.start(agent.Task{Prompt: "Use hunter2hunter2", IdempotencyKey: "k"}).wantStatus(agent.StatusFinished)
	for _, c := range []struct {
		differs string
		task    agent.Task
	}{
		{"", agent.Task{Prompt: "Use hunter2hunter2", Title: "T"}},
		{"", agent.Task{Prompt: "Use hunter2hunter2", Mode: "plan"}},
		{"prompt", agent.Task{Prompt: "Use hunter3hunter3"}},
		{"mode", agent.Task{Prompt: "Use hunter2hunter2", Mode: "build"}},
	} {
		c.task.IdempotencyKey = "k"
		d := r.start(c.task).wantErr(agent.ErrKeyUsed)
		var used *agent.KeyUsedError
		if !errors.As(d.err, &used) || used.RunID != first.runID || used.Differs != c.differs || len(d.events) != 0 {
			t.Errorf("%+v: %v, want that %q differs", c.task, d.err, c.differs)
		}
	}
	r.model = &played{id: "other", turns: []any{says("Done.")}}
	r.rebuild(func(c *agent.Config) { c.Model = r.model })
	d := r.start(agent.Task{Prompt: "Use hunter2hunter2", IdempotencyKey: "k"})
	wantContains(t, d.err.Error(), "whose model is another")
	if runs, err := r.cfg.Store.Runs(t.Context(), agent.RunQuery{}); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, %v; want one", len(runs), err)
	}
	r.start(agent.Task{Prompt: "Use hunter2hunter2", IdempotencyKey: "k2"}).wantStatus(agent.StatusFinished)
}
