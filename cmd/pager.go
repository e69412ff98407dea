package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/seed-3e5a1d81/agent/cmd/screen"
)

// paged is a result for a person that may be longer than the screen: it is made
// whole and then shown, through the pager where there is one.
type paged struct {
	*screen.Screen
	text bytes.Buffer
	io   *streams
}

// page begins a result on stdout.
func (w *wiring) page() *paged {
	p := &paged{io: w.io}
	p.Screen = newScreen(w.io, w.g, &p.text, w.io.OutTTY)
	return p
}

// show prints the result.
func (p *paged) show() error {
	if err := p.Flush(); err != nil {
		return err
	}
	if argv := pagerOf(p.io, exec.LookPath); argv != nil {
		return p.through(argv)
	}
	_, err := p.io.Out.Write(p.text.Bytes())
	return err
}

// pagerOf is the command of the pager for a result on stdout; nil for none.
func pagerOf(s *streams, find func(string) (string, error)) []string {
	if !s.OutTTY {
		return nil
	}
	return pagerCommand(s, find, "-FRX")
}

// pagerCommand is PAGER, else less with these flags where it is installed; nil
// for none.
func pagerCommand(s *streams, find func(string) (string, error), flags ...string) []string {
	if s.dumb() {
		return nil
	}
	switch command := strings.TrimSpace(s.Env("PAGER")); {
	case command == "cat":
		return nil
	case command != "" && runtime.GOOS == "windows":
		return strings.Fields(command)
	case command != "":
		return []string{"sh", "-c", command}
	}
	less, err := find("less")
	if err != nil {
		return nil
	}
	return append([]string{less}, flags...)
}

// through hands the text to the pager. One that cannot be started is done
// without.
func (p *paged) through(argv []string) error {
	started, err := runPager(context.Background(), p.io, argv, p.text.Bytes(), p.io.Out)
	if !started {
		_, err = p.io.Out.Write(p.text.Bytes())
	}
	return err
}

// runPager shows text in the pager on a terminal and waits until it is left.
// Ctrl-C is the pager's while it runs; another signal that ends ctx ends it too.
func runPager(ctx context.Context, s *streams, argv []string, text []byte, out io.Writer) (started bool, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error {
		if stoppedBy(ctx) == syscall.SIGINT {
			return nil
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), below(out), below(s.Err)
	cmd.Dir, cmd.Env = s.Dir, pagerEnv(s.Env)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGINT)
	defer signal.Stop(interrupts)
	if err := cmd.Start(); err != nil {
		return false, err
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		return true, nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == notFound && argv[0] == "sh" {
		return false, errors.New("PAGER names no program")
	}
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, syscall.EPIPE) { // left early is no fault
		return true, fmt.Errorf("run pager %s: %w", argv[0], err)
	}
	return true, nil
}

// notFound is what a shell exits with that cannot find the program; it has said
// so.
const notFound = 127

// below is the file under a stream, so that a child gets the terminal itself.
func below(w io.Writer) io.Writer {
	if p, ok := w.(*pipeWriter); ok {
		return p.w
	}
	return w
}

// pagerEnv is the environment of the pager: what it takes to show text, and no
// secret.
func pagerEnv(env func(string) string) []string {
	var list []string
	for _, name := range []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TERM", "COLORTERM", "TERMINFO", "TERMINFO_DIRS", "LINES", "COLUMNS",
		"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LESSKEY", "LESSHISTFILE",
		"SystemRoot", "PATHEXT", "ComSpec", "TEMP",
	} {
		if v := env(name); v != "" {
			list = append(list, name+"="+v)
		}
	}
	return append(list,
		"LESS="+firstOf(env("LESS"), "FRX"),                 // colours, and no pager for what fits
		"LESSCHARSET="+firstOf(env("LESSCHARSET"), "utf-8"), // what it gets, where no locale says so
	)
}
