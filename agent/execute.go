package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// execute does the work and shows what the tools say meanwhile. It returns
// when all is done, or when the context has ended and the tools had their
// time to stop.
func (d *drive) execute(ctx context.Context, works []work) []outcome {
	d.worked = d.worked || slices.ContainsFunc(works, func(w work) bool { return w.run != nil && !w.asks })
	s := newShift(works, d.a.cfg.MaskStream)
	defer d.endTools(ctx, s.finished)
	defer close(s.unheard)
	s.start(ctx)
	var grace <-chan time.Time
	ended := ctx.Done()
	for {
		select {
		case r := <-s.remarks:
			d.show(ToolOutputText, OutputPayload{ToolCallID: r.callID, Text: r.text})
		case <-ended:
			ended, grace = nil, time.After(d.a.stopGrace)
		case <-s.finished:
			return s.outcomes
		case <-grace:
			return s.abandoned()
		}
	}
}

// endTools is for a reader that panics while tools are at work: they are ended
// before the run is given up.
func (d *drive) endTools(ctx context.Context, finished <-chan struct{}) {
	if ctx.Err() != nil {
		return // they had their time
	}
	select {
	case <-finished:
	default:
		d.cancel(errLeft)
		select {
		case <-finished:
		case <-time.After(d.a.stopGrace):
		}
	}
}

// interrupted is what the model reads of a call that was stopped in order.
func (d *drive) interrupted(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), errTimeout) {
		return "interrupted: " + errTimeout.Error()
	}
	return "interrupted by the user"
}

// invoke calls the tool and makes an outcome of whatever it does.
func (d *drive) invoke(ctx context.Context, tool Tool, def Definition, given Call) outcome {
	res, err := callTool(ctx, tool, given)
	switch {
	case err != nil && ctx.Err() != nil:
		if def.Effect == EffectReadOnly {
			return outcome{} // asked for again when the run goes on
		}
		res.Content = strings.TrimSpace(d.interrupted(ctx) + "\n" + res.Content)
		res.IsError = true
	case err != nil:
		res.Content = strings.TrimSpace(err.Error() + "\n" + res.Content)
		res.IsError = true
	case d.a.planHasSecret(res):
		return failed("The plan holds the value of a secret variable, which is never shown or stored. Take it out of the file and submit again.")
	case res.suspend != nil:
		return toolRequest(tool, def, res.suspend.payload)
	}
	if _, err := json.Marshal(res); err != nil {
		return failed("The result of %s cannot be recorded: %v", def.Name, err)
	}
	asks := def.Asks == KindQuestion || def.Asks == KindCustom
	answered := slices.ContainsFunc(given.Suspensions, func(s Suspension) bool { return s.Answer != nil })
	return outcome{result: &res, fallback: asks && !answered && given.Suspend == nil && !res.IsError}
}

// planHasSecret reports whether a result submits a plan that cannot be kept:
// masked, it would not be the file any more.
func (a *Agent) planHasSecret(res Result) bool {
	if res.SubmittedPlan != nil && a.secret(res.SubmittedPlan.Source) {
		return true
	}
	if res.suspend == nil {
		return false
	}
	sub, ok := res.suspend.payload.(PlanSubmission)
	return ok && a.secret(sub.Source)
}

// toolRequest makes a tool's own request to a person.
func toolRequest(tool Tool, def Definition, payload any) outcome {
	s := &suspension{kind: def.Asks, payload: payload}
	if s.kind == "" {
		s.kind = KindCustom
	}
	raw, err := json.Marshal(payload)
	if err == nil && s.kind == KindPlan {
		err = json.Unmarshal(raw, new(PlanSubmission))
	}
	if err != nil {
		return failed("The request of %s to a person cannot be recorded: %v", def.Name, err)
	}
	if rs, ok := tool.(ResumeSchemer); ok {
		s.schema = rs.ResumeSchema(raw)
	}
	return outcome{suspend: s}
}

// intentOf asks a tool what a call is about to change. One that panics says
// nothing: its call will.
func intentOf(ctx context.Context, tool Changer, call Call) (changes []FileChange, blobs [][]byte) {
	defer func() {
		if recover() != nil {
			changes, blobs = nil, nil
		}
	}()
	return tool.Intent(ctx, call)
}

// callTool calls a tool and survives its panic.
func callTool(ctx context.Context, tool Tool, call Call) (res Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = Result{}, fmt.Errorf("tool %s panicked: %v", tool.Definition().Name, p)
		}
	}()
	return tool.Call(ctx, call)
}
