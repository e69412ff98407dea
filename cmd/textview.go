package cmd

import (
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// textView puts the agent's words on stdout and everything else on stderr.
type textView struct {
	out, err *text.Writer
	verbose  bool
	quiet    bool
	bar      string // before each line of the agent's words on a terminal
	midLine  bool   // stdout stands inside a line
	streamed bool   // words of the reply under way were shown as they came
	calls    map[string]string
}

func newTextView(s *streams, g *globals) *textView {
	v := &textView{
		out: s.cleaned(s.Out), err: s.cleaned(s.Err),
		verbose: g.Verbose, quiet: g.Quiet, calls: map[string]string{},
	}
	if s.OutTTY {
		v.bar = wordBar
	}
	return v
}

// wordBar sets the agent's words off where they meet ours on one screen, so
// that they cannot pass for our prompts and commands.
const wordBar = "┃ "

// say prints agent's words.
func (v *textView) say(words string) {
	for line := range strings.SplitAfterSeq(text.Clean(words), "\n") {
		if line == "" {
			continue
		}
		if !v.midLine {
			fmt.Fprint(v.out, v.bar)
		}
		fmt.Fprint(v.out, line)
		v.midLine = !strings.HasSuffix(line, "\n")
	}
}

func (v *textView) endLine() {
	if v.midLine {
		fmt.Fprintln(v.out)
		v.midLine = false
	}
}

// note prints a line of activity.
func (v *textView) note(format string, args ...any) {
	if !v.quiet {
		v.tell(format, args...)
	}
}

// tell prints a line that is never left out.
func (v *textView) tell(format string, args ...any) {
	v.endLine()
	fmt.Fprintf(v.err, format+"\n", args...)
}

func (v *textView) detail(format string, args ...any) {
	if v.verbose {
		v.tell(format, args...)
	}
}

// event shows one event. Payloads that cannot be read are left out: the
// journal keeps them and show prints them.
func (v *textView) event(e agent.Event) {
	switch e.Type {
	case agent.TextDelta:
		shown(e, v.delta)
	case agent.ModelMessage:
		shown(e, v.message)
	case agent.ReasoningDelta, agent.ToolOutputText:
		shown(e, v.aside)
	case agent.ToolCallRequested:
		shown(e, v.call)
	case agent.ToolResult:
		shown(e, v.result)
	case agent.ToolOutputDenied:
		shown(e, v.denied)
	default:
		v.turn(e)
	}
}

// turn shows what steers a run rather than what it says and does.
func (v *textView) turn(e agent.Event) {
	switch e.Type {
	case agent.Start:
		shown(e, func(p agent.StartPayload) {
			v.note("run %s: mode %s, model %s", e.RunID, oneLine(p.Mode, 40), oneLine(p.Model, 80))
		})
	case agent.StepStart:
		shown(e, func(p agent.StepStartPayload) {
			v.detail("· step in mode %s, asking %s", oneLine(p.Mode, 40), oneLine(p.Model, 80))
		})
	case agent.StepFinish:
		shown(e, func(p agent.StepFinishPayload) {
			v.detail("· %d tokens in, %d out", p.Usage.InputTokens, p.Usage.OutputTokens)
		})
	case agent.ToolCallResumed:
		shown(e, func(p agent.ResumedPayload) {
			v.note("answered %s: %s", oneLine(p.ToolName, 40), oneLine(answerText(p.Answer), 80))
		})
	case agent.ModeChanged:
		shown(e, func(p agent.ModeChangedPayload) {
			v.note("mode %s → %s", oneLine(p.PreviousModeID, 40), oneLine(p.ModeID, 40))
		})
	case agent.Grant:
		shown(e, func(p agent.GrantPayload) { v.note("granted for this run: %s", oneLine(p.Rule, 100)) })
	case agent.Pause:
		shown(e, func(p agent.PausePayload) {
			if p.Reason == agent.PauseLimit { // other reasons are told with the status
				v.tell("%s", oneLine(p.Message, 200))
			}
		})
	case agent.RetryNotice:
		shown(e, func(p agent.RetryPayload) {
			v.tell("retrying in %s (attempt %d): %s", p.Wait, p.Attempt, oneLine(p.Cause, 200))
		})
	}
}

// shown decodes an event's payload for show.
func shown[T any](e agent.Event, show func(T)) {
	if p, err := agent.Decode[T](e); err == nil {
		show(p)
	}
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

func (v *textView) aside(p agent.DeltaPayload) {
	if v.verbose {
		v.endLine()
		fmt.Fprint(v.err, setOff(p.Text))
	}
}

func (v *textView) call(p agent.CallPayload) {
	v.calls[p.ToolCallID] = callLine(p)
}

func (v *textView) result(p agent.ResultPayload) {
	line := v.lineOf(p.CallPayload)
	switch {
	case p.Result.IsError:
		v.note("✗ %s: %s", line, oneLine(p.Result.Content, 160))
	case p.Fallback:
		v.note("– %s: nobody was asked", line)
	default:
		v.note("✓ %s", line)
	}
}

func (v *textView) denied(p agent.DeniedPayload) {
	v.note("⊘ %s: denied: %s", v.lineOf(p.CallPayload), oneLine(p.Reason, 160))
}

func (v *textView) lineOf(p agent.CallPayload) string {
	if line, ok := v.calls[p.ToolCallID]; ok {
		return line
	}
	return callLine(p)
}

// outcome shows where the run was left, what is open and what can be done.
func (v *textView) outcome(o outcome) error {
	v.endLine()
	if o.err != nil {
		complain(v.err, o.err)
	}
	fmt.Fprint(v.err, text.Mark(o.diff))
	v.standing(o)
	printNext(v.err, nextCommands(o.state, o.status, o.prefix))
	if err := v.err.Flush(); err != nil {
		return err
	}
	return v.out.Flush()
}

func (v *textView) standing(o outcome) {
	run := o.state.Run
	switch {
	case o.status == agent.StatusSuspended:
		for _, s := range o.state.Open() {
			printSuspension(v.err, s, o.shown)
		}
	case run.Undecided:
		if s, ok := o.state.Undecided(); ok {
			printSuspension(v.err, s, o.shown)
		}
	case o.err != nil:
	default:
		v.tellStatus(run, o.status)
	}
	if o.err == nil {
		v.tellDenied(o)
	}
}

func (v *textView) tellStatus(run agent.Run, status agent.Status) {
	line := statusLine(run, status)
	if status == agent.StatusFinished && run.FinishReason == agent.FinishStop {
		v.note("%s", line)
		return
	}
	v.tell("%s", line)
	if run.Error != nil && run.Error.Hint != "" {
		v.tell("%s", oneLine(run.Error.Hint, 300))
	}
}

func (v *textView) tellDenied(o outcome) {
	for _, d := range o.state.Denied() {
		if d.Cause == agent.DeniedNobody {
			v.tell("denied: %s (%s): %s", oneLine(d.ToolName, 40), oneLine(d.ToolCallID, 60), oneLine(d.Reason, 160))
		}
	}
	if n := len(o.state.Unanswered()); n > 0 && o.status == agent.StatusFinished {
		v.tell("%d %s met nobody and got no answer", n, plural(n, "question or plan", "questions or plans"))
	}
}
