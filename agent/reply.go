package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// maxEmpties is how many empty replies in a row fail a run, maxCuts how many
// cut ones pause it.
const (
	maxEmpties = 3
	maxCuts    = 3
)

// goOnFromCut is what the model reads after a reply of its own that was cut.
const goOnFromCut = "Your reply was cut off at its greatest length. Go on where it ends; do not repeat what you wrote."

// record writes a reply down. One without calls ends the turn, in the same
// transaction, unless the person said something meanwhile.
func (d *drive) record(ctx context.Context, m Model, reply *Reply) (done bool, err error) {
	d.faults = 0
	usage := d.priced(m, reply.Usage)
	usage.Steps = 1
	if reply.End == EndRefused {
		reply.ToolCalls = nil // nothing it began to ask for is to be done
	}
	calls := d.uniqueCalls(reply.ToolCalls)
	message := MessagePayload{
		Text: reply.Text, ToolCalls: calls, Usage: usage, Model: m.ID(),
		FinishReason: reply.FinishReason, End: reply.End, Blocks: reply.Blocks,
	}
	if _, err := json.Marshal(message); err != nil {
		return true, d.fail(ctx, CodeProvider, fmt.Sprintf("the reply of %s cannot be recorded: %v", m.ID(), err))
	}
	d.stage(ModelMessage, message)
	for _, c := range calls {
		d.stage(ToolCallRequested, CallPayload{ToolCallID: c.ID, ToolName: c.Name})
	}
	if len(calls) > 0 {
		return false, d.err // committed before the first of them is run
	}
	d.stage(StepFinish, StepFinishPayload{FinishReason: reply.End.reason(), Usage: usage})
	return d.turnEnded(ctx, m, reply.End)
}

// maxReply is how many bytes of a reply are kept. Every later request carries
// them.
const maxReply = 16 << 20

// checked is the reply as the loop works with it: of a size that can be kept,
// with counts that mean something.
func (r *Reply) checked(id string) (*Reply, error) {
	n := len(r.Text) + len(r.Blocks)
	for _, c := range r.ToolCalls {
		n += len(c.ID) + len(c.Name) + len(c.Args)
	}
	if n > maxReply {
		return nil, &ProviderError{
			Message: fmt.Sprintf("the reply of %s is larger than %d MiB", id, maxReply>>20),
			Hint:    "continue the run to ask again, or go on with another model",
		}
	}
	out := *r
	out.Usage = r.Usage.plausible()
	return &out, nil
}

// plausible takes what a provider cannot mean for nothing: counts below zero,
// and such that sums of them would overflow.
func (u Usage) plausible() Usage {
	for _, n := range []*int64{&u.InputTokens, &u.OutputTokens, &u.CacheReadTokens, &u.CacheWriteTokens, &u.ReasoningTokens} {
		if *n < 0 || *n > maxTokens {
			*n = 0
		}
	}
	if c := u.Cost; c != nil && !(*c >= 0 && *c <= maxCost) {
		u.Cost = nil
	}
	return u
}

// What one reply can use at most, with room for what is to come.
const (
	maxTokens = 1 << 40
	maxCost   = 1e6 // dollars
)

// reason is the word for a step that ended so.
func (e End) reason() string {
	switch e {
	case EndCut:
		return FinishLength
	case EndRefused:
		return FinishRefused
	}
	return FinishStop
}

// turnEnded decides what follows a reply without calls.
func (d *drive) turnEnded(ctx context.Context, m Model, end End) (done bool, err error) {
	switch {
	case d.err != nil:
	case d.st.cuts >= maxCuts:
		return true, d.pause(ctx, PausePayload{
			Reason: PauseProvider, Retryable: true,
			Message: fmt.Sprintf("%d replies of %s in a row were cut off at their greatest length", d.st.cuts, m.ID()),
			Hint:    "continue the run to let it go on, or go on with another model",
		})
	case end == EndRefused:
		return true, d.pause(ctx, PausePayload{
			Reason: PauseProvider, Message: m.ID() + " declined: " + oneLine(d.st.Run.Text),
			Hint: "say it in other words with a message, or go on with another model",
		})
	case d.st.lastIsUser():
	case d.st.empties >= maxEmpties:
		return true, d.fail(ctx, CodeProvider, fmt.Sprintf("%s gave %d empty replies in a row", m.ID(), d.st.empties))
	case d.st.empties == 0:
		return true, d.finish(ctx, FinishStop)
	}
	return false, d.flush(ctx, true)
}

// oneLine is the beginning of a text as part of a sentence.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}

// priced puts the cost to tokens, unless the provider named it itself.
func (d *drive) priced(m Model, u Usage) Usage {
	if prices := d.a.cfg.Facts(m.ID()).Prices; u.Cost == nil && prices != nil {
		cost := prices.of(u)
		u.Cost = &cost
	}
	return u
}

// lastIsUser reports whether the conversation ends with words of the person
// that the model has not seen.
func (st *State) lastIsUser() bool {
	n := len(st.messages)
	return st.empties == 0 && n > 0 && st.messages[n-1].Role == RoleUser
}

func (d *drive) finish(ctx context.Context, reason string) error {
	d.survey(ctx, SurveyEnd)
	d.stage(Finish, FinishPayload{FinishReason: reason, Usage: d.st.Run.Usage, Text: d.st.Run.Text})
	return d.flush(ctx, false)
}

// uniqueCalls gives every call an ID that no other call of the run has, that
// JSON can hold and Suspension.Ref can name, and makes arguments that are no
// JSON a JSON string, so that they can be kept.
func (d *drive) uniqueCalls(calls []ToolCall) []ToolCall {
	out := make([]ToolCall, len(calls))
	taken := make(map[string]bool, len(calls))
	used := func(id string) bool { return id == "" || taken[id] || d.st.calls[id] != nil }
	for i, c := range calls {
		c.ID = plainID(c.ID)
		want := c.ID
		for n := 2; used(c.ID); n++ {
			if c.ID = fmt.Sprintf("%s-%d", want, n); want == "" {
				c.ID = fmt.Sprintf("call_%d", len(d.st.calls)+i+n-1)
			}
		}
		taken[c.ID] = true
		switch {
		case len(bytes.TrimSpace(c.Args)) == 0:
			c.Args = json.RawMessage(`{}`)
		case !json.Valid(c.Args) || depth(c.Args) > maxDepth:
			c.Args, _ = json.Marshal(string(c.Args)) // a string always encodes
		}
		out[i] = c
	}
	return out
}

// plainID is an ID as a person can see and type it, short enough for a line.
func plainID(id string) string {
	const most = 256
	id = strings.Map(func(r rune) rune {
		if r == '#' || unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return '-'
		}
		return r
	}, strings.ToValidUTF8(id, "\uFFFD"))
	if r := []rune(id); len(r) > most {
		id = string(r[:most])
	}
	return id
}

// maxDepth is how deep arguments may nest. encoding/json refuses 10,000, and
// what we wrap them in nests too.
const maxDepth = 1000

// depth is how deep valid JSON nests.
func depth(raw json.RawMessage) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
