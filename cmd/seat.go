package cmd

import (
	"cmp"
	"context"
	"strings"
	"syscall"

	"github.com/seed-3e5a1d81/agent/cmd/ask"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/secret"
)

// seated is the person at the terminal, for prompts that are about no run.
func (w *wiring) seated() *ask.Person {
	pager := w.io.Pager("-R", "-+F", "-+X") // on a screen of its own, to be left with q
	return &ask.Person{Console: w.io.Console, Screen: w.errScreen(), Pager: pager}
}

// atSeat is the person who can be asked about the runs of this session; nil if
// none can.
func (s *session) atSeat() *ask.Person {
	io := s.w.io
	if io.Console == nil {
		return nil
	}
	p := s.w.seated()
	p.Desk = desk{s}
	p.Editor = ask.Editor{
		Command: cmp.Or(strings.TrimSpace(io.Env("VISUAL")), strings.TrimSpace(io.Env("EDITOR")), "vi"),
		Environ: func() []string {
			return secret.ChildEnviron(io.Environ, valuesOf(s.cfg.Sandbox.PassEnv), keyVariables(s.cfg))
		},
		Reached: func(ctx context.Context) bool { return exit.StoppedBy(ctx) == syscall.SIGINT },
	}
	return p
}

// person is the one who can be asked; nil where nobody is there or is to be
// asked.
func (s *session) person() *ask.Person {
	if !s.meets.Prompt {
		return nil
	}
	return s.seat
}

// talks reports whether a person who can be asked reads the output too. Where
// it goes elsewhere, whoever reads it waits for the end of the command.
func (s *session) talks() bool {
	return s.person() != nil && s.w.io.OutTTY && !s.w.g.machine()
}
