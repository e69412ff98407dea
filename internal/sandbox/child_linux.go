package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Child runs this process as the child of a sandbox if it was started as one,
// and returns its exit code. The main of a program named in Config.Program
// calls it before all else, with its arguments.
func Child(args []string) (code int, ok bool) {
	if len(args) != 1 || args[0] != childName {
		return 0, false
	}
	return mind(), true
}

// Files of the child, by their numbers.
const (
	orderFile = 3 + iota
	childStatusFile
	childAliveFile
	leadFile
)

// exitBroken is the exit code of a child that could not do what it was told.
const exitBroken = 125

// mind starts the command it is ordered to, under the order's rules, and stays
// with it until nothing of it lives any more.
func mind() int {
	status := os.NewFile(childStatusFile, "status")
	tell := func(r report) {
		_ = json.NewEncoder(status).Encode(r) // whoever waits for it is gone then
	}
	o, err := readOrder()
	if err == nil {
		err = prepare(o)
	}
	if err != nil {
		tell(report{Error: err.Error()})
		return exitBroken
	}
	// The command's group gets the signals that it is stopped with, and this
	// process is of that group.
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	pid, err := startConfined(o)
	if err != nil {
		tell(report{Error: err.Error()})
		return exitBroken
	}
	tell(report{Started: true})
	r := attend(pid, o.Grace, stop, leadEnded())
	tell(r)
	if r.ExitCode == nil {
		return exitBroken
	}
	return *r.ExitCode
}

func readOrder() (order, error) {
	var o order
	f := os.NewFile(orderFile, "order")
	data, err := io.ReadAll(f)
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	_ = f.Close() // read to its end
	for fd := orderFile; fd <= leadFile; fd++ {
		unix.CloseOnExec(fd)
	}
	return o, err
}

// prepare makes this process the parent of whatever the command leaves behind,
// and gives it the network it is to have.
func prepare(o order) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become parent of orphans: %w", err)
	}
	if !o.Loopback {
		return nil
	}
	return loopbackUp()
}

// startConfined starts the command from a thread that has taken on the rules.
// The thread ends with this: nothing else may run on it, and this process is
// out of the command's reach.
func startConfined(o order) (pid int, err error) {
	type started struct {
		pid int
		err error
	}
	done := make(chan started)
	go func() {
		runtime.LockOSThread() // never unlocked, so that the thread ends
		if err := o.takeOn(); err != nil {
			done <- started{err: err}
			return
		}
		pid, err := syscall.ForkExec(o.Program, o.Args, &syscall.ProcAttr{Dir: o.Dir, Env: o.Env, Files: []uintptr{0, 1, 2}})
		if err != nil {
			err = fmt.Errorf("start %s: %w", o.Program, err)
		}
		done <- started{pid, err}
	}()
	s := <-done
	return s.pid, s.err
}

// leadEnded is closed when the agent has ended.
func leadEnded() <-chan struct{} {
	over := make(chan struct{})
	go func() {
		_, _ = os.NewFile(leadFile, "lead").Read(make([]byte, 1)) // nothing is ever written
		close(over)
	}()
	return over
}

// settling is how long what ends anyway may take to do so, such as the head of
// a pipeline.
const settling = 20 * time.Millisecond

// attend waits for the command and ends what it left, or all of it when it is
// to stop.
func attend(pid int, grace time.Duration, stop <-chan os.Signal, lead <-chan struct{}) report {
	ended := make(chan int, 1)
	rest := make(chan struct{})
	go reap(pid, ended, rest)
	select {
	case code := <-ended:
		select {
		case <-rest:
			return report{ExitCode: &code}
		case <-time.After(settling):
		}
		endAll(rest, grace)
		return report{ExitCode: &code, Left: true}
	case <-lead:
		endAll(rest, 0)
	case <-stop:
		endAll(rest, grace)
	}
	select {
	case code := <-ended:
		return report{ExitCode: &code}
	default: // it was nobody's child any more
		return report{}
	}
}

// reap waits for whatever ends, and closes rest when nothing is left.
func reap(pid int, ended chan<- int, rest chan<- struct{}) {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // there are no children
			close(rest)
			return
		case got == pid && status.Signaled():
			ended <- 128 + int(status.Signal())
		case got == pid:
			ended <- status.ExitStatus()
		}
	}
}

// endAll asks all descendants to end, and makes them after the grace.
func endAll(rest <-chan struct{}, grace time.Duration) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(grace)
	sig := syscall.SIGTERM
	asked := map[int]bool{}
	for {
		for _, pid := range descendants(os.Getpid()) {
			if sig == syscall.SIGKILL || !asked[pid] {
				_ = syscall.Kill(pid, sig) // it may have ended
				asked[pid] = true
			}
		}
		select {
		case <-rest:
			return
		case <-limit:
			sig = syscall.SIGKILL
		case <-tick.C:
		}
	}
}
