package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// outcome shows where the run was left, what is open and what can be done.
func (v *textView) outcome(o outcome) error {
	v.spin.End()
	v.endLine()
	if o.err != nil {
		v.complain(o.err)
	}
	v.changedPlan(o)
	v.standing(o)
	if o.err == nil {
		if o.status == agent.StatusSuspended {
			v.apart()
		}
		v.tellDenied(o)
		v.sum(o)
	}
	printNext(v.err, nextCommands(o.state, o.status, o.prefix))
	if err := v.err.Flush(); err != nil {
		return err
	}
	return v.out.Flush()
}

// complain prints an error and its next step. On a terminal only its first
// line begins a row: others may be somebody's words.
func (v *textView) complain(err error) {
	message, hint := text.Clean(err.Error()), text.Clean(hintOf(err))
	if v.err.TTY {
		message, hint = strings.ReplaceAll(message, "\n", "\n"+screen.Hanging), strings.ReplaceAll(hint, "\n", "\n"+screen.Hanging)
	}
	v.err.Line(v.err.Look.Bad("agent:"), " ", message)
	if hint != "" {
		v.err.Line(hint)
	}
}

// changedPlan shows how the plan that is open differs from the one that was
// decided on.
func (v *textView) changedPlan(o outcome) {
	switch {
	case o.diff == "":
	case v.err.TTY:
		v.err.SetOffInk(v.err.Look.Diff(o.diff, v.err.Inside()))
	default:
		v.err.Put(text.Mark(o.diff))
	}
}

func (v *textView) standing(o outcome) {
	run := o.state.Run
	switch {
	case o.status == agent.StatusSuspended:
		for _, s := range o.state.Open() {
			v.apart()
			printSuspension(v.err, s, o.unseen())
		}
	case run.Undecided:
		if s, ok := o.state.Undecided(); ok {
			v.apart()
			printSuspension(v.err, s, o.unseen())
		}
	case o.err != nil:
	default:
		v.apart()
		v.tellStatus(run, o.status)
	}
}

// apart sets what follows apart from what was told before.
func (v *textView) apart() {
	if v.err.TTY && !v.quiet {
		v.err.Line()
	}
}

// unseen are the texts to show, without the differences that were shown
// already.
func (o outcome) unseen() planSources {
	if o.diff == "" {
		return o.shown
	}
	texts := planSources{}
	for digest, t := range o.shown {
		texts[digest] = planText{source: t.source}
	}
	return texts
}

func (v *textView) tellStatus(run agent.Run, status agent.Status) {
	line := statusLine(run, status)
	if status == agent.StatusFinished && run.FinishReason == agent.FinishStop {
		v.note(v.err.Look.Good(line))
		return
	}
	look := v.err.Look.Warn
	if status == agent.StatusFailed || status == agent.StatusCanceled {
		look = v.err.Look.Bad
	}
	v.tell(look(line))
	if run.Error != nil && run.Error.Hint != "" {
		v.tell(oneLine(run.Error.Hint, 300))
	}
}

func (v *textView) tellDenied(o outcome) {
	for _, d := range o.state.Denied() {
		if d.Cause == agent.DeniedNobody {
			v.tell("denied: ", oneLine(d.ToolName, 40), " (", oneLine(d.ToolCallID, 60), "): ", oneLine(d.Reason, 160))
		}
	}
}

// sum closes with what the run took so far and what it changed.
func (v *textView) sum(o outcome) {
	run := o.state.Run
	facts := append([]string{"mode " + oneLine(run.Mode, 40)}, usageFacts(run.Usage)...)
	facts = append(facts, "driven "+text.Took(time.Duration(run.Driven)))
	if o.status == agent.StatusSuspended || run.Undecided {
		v.note(v.err.Look.Warn(statusLine(run, o.status))) // else it was told
	}
	if v.unmet > 0 && o.status == agent.StatusFinished {
		v.tell(v.unmet, " ", text.Plural(v.unmet, "question or plan", "questions or plans"), " met nobody and got no answer")
	}
	v.note(v.err.Look.Faint("  " + strings.Join(facts, " · ")))
	changed := changedFiles(o.events)
	for i, c := range changed {
		if i == mostChanged && !v.verbose {
			v.note(v.err.Look.Faint(fmt.Sprintf("  … and %d more", len(changed)-i)))
			return
		}
		mark := v.err.Look.Warn("~")
		if c.Before == "" {
			mark = v.err.Look.Good("+")
		}
		v.note("  ", mark, " ", oneLine(c.Path, v.err.Fit(200, 4)))
	}
}

// mostChanged is how many changed files are named.
const mostChanged = 12

// changedFiles are the files a journal's calls wrote, in the order they were
// first written, each with what there was before the run. Commands that wrote
// files do not tell.
func changedFiles(events []agent.Event) []agent.FileChange {
	var files []agent.FileChange
	seen := map[string]bool{}
	for _, e := range events {
		if e.Type != agent.ToolResult {
			continue
		}
		shown(e, func(p agent.ResultPayload) {
			for _, c := range p.Result.Changes {
				if !seen[c.Path] {
					seen[c.Path] = true
					files = append(files, c)
				}
			}
		})
	}
	return files
}
