package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// prompter is the attendant at a terminal: it shows what is open, one item
// after another, and asks. Each answer is given to the run at once, so that
// leaving the next prompt loses none.
//
// The first choice of every prompt is where the cursor stands, and decides
// nothing. So do Ctrl-C, Ctrl-D, a signal and a terminal that is gone.
type prompter struct {
	s      *session
	tty    *terminal.Console
	screen *screen.Screen
	later  map[string]bool         // refs the person does not want to decide on now
	about  func(on *screen.Screen) // shows what the open prompt is about, in short; may be nil
	full   func(on *screen.Screen) // shows all of it; may be nil
}

// decideLater is the first choice wherever something is decided.
const decideLater = "Decide later"

// seat gives the session its attendant: a person if one can be asked.
func (s *session) seat() {
	s.asks = absent{}
	if s.w.io.Console != nil && s.w.io.interactive() {
		s.asks = &prompter{s: s, tty: s.w.io.Console, screen: s.w.errScreen(), later: map[string]bool{}}
	}
}

// person is the one who can be asked; nil where nobody is there or is to be
// asked.
func (s *session) person() *prompter {
	p, ok := s.asks.(*prompter)
	if !ok || !s.meets.Prompt {
		return nil
	}
	return p
}

// talks reports whether a person who can be asked reads the output too. Where
// it goes elsewhere, whoever reads it waits for the end of the command.
func (s *session) talks() bool {
	return s.person() != nil && s.w.io.OutTTY && !s.w.g.machine()
}

// attend asks about what is open until there is an answer. It returns terminal.ErrLeft
// when there is none.
func (p *prompter) attend(ctx context.Context, st *agent.State) ([]reply, error) {
	waiting := waitingOf(st)
	for i, sus := range waiting {
		if p.later[sus.Ref()] {
			continue
		}
		count := ""
		if len(waiting) > 1 {
			count = fmt.Sprintf(" %d of %d", i+1, len(waiting))
		}
		r, err := p.meet(ctx, item{st: st, sus: sus, count: count})
		if err != nil {
			return nil, err
		}
		if r != nil {
			return []reply{*r}, nil
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

func (i item) answered(answer any) *reply { return &reply{to: i.sus, answer: answer} }

// meet asks about one item; no reply means that it is decided later.
func (p *prompter) meet(ctx context.Context, i item) (*reply, error) {
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
	p.show(ctx, p.screen, i)
	p.tell("%s is answered with a command: see below.", text.Field(i.sus.ToolName, 40))
	return nil, nil
}

// present shows what the prompts that follow are about, now and again where it
// was pushed out of sight.
func (p *prompter) present(about func(on *screen.Screen)) {
	p.about, p.full = about, about
	about(p.screen)
	p.flush()
}

// show prints an item in full.
func (p *prompter) show(ctx context.Context, on *screen.Screen, i item) {
	on.Line()
	tell.Open(on, i.sus, sourcesOf(ctx, p.s.store, i.st))
}

// tell prints a line of ours.
func (p *prompter) tell(format string, args ...any) {
	p.screen.Line(fmt.Sprintf(format, args...))
	p.flush()
}

func (p *prompter) flush() { _ = p.screen.Flush() } // a terminal that is gone is noticed by the next read

// pick lets a person choose one of what is open for them; the first choice
// decides nothing. The error is terminal.ErrLeft.
func (p *prompter) pick(ctx context.Context, message string, choices []terminal.Choice) (int, error) {
	return p.tty.Pick(ctx, p.list(message, choices))
}

func (p *prompter) list(message string, choices []terminal.Choice) terminal.List {
	l := terminal.List{Message: message, Choices: choices, Plain: !p.screen.Look.On}
	if p.about != nil {
		l.About = func() { p.about(p.screen); p.flush() }
	}
	l.Read, l.Above = p.reader()
	return l
}

// ourWords says how a line is typed.
const ourWords = "Enter sends, Ctrl-G opens an editor, Enter alone goes back"

// words lets a person type a text, or write it in the editor. It is "" if they
// did not. about is what the editor shows below it.
func (p *prompter) words(ctx context.Context, runID, about string) (string, error) {
	typed, edit := "", false
	for {
		var err error
		if typed, edit, err = p.tty.Line(ctx, typed); err != nil {
			return "", err
		}
		if !edit {
			break
		}
		written, err := p.compose(ctx, runID, typed, text.Clean(about))
		if errors.Is(err, terminal.ErrLeft) {
			return "", err
		}
		if err != nil {
			p.tell("%v", err)
			continue
		}
		if written != "" {
			p.screen.SetOff(written)
			p.flush()
			return written, nil
		}
	}
	return spoken(typed), nil
}
