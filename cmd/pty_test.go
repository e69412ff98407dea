//go:build linux || darwin

package cmd

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// teletype is a process on a terminal of its own, with a screen that can be
// read.
type teletype struct {
	t       *testing.T
	b       *bench
	cmd     *exec.Cmd
	ptmx    *os.File
	tty     *os.File
	mode    *term.State // before the process began
	exited  chan struct{}
	changed *sync.Cond // guards what follows

	focused string // the row of the prompt as the last key left it
	emu     *vt.Emulator
	raw     bytes.Buffer
	gone    bool
}

// screenTime is how long a screen is waited for; only a test that fails does so to
// its end.
const screenTime = 10 * time.Second

// afterPaste is longer than a prompt takes the next key for a part of a paste.
const afterPaste = 45 * time.Millisecond

// What a prompt shows and sends.
const (
	lineMark    = "›"
	markPastes  = "\x1b[?2004h"
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// wired is how a process meets its terminal.
type wired struct {
	columns, rows int
	mute          bool              // the terminal answers no question, such as ESC[6n
	ahead         string            // typed before the process begins
	env           map[string]string // beside the bench's
	stdout        *os.File          // nil: the terminal
	stderr        *os.File          // likewise
	program       string            // of TestMain; "": agent
}

// dial starts a command on a terminal.
func dial(b *bench, w wired, args ...string) *teletype {
	b.t.Helper()
	x := open(b, w)
	x.keys(w.ahead)
	x.start(w, args)
	return x
}

// open opens a terminal that nothing runs on yet.
func open(b *bench, w wired) *teletype {
	b.t.Helper()
	ptmx, tty := openPty(b.t)
	if w.rows == 0 {
		w.rows = 40
	}
	x := &teletype{
		t: b.t, b: b, ptmx: ptmx, tty: tty, exited: make(chan struct{}),
		changed: sync.NewCond(&sync.Mutex{}), emu: vt.NewEmulator(w.columns, w.rows),
	}
	x.size(w.columns, w.rows)
	var err error
	if x.mode, err = term.GetState(int(tty.Fd())); err != nil {
		b.t.Fatal(err)
	}
	go x.watch()
	go x.reply(w.mute)
	b.t.Cleanup(func() {
		_ = x.tty.Close()
		_ = x.ptmx.Close()
		if in, ok := x.emu.InputPipe().(io.Closer); ok { // Close of the emulator races with its Read
			_ = in.Close()
		}
	})
	return x
}

// openPty opens a terminal. A file of package pty blocks, and closing it would
// wait for the read that is under way; this one can be hung up at any time.
func openPty(t *testing.T) (ptmx, tty *os.File) {
	t.Helper()
	blocking, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "ptmx"), tty
}

// size tells the terminal its size.
func (x *teletype) size(columns, rows int) {
	x.t.Helper()
	size := &unix.Winsize{Col: uint16(columns), Row: uint16(rows)}
	if err := unix.IoctlSetWinsize(int(x.tty.Fd()), unix.TIOCSWINSZ, size); err != nil {
		x.t.Fatal(err)
	}
}

func (x *teletype) start(w wired, args []string) {
	x.t.Helper()
	agent, err := exec.LookPath(cmp.Or(w.program, "agent"))
	if err != nil {
		x.t.Fatal(err)
	}
	c := exec.Command(agent, args...)
	c.Dir = x.b.dir
	c.Env = append(x.b.environ(), "TERM=xterm-256color")
	for name, value := range w.env {
		c.Env = append(c.Env, name+"="+value)
	}
	c.Stdin, c.Stdout, c.Stderr = x.tty, x.tty, x.tty
	if w.stdout != nil {
		c.Stdout = w.stdout
	}
	if w.stderr != nil {
		c.Stderr = w.stderr
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		x.t.Fatal(err)
	}
	x.cmd = c
	go func() { _ = c.Wait(); close(x.exited) }()
	x.t.Cleanup(func() {
		_ = c.Process.Kill()
		<-x.exited
	})
}

// watch shows on the screen what the process writes.
func (x *teletype) watch() {
	buf := make([]byte, 32<<10)
	for {
		n, err := x.ptmx.Read(buf)
		x.changed.L.Lock()
		x.raw.Write(buf[:n])
		_, _ = x.emu.Write(buf[:n])
		x.gone = err != nil
		x.changed.L.Unlock()
		x.changed.Broadcast()
		if err != nil {
			return
		}
	}
}

// reply sends what the terminal answers by itself.
func (x *teletype) reply(mute bool) {
	buf := make([]byte, 256)
	for {
		n, err := x.emu.Read(buf)
		if err != nil {
			return
		}
		if !mute {
			_, _ = x.ptmx.Write(buf[:n])
		}
	}
}

// keys types.
func (x *teletype) keys(s string) {
	x.t.Helper()
	if _, err := io.WriteString(x.ptmx, s); err != nil {
		x.t.Fatal(err)
	}
}

