package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// textView puts the agent's words on stdout and everything else on stderr.
type textView struct {
	out, err *screen.Screen
	verbose  bool
	quiet    bool
	words    *screen.Gutter // the agent's words
	aside    *screen.Gutter // its reasoning, and output of tools at work
	streamed bool           // words of the reply under way were shown as they came
	calls    map[string]string
	answered map[string]bool // calls a person answered
	rejected map[string]bool // what a person sent back
	unmet    int             // questions and plans of this drive that met nobody
	pending  []string        // calls without a result, as the spinner names them by ID
	watch    stopwatch
	spin     sign
	todo     []task
}

func newTextView(s *streams, g *globals) *textView {
	v := &textView{
		out: newScreen(s, g, s.Out, s.OutTTY), err: newScreen(s, g, s.Err, s.ErrTTY),
		verbose: g.Verbose, quiet: g.Quiet, calls: map[string]string{}, answered: map[string]bool{}, rejected: map[string]bool{},
	}
	v.words, v.aside = screen.NewGutter(v.out, ""), screen.NewGutter(v.err, screen.OffBar)
	if s.OutTTY {
		v.words = screen.NewGutter(v.out, wordBar)
	}
	v.spin = spinnerOn(s, g, v.err)
	v.out.Before, v.err.Before = v.spin.Rest, v.spin.Rest
	return v
}

// sign tells what a run waits for until it is taken back: a spinner, which may
// be nil.
type sign interface {
	Show(label string)
	Rest()
	End()
}

// wordBar sets the agent's words off where they meet ours on one screen, so
// that they cannot pass for our prompts and commands.
const wordBar = "┃ "

// say prints agent's words.
func (v *textView) say(words string) {
	v.err.Put(v.aside.End())
	v.out.Put(v.words.Add(words))
}

func (v *textView) endLine() {
	v.err.Put(v.aside.End())
	v.out.Put(v.words.End())
}

// note prints a line of activity.
func (v *textView) note(parts ...any) {
	if !v.quiet {
		v.tell(parts...)
	}
}

// tell prints a line that is never left out.
func (v *textView) tell(parts ...any) {
	v.endLine()
	v.err.Line(parts...)
}

func (v *textView) detail(parts ...any) {
	if v.verbose {
		v.tell(v.err.Look.Faint(fmt.Sprint(parts...)))
	}
}

