// Package tell says in words for a person what a run does, what it asks and where
// it stands, on screens and on single lines. It decides nothing and knows no
// commands.
//
// Whatever a model, a tool or a file said is cleaned, and set apart from words of
// ours so that it cannot pass for them.
package tell

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Live shows a run at work: the agent's words on one screen and everything else on
// the other. It is for one goroutine.
type Live struct {
	out, err *screen.Screen
	how      Volume
	words    *screen.Gutter // the agent's words
	aside    *screen.Gutter // its reasoning, and output of tools at work
	streamed bool           // words of the reply under way were shown as they came
	calls    map[string]string
	answered map[string]bool // calls a person answered
	rejected map[string]bool // what a person sent back
	unmet    int             // questions and plans of this drive that met nobody
	pending  []string        // calls without a result, as the spinner names them by ID
	watch    stopwatch
	spin     Sign
	todo     []task
}

// Volume is how much is told beside the agent's words.
type Volume struct {
	Verbose bool // reasoning, output of tools, steps, all of each change
	Quiet   bool // only what must be known
}

// NewLive returns a view of one drive. The agent's words go to out, all else to
// err; the sign is at rest whenever something is printed on either.
func NewLive(out, err *screen.Screen, spin Sign, how Volume) *Live {
	v := &Live{
		out: out, err: err, spin: spin, how: how,
		calls: map[string]string{}, answered: map[string]bool{}, rejected: map[string]bool{},
	}
	v.words, v.aside = screen.NewGutter(v.out, ""), screen.NewGutter(v.err, screen.OffBar)
	if out.TTY {
		v.words = screen.NewGutter(v.out, wordBar)
	}
	v.out.Before, v.err.Before = v.spin.Rest, v.spin.Rest
	return v
}

// Sign tells what a run waits for until it is taken back: a *screen.Spinner, which
// may be nil.
type Sign interface {
	Show(label string)
	Rest()
	End()
}

// wordBar sets the agent's words off where they meet ours on one screen, so
// that they cannot pass for our prompts and commands.
const wordBar = "┃ "

// Say prints a piece of the agent's words.
func (v *Live) Say(words string) {
	v.err.Put(v.aside.End())
	v.out.Put(v.words.Add(words))
}

func (v *Live) endLine() {
	v.err.Put(v.aside.End())
	v.out.Put(v.words.End())
}

// note prints a line of activity.
func (v *Live) note(parts ...any) {
	if !v.how.Quiet {
		v.tell(parts...)
	}
}

// tell prints a line that is never left out.
func (v *Live) tell(parts ...any) {
	v.endLine()
	v.err.Line(parts...)
}

func (v *Live) detail(parts ...any) {
	if v.how.Verbose {
		v.tell(v.err.Look.Faint(fmt.Sprint(parts...)))
	}
}

// Event shows one event, in the order of the stream. Payloads that cannot be read are left out: the
// journal keeps them and show prints them.
func (v *Live) Event(e agent.Event) {
	v.watch.see(e)
	switch e.Type {
	case agent.TextDelta:
		shown(e, v.delta)
	case agent.ModelMessage:
		shown(e, v.message)
	case agent.ReasoningDelta:
		shown(e, func(p agent.DeltaPayload) { v.put(p.Text) })
	case agent.ToolOutputText:
		shown(e, func(p agent.OutputPayload) { v.put(p.Text) })
	case agent.ToolCallRequested:
		shown(e, v.call)
	case agent.ToolResult:
		shown(e, func(p agent.ResultPayload) { v.result(p, v.watch.stop(e.At, p)) })
	case agent.ToolOutputDenied:
		shown(e, v.denied)
	default:
		v.turn(e)
	}
	v.busy(e)
}

// turn shows what steers a run rather than what it says and does.
func (v *Live) turn(e agent.Event) {
	switch e.Type {
	case agent.Start:
		shown(e, func(p agent.StartPayload) {
			v.note("run ", e.RunID, ": mode ", text.Field(p.Mode, 40), ", model ", text.Field(p.Model, 80))
		})
	case agent.StepStart:
		shown(e, func(p agent.StepStartPayload) {
			v.detail("· step in mode ", text.Field(p.Mode, 40), ", asking ", text.Field(p.Model, 80))
		})
	case agent.StepFinish:
		shown(e, func(p agent.StepFinishPayload) {
			v.detail("· ", p.Usage.InputTokens, " tokens in, ", p.Usage.OutputTokens, " out")
		})
	case agent.ToolCallResumed:
		shown(e, func(p agent.ResumedPayload) {
			v.answered[p.ToolCallID] = true
			if d, ok := decisionOf(p.Answer); ok && d == agent.Rejected {
				v.rejected[p.ToolCallID] = true
			}
			tool := text.Field(p.ToolName, 40)
			v.note("answered ", tool, ": ", text.Field(answerText(p.Answer), v.err.Fit(80, 11+text.Width(tool))))
		})
	case agent.ModeChanged:
		shown(e, v.mode)
	case agent.Summary:
		shown(e, func(p agent.SummaryPayload) {
			p.Text = ""
			v.note(summaryLine(p))
		})
	case agent.Grant:
		shown(e, func(p agent.GrantPayload) { v.note("granted for this run: ", text.Field(p.Rule, 100)) })
	case agent.Pause:
		shown(e, func(p agent.PausePayload) {
			if p.Reason == agent.PauseLimit { // other reasons are told with the status
				v.tell(text.Field(p.Message, 200))
			}
		})
	case agent.RetryNotice:
		shown(e, func(p agent.RetryPayload) {
			v.tell(v.err.Look.Warn(fmt.Sprintf("retrying %s (attempt %d): ", text.After(time.Duration(p.Wait)), p.Attempt)), text.Field(p.Cause, 200))
		})
	}
}

