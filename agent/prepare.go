package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	given, asks := d.callOf(c, mode), def.Asks == KindQuestion || def.Asks == KindPlan
	w := work{call: c, effect: def.Effect, asks: asks}
	if asks && given.Suspend == nil && d.expected != nil {
		alone := given
		w.unasked = func(ctx context.Context) outcome { return d.invoke(ctx, tool, def, alone) }
		given.Suspend = suspend
	}
	if changer, ok := tool.(Changer); ok {
		w.intent = func(ctx context.Context) ([]FileChange, [][]byte) { return intentOf(ctx, changer, given) }
	}
	if gate := d.a.cfg.Gate; gate != nil && !asks {
		w.gate = func(ctx context.Context) error { return gate(ctx, def, given) }
	}
	w.run = func(ctx context.Context, output func(string)) outcome {
		given.Output = output
		return d.invoke(ctx, tool, def, given)
	}
	return w
}

// suspend is Call.Suspend of tools that may ask.
func suspend(payload any) (Result, error) { return Result{suspend: &suspendRequest{payload}}, nil }

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
		Suspensions: c.own(), Approved: c.approved(), Seen: maps.Clone(d.st.seen), Intended: slices.Clone(c.intended), Blob: d.a.cfg.Store.Blob,
	}
	if d.canAsk(mode) {
		given.Suspend = suspend
	}
	return given
}

// approved reports whether a person allowed this call.
func (c *call) approved() bool {
	s := c.newest(KindApproval)
	return s != nil && s.Answer != nil && s.Answer.decision().Action == Approved
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

// expects reports whether an answer to a request that is not recorded yet is
// at hand.
func (d *drive) expects(c *call, s suspension) bool {
	if d.expected == nil {
		return false
	}
	payload, err := json.Marshal(s.payload)
	return err == nil && d.expected(Suspension{
		Call: c.place, ToolCallID: c.ID, N: len(c.suspensions) + 1, Kind: s.kind, ToolName: c.Name, Args: slices.Clone(c.Args),
		Payload: payload, Schema: string(s.schema), State: SuspensionOpen,
	})
}

// doubt deals with a call that another process started and of which nothing
// is known since. Read-only and idempotent ones are simply run again.
func (d *drive) doubt(c *call, effect Effect, mode Mode) outcome {
	if !c.inFlight || d.started[c.ID] || effect != EffectOnce {
		return outcome{}
	}
	if c.happened {
		return outcome{result: &Result{
			Content: "The user confirmed that this call took effect. Its output was lost.", Changes: c.intended,
		}}
	}
	if !d.canAsk(mode) {
		return failed(unknownOutcome)
	}
	return outcome{suspend: &suspension{kind: KindInDoubt, schema: doubtSchema, payload: Doubt{
		Message: "The process that ran this call died, or lost the run, before its result was known. The call may have taken effect, wholly or in part, and what it started may still be at work.",
		Started: c.startedAt,
	}}}
}

// unknownOutcome is what the model reads of a call in doubt that nobody could
// be asked about.
const unknownOutcome = "The process that ran this call died or lost the run. Whether the call took effect is unknown; check before you repeat it."

// permission asks the policy about a call; what a person answered stands, but
// for a rule that denies. Tools that ask a person themselves are never gated.
func (d *drive) permission(c *call, def Definition, mode Mode) outcome {
	if d.a.cfg.Permission == nil || def.Asks == KindQuestion || def.Asks == KindPlan {
		return outcome{}
	}
	v := d.a.cfg.Permission.Decide(PermissionRequest{
		CallID: c.ID, Tool: def, Args: c.Args, Mode: mode, Workspace: d.st.Run.Workspace, Grants: d.st.Grants(),
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
