package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxParallel is how many read-only calls run at once.
const maxParallel = 8

// execute does the work and shows what the tools say meanwhile. It returns
// when all is done, or when the context has ended and the tools had their
// time to stop.
func (d *drive) execute(ctx context.Context, works []work) []outcome {
	d.worked = d.worked || slices.ContainsFunc(works, func(w work) bool { return w.run != nil && !w.asks })
	type said struct{ id, text string }
	outcomes := make([]outcome, len(works))
	outputs := make(chan said)
	gone := make(chan struct{}) // nobody listens to outputs any more
	finished := make(chan struct{})
	defer d.endTools(ctx, finished)
	defer close(gone)
	slots := make(chan struct{}, maxParallel)
	var wg sync.WaitGroup
	var mu sync.Mutex // guards outcomes once gone may be closed
	for i, w := range works {
		if w.run == nil {
			outcomes[i] = w.known
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				return // never started
			}
			o := failed("%s ended without a result", w.call.Name)
			defer func() {
				mu.Lock()
				outcomes[i] = o
				mu.Unlock()
			}()
			say := func(text string) {
				select {
				case outputs <- said{w.call.ID, text}:
				case <-gone:
				}
			}
			next, rest := d.a.cfg.MaskStream()
			o = w.run(ctx, func(text string) { say(next(text)) })
			say(rest())
		}()
	}
	go func() {
		wg.Wait()
		close(finished)
	}()
	var grace <-chan time.Time
	ended := ctx.Done()
	for {
		select {
		case s := <-outputs:
			if s.text != "" {
				d.show(ToolOutputText, DeltaPayload{ToolCallID: s.id, Text: s.text})
			}
		case <-ended:
			ended, grace = nil, time.After(d.a.stopGrace)
		case <-finished:
			return outcomes
		case <-grace:
			mu.Lock()
			defer mu.Unlock()
			return d.abandoned(works, outcomes)
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

// abandoned completes the outcomes of tools that did not stop in time.
func (d *drive) abandoned(works []work, outcomes []outcome) []outcome {
	out := slices.Clone(outcomes)
	for i, w := range works {
		if w.run != nil && out[i].none() && w.effect != EffectReadOnly {
			out[i] = failed("interrupted by the user; the tool did not stop in time, its outcome is unknown")
		}
	}
	return out
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
