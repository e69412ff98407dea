package tell

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Left is where a command left a run.
type Left struct {
	State  *agent.State
	Status agent.Status // as the store knows it
	Events []agent.Event
	Plans  Plans  // texts of the plans that wait
	Diff   string // between the plan that was decided on and the one that waits; "" for none
	Fault  error  // why a command did not do what it was asked; nil if it did
	Hint   string // what can be done about that; may be ""
}

// Left shows where the run was left and what is open: the end of the drive.
func (v *Live) Left(l Left) {
	v.spin.End()
	v.endLine()
	if l.Fault != nil {
		v.complain(l.Fault, l.Hint)
	}
	v.changedPlan(l)
	v.standing(l)
	if l.Fault == nil {
		if l.Status == agent.StatusSuspended {
			v.apart()
		}
		v.tellDenied(l)
		v.sum(l)
	}
}

// Flush ends the row that is open and writes what both screens hold back. The
// error is that of their writers.
func (v *Live) Flush() error {
	v.endLine()
	if err := v.err.Flush(); err != nil {
		return err
	}
	return v.out.Flush()
}

// complain prints an error and its next step. On a terminal only its first
// line begins a row: others may be somebody's words.
func (v *Live) complain(err error, hint string) {
	message, hint := text.Clean(err.Error()), text.Clean(hint)
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
func (v *Live) changedPlan(l Left) {
	switch {
	case l.Diff == "":
	case v.err.TTY:
		v.err.SetOffInk(v.err.Look.Diff(l.Diff, v.err.Inside()))
	default:
		v.err.Put(text.Mark(l.Diff))
	}
}

func (v *Live) standing(l Left) {
	run, plans := l.State.Run, l.Plans
	if l.Diff != "" {
		plans = plans.withoutDiffs()
	}
	switch {
	case l.Status == agent.StatusSuspended:
		for _, s := range l.State.Open() {
			v.apart()
			Open(v.err, s, plans)
		}
	case run.Undecided:
		if s, ok := l.State.Undecided(); ok {
			v.apart()
			Open(v.err, s, plans)
		}
	case l.Fault != nil:
	default:
		v.apart()
		v.tellStatus(run, l.Status)
	}
}

// apart sets what follows apart from what was told before.
func (v *Live) apart() {
	if v.err.TTY && !v.how.Quiet {
		v.err.Line()
	}
}

func (v *Live) tellStatus(run agent.Run, status agent.Status) {
	line := Status(run, status)
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
		v.tell(text.Field(run.Error.Hint, 300))
	}
}

func (v *Live) tellDenied(l Left) {
	for _, d := range l.State.Denied() {
		if d.Cause == agent.DeniedNobody {
			v.tell("denied: ", text.Field(d.ToolName, 40), " (", text.Field(d.ToolCallID, 60), "): ", text.Field(d.Reason, 160))
		}
	}
}

// sum closes with what the run took so far and what it changed.
func (v *Live) sum(l Left) {
	run := l.State.Run
	facts := append([]string{"mode " + text.Field(run.Mode, 40)}, Usage(run.Usage)...)
	facts = append(facts, "driven "+text.Took(time.Duration(run.Driven)))
	if l.Status == agent.StatusSuspended || run.Undecided {
		v.note(v.err.Look.Warn(Status(run, l.Status))) // else it was told
	}
	if v.unmet > 0 && l.Status == agent.StatusFinished {
		v.tell(v.unmet, " ", text.Plural(v.unmet, "question or plan", "questions or plans"), " met nobody and got no answer")
	}
	v.note(v.err.Look.Faint("  " + strings.Join(facts, " · ")))
	changed := changedFiles(l.Events)
	for i, c := range changed {
		if i == mostChanged && !v.how.Verbose {
			v.note(v.err.Look.Faint(fmt.Sprintf("  … and %d more", len(changed)-i)))
			return
		}
		mark := v.err.Look.Warn("~")
		if c.Before == "" {
			mark = v.err.Look.Good("+")
		}
		v.note("  ", mark, " ", text.Field(c.Path, v.err.Fit(200, 4)))
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
