package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// StreamTask starts a run. Nothing happens, and nothing is stored, before the
// stream is ranged; a mode or model that does not exist ends it at once.
func (a *Agent) StreamTask(ctx context.Context, t Task) *Stream {
	runID := a.cfg.NewID()
	return &Stream{runID: runID, ctx: ctx, drive: func(ctx context.Context, yield func(Event) bool) (*State, error) {
		return a.start(ctx, runID, t, yield)
	}}
}

func (a *Agent) start(ctx context.Context, runID string, t Task, yield func(Event) bool) (*State, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if strings.TrimSpace(t.Prompt) == "" {
		return nil, errors.New("start run: the prompt is empty")
	}
	mode := a.modes.Default()
	if t.Mode != "" {
		var err error
		if mode, err = a.mode(t.Mode); err != nil {
			return nil, err
		}
	}
	st := newState()
	st.Run.ID, st.Run.Pinned = runID, t.Model
	d := a.drive(&journal{a: a, st: st}, Resume{OnQuestion: t.OnQuestion, Expected: t.Expected}, yield)
	m, err := d.model(a.modelID(st, mode))
	if err != nil {
		return nil, err
	}
	if t.Model != "" {
		t.Model = m.ID()
	}
	d.stage(Start, a.startPayload(t, mode, m))
	for _, f := range t.Context {
		d.stage(ContextLoaded, f)
	}
	d.stageStep(mode, m)
	d.survey(ctx, SurveyBegin)
	events, err := d.commit(ctx, true, false)
	if errors.Is(err, ErrConflict) {
		err = fmt.Errorf("%w: there is a run %s already; Config.NewID must not repeat", ErrBusy, runID)
	}
	var used *KeyUsedError
	if errors.As(err, &used) {
		err = a.compare(ctx, d.staged[0], used)
	}
	if err != nil {
		return nil, err
	}
	err = d.run(ctx, events)
	return d.st, err
}

// compare completes the error of a task whose key is used: as recorded, the
// two may be the same.
func (a *Agent) compare(ctx context.Context, start Event, used *KeyUsedError) error {
	snap, err := a.cfg.Store.Load(ctx, used.RunID)
	if err != nil {
		return err
	}
	theirs, err := Decode[StartPayload](snap.Events[0])
	if err != nil {
		return err
	}
	ours, err := Decode[StartPayload](start)
	switch {
	case err != nil:
		return err
	case ours.Prompt != theirs.Prompt:
		used.Differs = "prompt"
	case ours.Mode != theirs.Mode:
		used.Differs = "mode"
	case ours.Model != theirs.Model:
		used.Differs = "model"
	}
	return used
}

func (a *Agent) startPayload(t Task, mode Mode, m Model) StartPayload {
	p := StartPayload{
		Prompt: t.Prompt, Title: t.Title, Mode: mode.ID, Model: m.ID(), Pinned: t.Model, Thinking: t.Thinking,
		Workspace: t.Workspace, Project: t.Project, BaseCommit: t.BaseCommit,
		IdempotencyKey: t.IdempotencyKey, AgentID: a.cfg.ID,
		Limits: a.cfg.Limits.override(&t.Limits), By: t.By, Via: via(t.Via),
	}
	if p.Title == "" {
		p.Title = titleOf(t.Prompt)
	}
	if p.Project == "" {
		p.Project = t.Workspace
	}
	return p
}

// maxTitle is how many characters of a prompt make its title.
const maxTitle = 80

// titleOf is the first line of a prompt that says something, cut to a length
// lists can show.
func titleOf(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= maxTitle {
		return line
	}
	return strings.TrimSpace(string([]rune(line)[:maxTitle-1])) + "…"
}

func via(v string) string {
	if v == "" {
		return "library"
	}
	return v
}
