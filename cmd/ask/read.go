package ask

import (
	"bytes"
	"context"
	"os"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// reader returns what shows the subject of the open prompt in the pager, from
// its beginning, and how many rows of it there are; nil where that cannot be done.
func (p *Person) reader(ctx context.Context) (read func(), rows int) {
	if p.full == nil || p.Pager == nil {
		return nil, 0
	}
	return func() { p.read(ctx) }, bytes.Count(bytes.TrimLeft(p.subject(), "\n"), []byte("\n"))
}

// subject is all of what the open prompt is about, as the terminal shows it.
func (p *Person) subject() []byte {
	var shown bytes.Buffer
	on := *p.Screen
	on.Writer, on.Before = &text.Writer{W: &shown, Actions: on.Actions}, nil
	p.full(&on)
	_ = on.Flush() // a buffer takes all
	return shown.Bytes()
}

func (p *Person) read(ctx context.Context) {
	subject := p.subject()
	if err := p.Console.Lend(func(_, out *os.File) error { return p.Pager(ctx, subject, out) }); err != nil {
		p.Tell("%v", err)
	}
}