// Keys.
const (
	up    = "\x1b[A"
	down  = "\x1b[B"
	enter = "\r"
	ctrlC = "\x03"
	ctrlD = "\x04"
	ctrlG = "\x07"
	ctrlZ = "\x1a"
	space = " "
)

// screen is what can be read now, without the blanks behind each row.
func (x *teletype) screen() string {
	x.changed.L.Lock()
	defer x.changed.L.Unlock()
	return x.shown()
}

func (x *teletype) shown() string {
	rows := strings.Split(x.emu.String(), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n") + "\n"
}

// until waits until something holds for the screen.
func (x *teletype) until(what string, holds func(screen string) bool) {
	x.t.Helper()
	late := time.AfterFunc(screenTime, func() {
		x.changed.L.Lock()
		x.gone = true
		x.changed.L.Unlock()
		x.changed.Broadcast()
	})
	defer late.Stop()
	x.changed.L.Lock()
	defer x.changed.L.Unlock()
	for !holds(x.shown()) {
		if x.gone {
			x.t.Fatalf("the screen never showed %s:\n%s", what, x.shown())
		}
		x.changed.Wait()
	}
}

// sees waits until all words stand on the screen.
func (x *teletype) sees(words ...string) {
	x.t.Helper()
	for _, w := range words {
		x.until("“"+w+"”", func(screen string) bool { return strings.Contains(screen, w) })
	}
}

// said is all the process wrote to the terminal.
func (x *teletype) said() string {
	x.changed.L.Lock()
	defer x.changed.L.Unlock()
	return x.raw.String()
}

// focus is the row of the prompt a key changes.
func focus(screen string) string {
	found := ""
	for row := range strings.Lines(screen) {
		if strings.HasPrefix(row, "> ") || strings.HasPrefix(row, lineMark) {
			found = row
		}
	}
	return found
}

// move presses keys one after another, each when the prompt has shown the one
// before.
func (x *teletype) move(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		x.until("a prompt", func(screen string) bool { x.focused = cmp.Or(x.focused, focus(screen)); return x.focused != "" })
		before := x.focused
		x.keys(k)
		x.until("a change after "+k, func(screen string) bool {
			x.focused = cmp.Or(focus(screen), before)
			return x.focused != before
		})
	}
	x.focused = ""
}

// asks waits until words stand on the screen and below them an empty line to
// type in.
func (x *teletype) asks(words string) {
	x.t.Helper()
	x.until(words+" and a line", func(screen string) bool {
		at := strings.LastIndex(screen, words)
		return at >= 0 && strings.HasSuffix(screen[at:], "\n"+lineMark+"\n")
	})
}

// insist presses a key until something holds for the screen or the process has
// ended: what comes right behind a paste is taken for a part of it, and a list
// does not show that it has read one.
func (x *teletype) insist(key string, holds func(screen string) bool) {
	x.t.Helper()
	late, again := time.After(screenTime), time.NewTicker(afterPaste)
	defer again.Stop()
	for {
		select {
		case <-x.exited:
			return
		case <-late:
			x.t.Fatalf("%q does nothing:\n%s", key, x.screen())
		case <-again.C:
			if holds(x.screen()) {
				return
			}
			x.keys(key)
		}
	}
}

func never(string) bool { return false }

// exits waits for the end of the process and returns its exit code. The
// terminal must be as it was before.
func (x *teletype) exits() int {
	x.t.Helper()
	code := x.code()
	mode, err := term.GetState(int(x.tty.Fd()))
	if err != nil {
		x.t.Fatal(err)
	}
	if *mode != *x.mode {
		x.t.Errorf("the terminal's mode is not what it was:\n%+v\n%+v", *mode, *x.mode)
	}
	if _, err := io.WriteString(x.tty, "\r\n<end>"); err != nil {
		x.t.Fatal(err)
	}
	x.sees("<end>")
	raw := x.said()
	if strings.LastIndex(raw, "\x1b[?25l") > strings.LastIndex(raw, "\x1b[?25h") {
		x.t.Error("the cursor is hidden")
	}
	if strings.LastIndex(raw, markPastes) > strings.LastIndex(raw, "\x1b[?2004l") {
		x.t.Error("pastes are still marked")
	}
	return code
}

// code waits for the end of the process.
func (x *teletype) code() int {
	x.t.Helper()
	select {
	case <-x.exited:
	case <-time.After(screenTime):
		x.t.Fatalf("the process does not end:\n%s", x.screen())
	}
	if code := x.cmd.ProcessState.ExitCode(); code >= 0 {
		return code
	}
	x.t.Fatalf("the process died: %v\n%s", x.cmd.ProcessState, x.screen())
	return -1
}

func (x *teletype) signal(sig syscall.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		x.t.Fatal(err)
	}
}

// hangUp closes the terminal under the process.
func (x *teletype) hangUp() {
	_ = x.tty.Close()
	_ = x.ptmx.Close()
}

// resize makes the terminal another size.
func (x *teletype) resize(columns, rows int) {
	x.t.Helper()
	x.changed.L.Lock()
	x.emu.Resize(columns, rows)
	x.changed.L.Unlock()
	x.size(columns, rows)
}
