package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/tools"
)

// desk is the session as the person sees it who answers in it: an ask.Desk.
type desk struct{ s *session }

func (d desk) Waiting(ctx context.Context, runID string) (*agent.State, []agent.Suspension, error) {
	st, _, err := loadRun(ctx, d.s.store, runID)
	if err != nil {
		return nil, nil, err
	}
	return st, next.Waiting(st), nil
}

func (d desk) Plans(ctx context.Context, st *agent.State) tell.Plans {
	return sourcesOf(ctx, d.s.store, st)
}

func (d desk) AfterApproval(mode string) string { return d.s.modes.AfterApproval(mode) }

func (d desk) PlanFile(ctx context.Context, st *agent.State, sus agent.Suspension) (string, error) {
	plan, ok := planAt(st, sus)
	host := d.planHost(sus.ToolName)
	if !ok || host == nil {
		return "", errors.New("this plan has no file to edit")
	}
	run := st.Run
	file, err := host.PlanReader().ReadPlan(ctx, run.ID, run.Workspace, plan.Path)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = d.restorePlan(ctx, host.PlanReader(), run.Workspace, plan)
	}
	var fault tools.PlanFault
	if errors.As(err, &fault) { // the editor is what mends it
		file.Path, err = plan.Path, nil
	}
	if err != nil {
		return "", fmt.Errorf("edit plan: %w", err)
	}
	return filepath.Join(run.Workspace, filepath.FromSlash(file.Path)), nil
}

// restorePlan writes a plan whose file is missing, to be edited.
func (d desk) restorePlan(ctx context.Context, reader agent.PlanReader, workspace string, plan agent.Plan) (agent.PlanFile, error) {
	source, err := d.s.store.Blob(ctx, plan.Digest)
	if err != nil {
		return agent.PlanFile{}, err
	}
	file := agent.PlanFile{Path: plan.Path, Title: plan.Title, Plan: plan.Body, Digest: plan.Digest, Source: source}
	return file, reader.RestorePlan(ctx, workspace, file)
}

// planTool is the tool that submits plans, with what reads their files.
type planTool interface {
	agent.Tool
	agent.PlanHost
}

// planHost finds the tool a plan came from; nil if it has no files.
func (d desk) planHost(name string) planTool {
	for _, t := range d.s.w.tools(d.s.store, d.s.cfg) {
		if host, ok := t.(planTool); ok && t.Definition().Name == name && host.PlanReader() != nil {
			return host
		}
	}
	return nil
}

func (d desk) Revise(ctx context.Context, runID string, sus agent.Suspension) (changed bool, err error) {
	for _, err := range d.s.agent.Reread(ctx, d.s.resumeOf(runID, reply{to: sus})).Events() {
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

// planAt is the revision a suspension shows.
func planAt(st *agent.State, sus agent.Suspension) (agent.Plan, bool) {
	for _, plan := range st.Plans() {
		if plan.ToolCallID == sus.ToolCallID && plan.N == sus.N {
			return plan, plan.Digest != ""
		}
	}
	return agent.Plan{}, false
}