// event shows one event. Payloads that cannot be read are left out: the
// journal keeps them and show prints them.
func (v *textView) event(e agent.Event) {
	v.watch.see(e)
	switch e.Type {
	case agent.TextDelta:
		shown(e, v.delta)
	case agent.ModelMessage:
		shown(e, v.message)
	case agent.ReasoningDelta, agent.ToolOutputText:
		shown(e, v.detailText)
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
func (v *textView) turn(e agent.Event) {
	switch e.Type {
	case agent.Start:
		shown(e, func(p agent.StartPayload) {
			v.note("run ", e.RunID, ": mode ", oneLine(p.Mode, 40), ", model ", oneLine(p.Model, 80))
		})
	case agent.StepStart:
		shown(e, func(p agent.StepStartPayload) {
			v.detail("· step in mode ", oneLine(p.Mode, 40), ", asking ", oneLine(p.Model, 80))
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
			tool := oneLine(p.ToolName, 40)
			v.note("answered ", tool, ": ", oneLine(answerText(p.Answer), v.err.Fit(80, 11+text.Width(tool))))
		})
	case agent.ModeChanged:
		shown(e, v.mode)
	case agent.Summary:
		shown(e, func(p agent.SummaryPayload) {
			p.Text = ""
			v.note(summaryLine(p))
		})
	case agent.Grant:
		shown(e, func(p agent.GrantPayload) { v.note("granted for this run: ", oneLine(p.Rule, 100)) })
	case agent.Pause:
		shown(e, func(p agent.PausePayload) {
			if p.Reason == agent.PauseLimit { // other reasons are told with the status
				v.tell(oneLine(p.Message, 200))
			}
		})
	case agent.RetryNotice:
		shown(e, func(p agent.RetryPayload) {
			v.tell(v.err.Look.Warn(fmt.Sprintf("retrying %s (attempt %d): ", text.After(time.Duration(p.Wait)), p.Attempt)), oneLine(p.Cause, 200))
		})
	}
}

// shown decodes an event's payload for show.
func shown[T any](e agent.Event, show func(T)) {
	if p, err := agent.Decode[T](e); err == nil {
		show(p)
	}
}

func (v *textView) mode(p agent.ModeChangedPayload) {
	line := "mode " + oneLine(p.PreviousModeID, 40) + " → " + oneLine(p.ModeID, 40)
	if v.err.TTY {
		line = "━━ " + line + " ━━"
	}
	v.note(v.err.Look.Mode(line))
}

func (v *textView) delta(p agent.DeltaPayload) {
	v.streamed = true
	v.say(p.Text)
}

func (v *textView) message(p agent.MessagePayload) {
	if !v.streamed {
		v.say(p.Text)
	}
	v.streamed = false
	v.endLine()
}

func (v *textView) detailText(p agent.DeltaPayload) {
	if v.verbose {
		v.out.Put(v.words.End())
		v.err.Put(v.aside.Add(p.Text))
	}
}

func (v *textView) call(p agent.CallPayload) {
	v.calls[p.ToolCallID] = callLine(p)
	v.pending = append(v.pending, p.ToolCallID)
}

func (v *textView) result(p agent.ResultPayload, took string) {
	diff, list := diffOfCall(p), taskList(p)
	facts := callFacts(p, diff, took)
	switch {
	case p.Result.IsError && v.err.TTY:
		v.row(v.err.Look.Bad("✗"), p.CallPayload, facts)
		if !v.quiet && !(v.verbose && p.ToolName == "shell") { // its output was shown
			v.err.SetOff(faultText(p))
		}
	case p.Result.IsError:
		v.row("✗", p.CallPayload, facts, ": ", oneLine(p.Result.Content, 160))
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
func (v *textView) change(p agent.ResultPayload, diff *editDiff) {
	switch {
	case diff == nil, v.quiet, !v.err.TTY && !v.verbose, strings.HasPrefix(p.Result.Changes[0].Path, ".mastracode/plans/"):
	case v.verbose:
		diff.print(v.err, 0)
	default:
		diff.print(v.err, diffRows)
	}
}

func (v *textView) denied(p agent.DeniedPayload) {
	v.row(v.err.Look.Warn("⊘"), p.CallPayload, ": denied: "+oneLine(p.Reason, 160))
}

// row prints the line of a call: on a terminal its name is cut so that the
// facts are seen.
func (v *textView) row(mark any, p agent.CallPayload, facts string, more ...any) {
	line, ok := v.calls[p.ToolCallID]
	if !ok {
		line = callLine(p)
	}
	facts = text.Truncate(facts, v.err.Fit(400, 12))
	line = text.Truncate(line, v.err.Fit(150, 2+text.Width(facts)))
	v.note(append([]any{mark, " ", line, v.err.Look.Faint(facts)}, more...)...)
}

// busy lets the spinner tell what the run is waiting for after an event.
func (v *textView) busy(e agent.Event) {
	switch e.Type {
	case agent.StepStart:
		v.pending = nil
		shown(e, func(p agent.StepStartPayload) { v.spin.Show("asking " + oneLine(p.Model, 80)) })
	case agent.ToolCallRequested, agent.ToolCallStarted:
		shown(e, func(p agent.CallPayload) { v.spin.Show(firstOf(v.calls[v.first(p.ToolCallID)], "running")) })
	case agent.ToolResult, agent.ToolOutputDenied:
		shown(e, func(p agent.CallPayload) {
			if next := v.settled(p.ToolCallID); next != "" {
				v.spin.Show(v.calls[next])
			}
		})
	case agent.ToolOutputText:
		if !v.verbose {
			return
		}
		v.spin.Rest()
	case agent.ToolCallSuspended, agent.ToolCallApproval, agent.Pause, agent.Finish, agent.Failure, agent.Abort:
		v.pending = nil
		v.spin.End()
	}
}

// first is the call that is under way: the earliest without a result.
func (v *textView) first(id string) string {
	if len(v.pending) > 0 {
		return v.pending[0]
	}
	return id
}

// settled takes a call off the pending ones and returns the next.
func (v *textView) settled(id string) string {
	for i, p := range v.pending {
		if p == id {
			v.pending = append(v.pending[:i:i], v.pending[i+1:]...)
			break
		}
	}
	return v.first("")
}
