//go:build linux || darwin

package cmd

import (
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// comesBack waits until a prompt is shown again below what the shell said when
// it had the terminal.
func (x *teletype) comesBack(row string) {
	x.t.Helper()
	x.until("the prompt below the shell's words", func(screen string) bool {
		_, below, stopped := strings.Cut(screen, "in the shell: ")
		return stopped && strings.Contains(below, row)
	})
}

// TestPrompts_stopped: Ctrl-Z gives the terminal to the shell as it was, and
// when the command goes on the prompt is there again as it was left. So it is
// after a stop that no key asked for.
func TestPrompts_stopped(t *testing.T) {
	t.Parallel()
	const jobs = `agent "$@"; echo "in the shell: $(stty -a | tr ' ;' '\n\n' | grep -cxE 'echo|icanon|isig')"; fg; code=$?; echo "exit $code"`
	for _, tt := range []struct {
		name string
		args any
		do   func(x *teletype)
		want string
	}{
		{"a list", singleQuestion(), func(x *teletype) {
			x.move(down)
			x.keys(ctrlZ)
			x.sees("in the shell: 3")
			x.comesBack("> 1. ")
			x.move(down)
			x.keys(enter)
		}, `ask_user tty: "Decide later"`},
		{"several", severalQuestion(), func(x *teletype) {
			x.move(down, space)
			x.keys(ctrlZ)
			x.comesBack("> [x]  2. ")
			x.move(down)
			x.keys(enter)
		}, `ask_user tty: ["L’accès à la base de données"]`},
		{"a line", dict{"question": "What?"}, func(x *teletype) {
			x.keys("half")
			x.sees("› half")
			x.keys(ctrlZ)
			x.sees("in the shell: 3")
			x.comesBack("› half")
			x.keys(" and half")
			x.sees("› half and half")
			x.keys(enter)
		}, `ask_user tty: "half and half"`},
		{"a signal", singleQuestion(), func(x *teletype) {
			x.move(down)
			job, err := unix.IoctlGetInt(int(x.ptmx.Fd()), unix.TIOCGPGRP)
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(-job, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			x.comesBack("> 1. ")
			x.move(down)
			x.keys(enter)
		}, `ask_user tty: "Decide later"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			x := dial(b, wired{columns: 80, program: "bash"}, "--norc", "-m", "-c", jobs, "bash",
				"run", "--model", b.asks("ask_user", tt.args), "Do it")
			x.until("a prompt", func(screen string) bool { return focus(screen) != "" })
			tt.do(x)
			x.asks("Your next message?")
			x.keys(ctrlD)
			x.sees("exit 0")
			b.wantAnswers(tt.want)
		})
	}
}
