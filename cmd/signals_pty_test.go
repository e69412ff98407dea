//go:build linux || darwin

package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stubborn is a command that heeds no signal but the last, and says who it is.
const stubborn = `trap '' INT TERM HUP; (trap '' INT TERM HUP; sleep 60; echo late >late.txt) & echo $$ >pid.part; mv pid.part pid; wait`

// TestSignals_commandEndsToo: however the agent ends, the command it runs ends
// with it, and what that started.
func TestSignals_commandEndsToo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(x *teletype)
		code int
	}{
		{"two interrupts", func(x *teletype) {
			soon(x.t, "the end", func() bool { // of two interrupts at once one may be lost
				x.signal(syscall.SIGINT)
				select {
				case <-x.exited:
					return true
				default:
					return false
				}
			})
			x.sees("resume it: agent ")
		}, 130},
		{"kill -9", func(x *teletype) { x.signal(syscall.SIGKILL) }, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			x := asking("shell", dict{"command": stubborn}, "--yolo", "--mode", "build")(b, wired{columns: 160})
			group := b.group()
			tt.do(x)
			<-x.exited
			if code := x.cmd.ProcessState.ExitCode(); code != tt.code && tt.code >= 0 {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			soon(t, "the end of the command", func() bool { return errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) })
			if tt.code >= 0 {
				x.exits()
			}
		})
	}
}

// group waits for the process group of the stubborn command.
func (b *bench) group() (pid int) {
	b.t.Helper()
	soon(b.t, "the command", func() bool {
		raw, err := os.ReadFile(filepath.Join(b.dir, "pid"))
		if err == nil {
			pid, err = strconv.Atoi(strings.TrimSpace(string(raw)))
		}
		return err == nil
	})
	return pid
}

// soon waits until something holds that nothing tells of.
func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	late, again := time.After(screenTime), time.NewTicker(5*time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-late:
			t.Fatalf("%s never came", what)
		case <-again.C:
		}
	}
}
