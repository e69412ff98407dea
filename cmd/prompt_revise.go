package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/tools"
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
// changed. The error is for the person who changed it.
func (s *session) revise(ctx context.Context, runID string, sus agent.Suspension) (changed bool, err error) {
	for _, err := range s.agent.Reread(ctx, s.resumeOf(runID, reply{to: sus})).Events() {
		var fault tools.PlanFault
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, errors.New("the file is gone: edited again or approved, the plan is written to it as it was shown")
		case errors.As(err, &fault):
			return false, fmt.Errorf("the file holds no plan now: %w (nothing was recorded; edit it again)", fault)
		case err != nil:
			return false, fmt.Errorf("record revision: %w", err)
		}
		changed = true
	}
	return changed, nil
}
