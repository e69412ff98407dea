package cmd

import (
	"errors"
	"fmt"
	"io"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/report"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// view shows a run at work and where it was left, in one output format.
type view interface {
	event(e agent.Event)
	outcome(o outcome) error
}

func (w *wiring) view() view {
	switch w.g.Output {
	case outputJSON:
		return &jsonView{out: w.io.Out, err: w.io.Cleaned(w.io.Err)}
	case outputJSONL:
		return &jsonView{out: w.io.Out, err: w.io.Cleaned(w.io.Err), lines: true}
	}
	return newTextView(w.io, w.g)
}

// textView tells a person.
type textView struct {
	live *tell.Live
	err  *screen.Screen
}

func newTextView(s *iostreams.Streams, g *globals) *textView {
	out, err := newScreen(s, g, s.Out, s.OutTTY), newScreen(s, g, s.Err, s.ErrTTY)
	return &textView{err: err, live: tell.NewLive(out, err, spinnerOn(s, g, err), tell.Volume{Verbose: g.Verbose, Quiet: g.Quiet})}
}

func (v *textView) event(e agent.Event) { v.live.Event(e) }

// outcome shows where the run was left, what is open and what can be done.
func (v *textView) outcome(o outcome) error {
	l := tell.Left{State: o.state, Status: o.status, Events: o.events, Plans: o.shown, Diff: o.diff, Fault: o.err}
	if o.err != nil {
		l.Hint = exit.Hint(o.err)
	}
	v.live.Left(l)
	next.Print(v.err, next.Of(o.state, o.status, o.prefix))
	return v.live.Flush()
}

// jsonView prints the final object, after a line for each event if lines.
type jsonView struct {
	out   io.Writer
	err   *text.Writer
	lines bool
}

func (v *jsonView) event(e agent.Event) {
	if v.lines {
		_ = printJSON(v.out, e) // a reader that left is noticed by the drive
	}
}

func (v *jsonView) outcome(o outcome) error {
	if o.err != nil {
		mention(v.err, o.err)
	} else if o.code == exit.Failure || o.code == exit.Paused {
		fmt.Fprintln(v.err, tell.Status(o.state.Run, o.status))
	}
	fmt.Fprint(v.err, text.Mark(o.diff))
	if err := v.err.Flush(); err != nil {
		return err
	}
	return v.result(o.report())
}

func (v *jsonView) result(r report.Final) error {
	if v.lines {
		return printJSON(v.out, resultLine{Type: "result", Payload: r})
	}
	return printJSON(v.out, r)
}

// resultLine is the last line of jsonl output.
type resultLine struct {
	Type    string `json:"type"`
	Payload any    `json:"payload"`
}

// conclude maps what a command returned to its exit code, and reports what was
// not reported yet.
func conclude(s *iostreams.Streams, g *globals, err error) int {
	if err == nil {
		return written(s, exit.OK)
	}
	if code, ok := exit.Reported(err); ok {
		return written(s, code)
	}
	code := exit.Of(err)
	if g.reached != nil && errors.Is(err, agent.ErrRunNotFound) {
		err = exit.Hintf(err, "it was there: somebody deleted it meanwhile")
	}
	err = masked(s, g, err)
	r := g.report().Failed(err, code)
	if fault := g.result.write(r); fault != nil {
		mention(s.Cleaned(s.Err), fault)
	}
	if !g.machine() {
		complain(s.Cleaned(s.Err), err)
		return code
	}
	mention(s.Cleaned(s.Err), err)
	v := &jsonView{out: s.Out, lines: g.Output == outputJSONL}
	_ = v.result(r) // the code tells enough
	return written(s, code)
}

// written adds that the result could not be written; success is then none.
func written(s *iostreams.Streams, code int) int {
	fault := s.Fault()
	if fault == nil {
		return code
	}
	complain(s.Cleaned(s.Err), fmt.Errorf("write result: %w", fault))
	return max(code, exit.Failure)
}
