package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/seed-3e5a1d81/agent/agent"
)

// planTool is the tool that submits plans, with what reads their files.
type planTool interface {
	agent.Tool
	agent.PlanHost
}

// planHost finds the tool a plan came from; nil if it has no files.
func (s *session) planHost(name string) planTool {
	for _, t := range s.w.tools(s.store, s.cfg) {
		if host, ok := t.(planTool); ok && t.Definition().Name == name && host.PlanReader() != nil {
			return host
		}
	}
	return nil
}

// revise records the file of an open plan as its next revision, if it was
// changed. The library does that when a changed plan is approved, and approves
// nothing then; so this gives an approval to an agent that can read changed
// files only, and to which no approval can succeed.
func (s *session) revise(ctx context.Context, runID string, sus agent.Suspension, host planTool) (changed bool, err error) {
	reader := &changedOnly{planTool: host, files: host.PlanReader(), shown: digestOf(sus)}
	tools := s.w.tools(s.store, s.cfg)
	for i, t := range tools {
		if t.Definition().Name == host.Definition().Name {
			tools[i] = reader
		}
	}
	reviser, err := agent.New(agent.Config{
		ID: agentID, Store: s.store, Mask: s.w.mask(keyVariables(s.cfg)), Now: s.w.io.Now,
		Tools: tools, Modes: s.modes, Model: unasked(""),
		Models: func(id string) (agent.Model, error) { return unasked(id), nil },
	})
	if err != nil {
		return false, err
	}
	_, err = reviser.Answer(ctx, agent.PlanDecision{Action: agent.Approved}, s.resumeOf(runID, sus))
	var replaced *agent.PlanChangedError
	switch {
	case reader.same:
		return false, nil
	case errors.As(err, &replaced) && replaced.Now != nil:
		return true, nil
	case err == nil:
		return false, errors.New("record revision: the plan was approved unseen") // no reader of changed files lets this happen
	}
	return false, fmt.Errorf("record revision: %w", err)
}

// changedOnly reads plans that are not the one that was shown. A file that is
// missing would be restored, and approved, so it is an error of another kind.
type changedOnly struct {
	planTool
	files agent.PlanReader
	shown string
	same  bool // the file was read and is the one that was shown
}

func (c *changedOnly) PlanReader() agent.PlanReader { return c }

func (c *changedOnly) ReadPlan(ctx context.Context, runID, workspace, path string) (agent.PlanFile, error) {
	file, err := c.files.ReadPlan(ctx, runID, workspace, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, fmt.Errorf("the file is gone: %v", err) //nolint:errorlint // it must not be known as missing
	case err == nil && file.Digest == c.shown:
		c.same = true
		return file, errors.New("the file is unchanged")
	}
	return file, err
}

func (c *changedOnly) RestorePlan(context.Context, string, agent.PlanFile) error {
	return errors.New("plans are not restored while they are edited")
}

// unasked is a model for an agent that only records.
type unasked string

func (u unasked) ID() string { return string(u) }

func (u unasked) Stream(context.Context, agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		yield(agent.Chunk{}, fmt.Errorf("model %s is not asked here", u))
	}
}
