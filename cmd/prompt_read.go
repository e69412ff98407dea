package cmd

import (
	"bytes"
	"os"
	"os/exec"
)

// reader returns what shows the subject of the open prompt in the pager, from
// its beginning, and how many rows of it there are. It is nil where there is no
// pager: then the terminal's own memory of what was printed has to do.
func (p *prompter) reader() (read func(), rows int) {
	if p.full == nil {
		return nil, 0
	}
	argv := pagerCommand(p.s.w.io, exec.LookPath, "-R", "-+F", "-+X") // on a screen of its own, to be left with q
	if argv == nil {
		return nil, 0
	}
	return func() { p.read(argv) }, bytes.Count(bytes.TrimLeft(p.subject(), "\n"), []byte("\n"))
}

// subject is all of what the open prompt is about, as the terminal shows it.
func (p *prompter) subject() []byte {
	var shown bytes.Buffer
	on := *p.screen
	on.Writer, on.Before = p.s.w.io.cleaned(&shown), nil
	p.full(&on)
	_ = on.Flush() // a buffer takes all
	return shown.Bytes()
}

func (p *prompter) read(argv []string) {
	text := p.subject()
	err := p.tty.Lend(func(_, out *os.File) error {
		_, err := runPager(p.s.w.io, argv, text, out)
		return err
	})
	if err != nil {
		p.tell("%v", err)
	}
}
