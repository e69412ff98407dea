package replay

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/seed-3e5a1d81/agent/agent"
)

// player is a model that gives the recorded replies.
type player struct {
	id string
	s  *stage
}

func (p player) ID() string { return p.id }

func (p player) Stream(ctx context.Context, _ agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		r, err := p.s.next(ctx)
		if err != nil {
			yield(agent.Chunk{}, err)
			return
		}
		yield(agent.Chunk{Reply: &r}, nil)
	}
}

// tool is a tool of today that gives what the recorded calls gave.
type tool struct {
	real agent.Tool
	s    *stage
}

func (t tool) Definition() agent.Definition { return t.real.Definition() }

func (t tool) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	return t.s.outcome(ctx, call, t.real.Definition().Effect == agent.EffectReadOnly)
}

// CheckAnswer implements agent.AnswerChecker, as the real tool does.
func (t tool) CheckAnswer(sus agent.Suspension, answer json.RawMessage) (json.RawMessage, error) {
	if c, ok := t.real.(agent.AnswerChecker); ok {
		return c.CheckAnswer(sus, answer)
	}
	return answer, nil
}

// ResumeSchema implements agent.ResumeSchemer, as the real tool does.
func (t tool) ResumeSchema(payload json.RawMessage) json.RawMessage {
	if r, ok := t.real.(agent.ResumeSchemer); ok {
		return r.ResumeSchema(payload)
	}
	return nil
}

// Intent implements agent.Changer: what the recorded call was about to change.
func (t tool) Intent(_ context.Context, call agent.Call) ([]agent.FileChange, [][]byte) {
	return t.s.intents[call.ID], nil
}

// PlanReader implements agent.PlanHost: the file is as the journal says.
func (t tool) PlanReader() agent.PlanReader {
	if h, ok := t.real.(agent.PlanHost); ok && h.PlanReader() != nil {
		return plans{t.s.seg.plan}
	}
	return nil
}

// plans is the plan file as it was when a decision came.
type plans struct{ file agent.PlanFile }

func (p plans) ReadPlan(context.Context, string, string, string) (agent.PlanFile, error) {
	return p.file, nil
}

func (p plans) RestorePlan(context.Context, string, agent.PlanFile) error { return nil }

// verdicts decide as was decided.
type verdicts struct{ s *stage }

func (v verdicts) Decide(p agent.PermissionRequest) agent.Verdict { return v.s.verdict(p) }

// modes are today's, asking the recorded models.
type modes struct {
	agent.ModePolicy
	models map[string]string
}

func (m modes) Default() agent.Mode { return m.with(m.ModePolicy.Default()) }

func (m modes) Mode(id string) (agent.Mode, bool) {
	mode, ok := m.ModePolicy.Mode(id)
	return m.with(mode), ok
}

func (m modes) with(mode agent.Mode) agent.Mode {
	mode.DefaultModelID = m.models[mode.ID]
	return mode
}

// watched is a store that tells how far the journal is.
type watched struct {
	agent.Store
	s *stage
}

func (w watched) Commit(ctx context.Context, c agent.Change) (int64, error) {
	epoch, err := w.Store.Commit(ctx, c)
	if err == nil {
		w.s.committed(c.Base + int64(len(c.Events)))
	}
	return epoch, err
}
