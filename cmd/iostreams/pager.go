package iostreams

import (
	"bytes"
	"cmp"
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

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// Page shows text on stdout, through the pager where a person reads it and has
// one.
func (s *Streams) Page(text []byte) error {
	if argv := s.pager(exec.LookPath, "-FRX"); s.OutTTY && argv != nil {
		if started, err := s.runPager(context.Background(), argv, text, s.Out); started {
			return err
		}
	}
	_, err := s.Out.Write(text)
	return err
}

// Pager returns what shows text in the pager on a terminal and waits until it is
// left, or until a signal other than Ctrl-C, which is the pager's, ends ctx. It is
// PAGER, else less with these flags where it is installed; nil for none.
func (s *Streams) Pager(flags ...string) func(ctx context.Context, text []byte, out *os.File) error {
	argv := s.pager(exec.LookPath, flags...)
	if argv == nil {
		return nil
	}
	return func(ctx context.Context, text []byte, out *os.File) error {
		_, err := s.runPager(ctx, argv, text, out)
		return err
	}
}

// pager is the command of the pager, nil for none.
func (s *Streams) pager(find func(string) (string, error), flags ...string) []string {
	if s.Dumb() {
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

// runPager shows text in the pager. started is false for one that showed nothing,
// as it is not there.
func (s *Streams) runPager(ctx context.Context, argv []string, text []byte, out io.Writer) (started bool, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error {
		if exit.StoppedBy(ctx) == syscall.SIGINT {
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
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == notFound && argv[0] == "sh" {
		return false, errors.New("PAGER names no program")
	}
	if err != nil && !errors.As(err, &failed) && !errors.Is(err, syscall.EPIPE) { // left early is no fault
		return true, fmt.Errorf("run pager %s: %w", argv[0], err)
	}
	return true, nil
}

// notFound is what a shell exits with that cannot find the program; it has said
// so.
const notFound = 127

// below is the file under a stream, so that a child gets the terminal itself.
func below(w io.Writer) io.Writer {
	if p, ok := w.(*Writer); ok {
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
		"LESS="+cmp.Or(env("LESS"), "FRX"),                 // colours, and no pager for what fits
		"LESSCHARSET="+cmp.Or(env("LESSCHARSET"), "utf-8"), // what it gets, where no locale says so
	)
}
