// Package ask asks a person at a terminal about what a run waits for: questions,
// plans, calls, what to do next. It shows the whole of each, and knows nothing of
// how a run is driven; what is decided is returned.
package ask

import (
	"context"
	"fmt"
	"os"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Person is who sits at a terminal: it is shown what is open, one item after
// another, and asked. A Person is for one goroutine.
//
// The first choice of every prompt is where the cursor stands, and decides
// nothing. So do Ctrl-C, Ctrl-D, a signal and a terminal that is gone: they are
// terminal.ErrLeft.
type Person struct {
	Console *terminal.Console
	Screen  *screen.Screen // on the same terminal
	Editor  Editor         // not needed for Pick
	Desk    Desk           // needed for Attend
	// Pager shows a text on out, the terminal, until it is left or ctx ends. nil:
	// there is none, and the terminal's own memory of what was printed has to do.
	Pager func(ctx context.Context, text []byte, out *os.File) error

	later map[string]bool         // refs the person does not want to decide on now
	about func(on *screen.Screen) // shows what the open prompt is about, in short; may be nil
	full  func(on *screen.Screen) // shows all of it; may be nil
}

// Desk is where answers take effect: the run they are for.
type Desk interface {
	// Waiting reads a run as it stands now, and what a person can decide on in it.
	Waiting(ctx context.Context, runID string) (*agent.State, []agent.Suspension, error)
	// Plans are the texts of the plans that wait in a run. One that cannot be read
	// is left out.
	Plans(ctx context.Context, st *agent.State) tell.Plans
	// AfterApproval is the mode a run in this mode goes on in once its plan is
	// approved.
	AfterApproval(mode string) string
	// PlanFile returns the file of an open plan, written anew if it is gone. The
	// error is for the person.
	PlanFile(ctx context.Context, st *agent.State, sus agent.Suspension) (string, error)
	// Revise records the file of an open plan as its next revision, if it was
	// changed. The error is for the person who changed it.
	Revise(ctx context.Context, runID string, sus agent.Suspension) (changed bool, err error)
}

// Reply is an answer to one suspension, in a form package agent takes for its kind.
type Reply struct {
	To     agent.Suspension
	Answer any
	Fresh  bool // the model is to go on with a fresh context
}

// DecideLater is the first choice wherever something is decided.
const DecideLater = "Decide later"

// Attend asks about what waits in a run until there is an answer, and leaves out
// what the person wanted to decide later. It returns terminal.ErrLeft when there is
// none. Each answer should take effect before the next is asked for, so that leaving
// loses none.
func (p *Person) Attend(ctx context.Context, st *agent.State, waiting []agent.Suspension) (*Reply, error) {
	for i, sus := range waiting {
		if p.later[sus.Ref()] {
			continue
		}
		count := ""
		if len(waiting) > 1 {
			count = fmt.Sprintf(" %d of %d", i+1, len(waiting))
		}
		r, err := p.meet(ctx, item{st: st, sus: sus, count: count})
		if r != nil || err != nil {
			return r, err
		}
		if p.later == nil {
			p.later = map[string]bool{}
		}
		p.later[sus.Ref()] = true
	}
	return nil, terminal.ErrLeft
}

// item is one open request as a prompt shows it.
type item struct {
	st    *agent.State
	sus   agent.Suspension
	count string // " 1 of 2" among several, else ""
}

func (i item) answered(answer any) *Reply { return &Reply{To: i.sus, Answer: answer} }

// meet asks about one item; no reply means that it is decided later.
func (p *Person) meet(ctx context.Context, i item) (*Reply, error) {
	switch i.sus.Kind {
	case agent.KindQuestion:
		return p.question(ctx, i)
	case agent.KindPlan:
		return p.plan(ctx, i)
	case agent.KindApproval:
		return p.approval(ctx, i)
	case agent.KindInDoubt:
		return p.doubt(ctx, i)
	}
	p.show(ctx, p.Screen, i)
	p.Tell("%s is answered with a command: see below.", text.Field(i.sus.ToolName, 40))
	return nil, nil
}

// Present shows what the prompts that follow are about, now and again where it
// was pushed out of sight.
func (p *Person) Present(about func(on *screen.Screen)) {
	p.about, p.full = about, about
	about(p.Screen)
	p.flush()
}

// show prints an item in full.
func (p *Person) show(ctx context.Context, on *screen.Screen, i item) {
	on.Line()
	tell.Open(on, i.sus, p.Desk.Plans(ctx, i.st))
}

// Tell prints a line of ours, as fmt.Sprintf has it.
func (p *Person) Tell(format string, args ...any) {
	p.Screen.Line(fmt.Sprintf(format, args...))
	p.flush()
}

func (p *Person) flush() { _ = p.Screen.Flush() } // a terminal that is gone is noticed by the next read

// Pick lets the person choose one, and returns its index; the first choice must
// decide nothing. The error is terminal.ErrLeft.
func (p *Person) Pick(ctx context.Context, message string, choices []terminal.Choice) (int, error) {
	return p.Console.Pick(ctx, p.list(ctx, message, choices))
}

func (p *Person) list(ctx context.Context, message string, choices []terminal.Choice) terminal.List {
	l := terminal.List{Message: message, Choices: choices, Plain: !p.Screen.Look.On}
	if p.about != nil {
		l.About = func() { p.about(p.Screen); p.flush() }
	}
	l.Read, l.Above = p.reader(ctx)
	return l
}
