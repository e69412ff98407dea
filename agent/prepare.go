package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// prepare decides what is to be done about an unsettled call, in this order:
// may it be made at all, is its past in doubt, may it run, then run it.
func (d *drive) prepare(c *call) work {
	step := d.st.step
	mode, err := d.a.mode(step.mode)
	if err != nil {
		return work{call: c, known: failed("%v", err)}
	}
	allowed := d.a.modes.Tools(step.mode)
	tool, ok := d.a.tools[c.Name]
	if !ok || !slices.Contains(allowed, c.Name) {
		if known := d.doubt(c, effectOf(tool), mode); !known.none() {
			return work{call: c, known: known}
		}
		return work{call: c, known: failed("The tool %q is not available in mode %q. Available tools: %s.",
			c.Name, step.mode, strings.Join(allowed, ", "))}
	}
	def := tool.Definition()
	def.Effect = effectOf(tool)
	if !isObject(c.Args) {
		return work{call: c, known: failed("The arguments of %s are not a JSON object. Call it again with one that fits its schema.", c.Name)}
	}
	if def.Asks == KindPlan && d.secondPlan(c) {
		return work{call: c, known: failed("Only one plan can be submitted in a step; this one was not shown. Submit it again by itself.")}
	}
	for _, known := range []outcome{d.doubt(c, def.Effect, mode), d.permission(c, def, mode)} {
		if !known.none() {
			return work{call: c, known: known}
		}
	}
	given := d.callOf(c, mode)
	return work{call: c, effect: def.Effect, asks: def.Asks == KindQuestion || def.Asks == KindPlan, run: func(ctx context.Context, output func(string)) outcome {
		given.Output = output
		return d.invoke(ctx, tool, def, given)
	}}
}

// effectOf is the effect of a tool; one that is gone may have been any.
func effectOf(t Tool) Effect {
	if t == nil || t.Definition().Effect == "" {
		return EffectOnce
	}
	return t.Definition().Effect
}

// callOf is what the tool gets. Nothing in it is shared with the state.
func (d *drive) callOf(c *call, mode Mode) Call {
	given := Call{
		RunID: d.st.Run.ID, ID: c.ID, Args: slices.Clone(c.Args), Workspace: d.st.Run.Workspace, Mode: mode,
		Suspensions: c.own(), Seen: maps.Clone(d.st.seen), Blob: d.a.cfg.Store.Blob,
	}
	if d.canAsk(mode) {
		given.Suspend = func(payload any) (Result, error) { return Result{suspend: &suspendRequest{payload}}, nil }
	}
	return given
}

func isObject(raw json.RawMessage) bool {
	b := bytes.TrimLeft(raw, " \t\r\n")
	return len(b) > 0 && b[0] == '{'
}

// secondPlan reports whether an earlier call of the step submits a plan too.
func (d *drive) secondPlan(c *call) bool {
	for _, other := range d.st.step.calls {
		if other == c {
			return false
		}
		if t, ok := d.a.tools[other.Name]; ok && t.Definition().Asks == KindPlan {
			return true
		}
	}
	return false
}

// canAsk reports whether a person may be asked in a mode.
func (d *drive) canAsk(mode Mode) bool {
	switch d.onQuestion {
	case OnQuestionFallback:
		return false
	case OnQuestionReadOnlyFallback:
		return mode.MayWriteWorkspace()
	}
	return true
}

// doubt deals with a call that another process started and of which nothing
// is known since. Read-only and idempotent ones are simply run again.
func (d *drive) doubt(c *call, effect Effect, mode Mode) outcome {
	if !c.inFlight || d.started[c.ID] || effect != EffectOnce {
		return outcome{}
	}
	if c.happened {
		return outcome{result: &Result{Content: "The user confirmed that this call took effect. Its output was lost."}}
	}
	if !d.canAsk(mode) {
		return failed(unknownOutcome)
	}
	return outcome{suspend: &suspension{kind: KindInDoubt, schema: doubtSchema, payload: Doubt{
		Message: "The process that ran this call died before its result was known. It may have taken effect, wholly or in part.",
		Started: c.startedAt,
	}}}
}

// unknownOutcome is what the model reads of a call in doubt that nobody could
// be asked about.
const unknownOutcome = "The process that ran this call died. Whether the call took effect is unknown; check before you repeat it."

// permission asks the policy about a call; what a person answered stands, but
// for a rule that denies. Tools that ask a person themselves are never gated.
func (d *drive) permission(c *call, def Definition, mode Mode) outcome {
	if d.a.cfg.Permission == nil || def.Asks == KindQuestion || def.Asks == KindPlan {
		return outcome{}
	}
	v := d.a.cfg.Permission.Decide(PermissionRequest{
		Tool: def, Args: c.Args, Mode: mode, Workspace: d.st.Run.Workspace, Grants: d.st.Grants(),
	})
	if v.Action == ActionDeny {
		return outcome{denied: &DeniedPayload{Reason: v.Reason, Cause: DeniedByPolicy}}
	}
	if s := c.newest(KindApproval); s != nil && s.Answer != nil {
		answer := s.Answer.decision()
		if answer.Action == Approved {
			return outcome{}
		}
		reason := "the user did not allow this call"
		if answer.Feedback != "" {
			reason += ": " + answer.Feedback
		}
		return outcome{denied: &DeniedPayload{Reason: reason, Cause: DeniedByPerson}}
	}
	switch {
	case v.Action == ActionAllow:
		return outcome{}
	case !d.canAsk(mode):
		return outcome{denied: &DeniedPayload{Reason: nobody, Cause: DeniedNobody}}
	}
	return outcome{suspend: &suspension{kind: KindApproval, schema: approvalSchema, payload: ApprovalRequest{
		Reason: v.Reason, Rule: v.Rule, Digest: callDigest(c),
	}}}
}

// callDigest names a call by its tool and arguments.
func callDigest(c *call) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s", c.Name, c.Args)
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// maxParallel is how many read-only calls run at once.
const maxParallel = 8

// execute does the work and shows what the tools say meanwhile. It returns
// when all is done, or when the context has ended and the tools had their
// time to stop.
func (d *drive) execute(ctx context.Context, works []work) []outcome {
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
			o = w.run(ctx, func(text string) {
				select {
				case outputs <- said{w.call.ID, text}:
				case <-gone:
				}
			})
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
			d.show(ToolOutputText, DeltaPayload{ToolCallID: s.id, Text: s.text})
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
	return outcome{result: &res, fallback: asks && given.Suspend == nil && !res.IsError}
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

// callTool calls a tool and survives its panic.
func callTool(ctx context.Context, tool Tool, call Call) (res Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = Result{}, fmt.Errorf("tool %s panicked: %v", tool.Definition().Name, p)
		}
	}()
	return tool.Call(ctx, call)
}