// shown decodes an event's payload for show.
func shown[T any](e agent.Event, show func(T)) {
	if p, err := agent.Decode[T](e); err == nil {
		show(p)
	}
}

func (v *Live) mode(p agent.ModeChangedPayload) {
	line := "mode " + text.Field(p.PreviousModeID, 40) + " → " + text.Field(p.ModeID, 40)
	if v.err.TTY {
		line = "━━ " + line + " ━━"
	}
	v.note(v.err.Look.Mode(line))
}

func (v *Live) delta(p agent.DeltaPayload) {
	v.streamed = true
	v.Say(p.Text)
}

func (v *Live) message(p agent.MessagePayload) {
	if !v.streamed {
		v.Say(p.Text)
	}
	v.streamed = false
	v.endLine()
}

func (v *Live) put(piece string) {
	if v.how.Verbose {
		v.out.Put(v.words.End())
		v.err.Put(v.aside.Add(piece))
	}
}

func (v *Live) call(p agent.CallPayload) {
	v.calls[p.ToolCallID] = callLine(p)
	v.pending = append(v.pending, p.ToolCallID)
}

func (v *Live) result(p agent.ResultPayload, took string) {
	diff, list := diffOfCall(p), taskList(p)
	facts := callFacts(p, diff, took)
	switch {
	case p.Result.IsError && v.err.TTY:
		v.row(v.err.Look.Bad("✗"), p.CallPayload, facts)
		if !v.how.Quiet && !(v.how.Verbose && p.ToolName == "shell") { // its output was shown
			v.err.SetOff(faultText(p))
		}
	case p.Result.IsError:
		v.row("✗", p.CallPayload, facts, ": ", text.Field(p.Result.Content, 160))
	case p.Fallback:
		v.unmet++
		v.row("–", p.CallPayload, ": nobody was asked")
	case list != nil:
		v.row(v.err.Look.Good("✓"), p.CallPayload, tasksDone(list))
		v.tasks(list)
	case v.rejected[p.ToolCallID] && !v.err.TTY:
		v.row("–", p.CallPayload, facts)
	case v.err.TTY && took == "" && v.answered[p.ToolCallID]: // the answer was told
	default:
		v.row(v.err.Look.Good("✓"), p.CallPayload, facts)
		v.change(p, diff)
	}
}

// change shows what a call changed in a file. A plan is not shown here: it is
// when it is submitted.
func (v *Live) change(p agent.ResultPayload, diff *editDiff) {
	switch {
	case diff == nil, v.how.Quiet, !v.err.TTY && !v.how.Verbose, strings.HasPrefix(p.Result.Changes[0].Path, ".mastracode/plans/"):
	case v.how.Verbose:
		diff.print(v.err, 0)
	default:
		diff.print(v.err, diffRows)
	}
}

func (v *Live) denied(p agent.DeniedPayload) {
	v.row(v.err.Look.Warn("⊘"), p.CallPayload, ": denied: "+text.Field(p.Reason, 160))
}

// row prints the line of a call: on a terminal its name is cut so that the
// facts are seen.
func (v *Live) row(mark any, p agent.CallPayload, facts string, more ...any) {
	line, ok := v.calls[p.ToolCallID]
	if !ok {
		line = callLine(p)
	}
	facts = text.Truncate(facts, v.err.Fit(400, 12))
	line = text.Truncate(line, v.err.Fit(150, 2+text.Width(facts)))
	v.note(append([]any{mark, " ", line, v.err.Look.Faint(facts)}, more...)...)
}

// busy lets the spinner tell what the run is waiting for after an event.
func (v *Live) busy(e agent.Event) {
	switch e.Type {
	case agent.StepStart:
		v.pending = nil
		shown(e, func(p agent.StepStartPayload) { v.spin.Show("asking " + text.Field(p.Model, 80)) })
	case agent.ToolCallRequested, agent.ToolCallStarted:
		shown(e, func(p agent.CallPayload) { v.spin.Show(cmp.Or(v.calls[v.first(p.ToolCallID)], "running")) })
	case agent.ToolResult, agent.ToolOutputDenied:
		shown(e, func(p agent.CallPayload) {
			if next := v.settled(p.ToolCallID); next != "" {
				v.spin.Show(v.calls[next])
			}
		})
	case agent.ToolOutputText:
		if !v.how.Verbose {
			return
		}
		v.spin.Rest()
	case agent.ToolCallSuspended, agent.ToolCallApproval, agent.Pause, agent.Finish, agent.Failure, agent.Abort:
		v.pending = nil
		v.spin.End()
	}
}

// first is the call that is under way: the earliest without a result.
func (v *Live) first(id string) string {
	if len(v.pending) > 0 {
		return v.pending[0]
	}
	return id
}

// settled takes a call off the pending ones and returns the next.
func (v *Live) settled(id string) string {
	for i, p := range v.pending {
		if p == id {
			v.pending = append(v.pending[:i:i], v.pending[i+1:]...)
			break
		}
	}
	return v.first("")
}
