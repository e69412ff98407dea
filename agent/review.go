package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Reread looks at the file of an open plan once more, without a decision. If
// its content changed, that is recorded as the next revision of the same
// request, with r.By as its author, and yielded; an approval of the earlier one
// is ErrPlanChanged from then on. An unchanged file yields nothing.
func (a *Agent) Reread(ctx context.Context, r Resume) *Stream {
	return a.resumption(ctx, r.RunID, func(ctx context.Context, yield func(Event) bool) (*State, error) {
		return retryConflict(func() (*State, error) { return a.reread(ctx, r, yield) })
	})
}

func (a *Agent) reread(ctx context.Context, r Resume, yield func(Event) bool) (*State, error) {
	j, _, err := a.claimable(ctx, r)
	if err != nil {
		return nil, err
	}
	d := a.drive(j, r, yield)
	s, err := d.target(r)
	if err != nil {
		return d.st, err
	}
	p := d.st.plan(s.ToolCallID, s.N)
	if p == nil || s.Answer != nil {
		return d.st, fmt.Errorf("%w: %s of run %s is no open plan", ErrNotSuspended, s.Ref(), r.RunID)
	}
	file, _, err := d.readPlan(ctx, s, *p, r)
	if err != nil {
		return d.st, err
	}
	if file.Digest == p.Digest {
		return d.st, nil
	}
	return d.st, d.stageAnew(ctx, s, *p, file, r.By)
}

// readPlan reads the file of a plan as it is now. Without a reader it is as it
// was.
func (d *drive) readPlan(ctx context.Context, s Suspension, p Plan, r Resume) (PlanFile, PlanReader, error) {
	host, ok := d.a.tools[s.ToolName].(PlanHost)
	if p.Digest == "" || !ok || host.PlanReader() == nil {
		return PlanFile{Digest: p.Digest}, nil, nil
	}
	file, err := host.PlanReader().ReadPlan(ctx, r.RunID, d.workspace(r), p.Path)
	return file, host.PlanReader(), err
}

func (d *drive) workspace(r Resume) string {
	if r.Workspace != "" {
		return r.Workspace
	}
	return d.st.Run.Workspace
}

// review looks at the plan's file once more before its approval: what was
// shown is what is approved. A missing file is restored, a changed one is
// shown anew.
func (d *drive) review(ctx context.Context, s Suspension, canonical json.RawMessage, r Resume) error {
	p := d.st.plan(s.ToolCallID, s.N)
	if p == nil || (&Answer{Data: canonical}).decision().Action != Approved {
		return nil
	}
	file, reader, err := d.readPlan(ctx, s, *p, r)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.restore(ctx, reader, d.workspace(r), *p)
	case err != nil:
		e := d.changed(s, err.Error())
		e.Now = nil
		return e
	case file.Digest == p.Digest:
		return nil
	}
	// Who changed it is not known; it was not the agent, which is suspended.
	if err := d.stageAnew(ctx, s, *p, file, AuthorPerson); err != nil {
		return err
	}
	return d.changed(s, "the file was changed after it was submitted")
}

func (d *drive) restore(ctx context.Context, reader PlanReader, workspace string, p Plan) error {
	source, err := d.a.cfg.Store.Blob(ctx, p.Digest)
	if err != nil {
		return fmt.Errorf("restore plan %s: %w", p.Path, err)
	}
	file := PlanFile{Path: p.Path, Title: p.Title, Plan: p.Body, Digest: p.Digest, Source: source}
	if err := reader.RestorePlan(ctx, workspace, file); err != nil {
		return fmt.Errorf("restore plan %s: %w", p.Path, err)
	}
	return nil
}

// stageAnew records a changed file as the next revision of the same request.
func (d *drive) stageAnew(ctx context.Context, s Suspension, p Plan, file PlanFile, by string) error {
	if d.a.secret(file.Source) {
		return d.changed(s, "the file now holds the value of a secret variable")
	}
	sub := PlanSubmission{Path: p.Submitted, Title: file.Title, Plan: file.Plan, Digest: file.Digest, Source: file.Source}
	next := suspension{kind: KindPlan, payload: sub, schema: json.RawMessage(s.Schema)}
	if err := d.stageSuspension(d.st.calls[s.ToolCallID], next, by); err != nil {
		return err
	}
	return d.flush(ctx, false)
}
