package ask

import (
	"context"
	"errors"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// ourWords says how a line is typed.
const ourWords = "Enter sends, Ctrl-G opens an editor, Enter alone goes back"

// words lets a person type a text, or write it in the editor. It is "" if they
// did not. about is what the editor shows below it.
func (p *Person) words(ctx context.Context, runID, about string) (string, error) {
	typed, edit := "", false
	for {
		var err error
		if typed, edit, err = p.Console.Line(ctx, typed); err != nil {
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
			p.Tell("%v", err)
			continue
		}
		if written != "" {
			p.Screen.SetOff(written)
			p.flush()
			return written, nil
		}
	}
	return spoken(typed), nil
}

// Message asks for the next message to a run whose turn has ended; "" is none. An
// empty line, Ctrl-D, Ctrl-C and a signal all mean that there is none.
func (p *Person) Message(ctx context.Context, st *agent.State) (string, error) {
	p.Screen.Line()
	p.Tell("Your next message? (Ctrl-G opens an editor, empty ends)")
	said, err := p.words(ctx, st.Run.ID, st.Run.Text)
	if errors.Is(err, terminal.ErrLeft) {
		return "", nil
	}
	return said, err
}

// Task asks what to do; "" is nothing. There is no run yet that could wait.
func (p *Person) Task(ctx context.Context) (string, error) {
	p.Tell("What should the agent do? (Ctrl-G opens an editor)")
	return p.words(ctx, "", "")
}
