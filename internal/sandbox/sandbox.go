// Package sandbox confines the commands that a model has run: what they may
// write, what they may read, whether they have a network, and that nothing of
// them outlives its call.
//
// There is one interface and an engine for what a system offers: bubblewrap,
// or Landlock in a child process of this program, on Linux; sandbox-exec on
// macOS; none elsewhere. Which one works is found out by trying it, see
// Sandbox.Report. A command that cannot be confined as its Policy says is not
// run: nothing here falls back to running it unconfined.
package sandbox

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// Names of engines.
const (
	Bubblewrap  = "bubblewrap"
	Landlock    = "landlock"
	SandboxExec = "sandbox-exec"
	None        = "none"
)

// Config says where the sandbox finds and keeps things. The zero value is
// useful: bubblewrap or sandbox-exec where they are installed.
type Config struct {
	// Path is where programs are looked for, as in PATH; "": the usual places.
	Path string
	// Program is this program, as it can be started again; its main calls Child
	// before all else. "": it does not, so that Landlock cannot be used.
	Program string
	// Memory is the file in which is kept what works on this machine; "": it is
	// tried anew by every process.
	Memory string
	// Private is the directory for the temporary files and the caches of
	// commands; "": below the system's directory for temporary files.
	Private string
	// Engine is the one engine to try; "": all that there may be.
	Engine string
}

// Sandbox is what confines commands on this machine. It is safe for concurrent
// use.
type Sandbox struct {
	cfg   Config
	probe func() found
}

// New returns the sandbox of this machine. Nothing is tried before the first
// command or Report asks for it.
func New(cfg Config) *Sandbox {
	s := &Sandbox{cfg: cfg}
	s.probe = sync.OnceValue(s.look)
	return s
}

// engine confines commands in one way.
type engine interface {
	// confine changes cmd, which is not started, so that it runs as p says.
	// P is resolved. Grace is how long what must stop may take to do so.
	confine(cmd *exec.Cmd, p policy, grace time.Duration) (*Confined, error)
	// limits says what holds and what does not; see Report.
	limits() limits
	// detail names the program or kernel interface it works with.
	detail() string
}

// limits is what an engine can do here.
type limits struct {
	readOnly bool // a command that may write nothing can be kept to it
	network  bool // the network can be closed
	enforced []string
	open     []string
}

// Engine is the name of the engine that confines commands here, or None.
func (s *Sandbox) Engine() string { return s.probe().name }

// Confines reports whether commands are confined here at all.
func (s *Sandbox) Confines() bool { return s.probe().engine != nil }

// ReadOnly reports whether a command can be run here so that it writes nothing
// and has no network.
func (s *Sandbox) ReadOnly() bool {
	f := s.probe()
	return f.engine != nil && f.engine.limits().readOnly
}

var (
	// ErrNone is returned where there is no engine.
	ErrNone = errors.New("nothing here can confine a command")
	// ErrSetup is returned when the engine did not get as far as to start the
	// command. The command did not run.
	ErrSetup = errors.New("the sandbox could not be set up, so the command did not run")
)

// Confine changes cmd, which is not started, so that it runs as p says: its
// path, arguments, environment and process attributes. What else it has stays.
// Grace is how long what the command leaves running may take to end once it is
// asked to. The caller calls Started after cmd.Start, whatever that returned,
// and End once cmd.Wait has returned.
func (s *Sandbox) Confine(cmd *exec.Cmd, p Policy, grace time.Duration) (*Confined, error) {
	f := s.probe()
	if f.engine == nil {
		return nil, ErrNone
	}
	if p.ReadOnly && !f.engine.limits().readOnly {
		return nil, fmt.Errorf("%s cannot keep a command from writing or from the network here", f.name)
	}
	if !p.Network && !f.engine.limits().network {
		return nil, fmt.Errorf("%s cannot keep a command from the network here", f.name)
	}
	private, err := s.private(p)
	if err != nil {
		return nil, fmt.Errorf("prepare sandbox: %w", err)
	}
	r, err := resolve(p, private)
	if err != nil {
		return nil, fmt.Errorf("prepare sandbox: %w", err)
	}
	c, err := f.engine.confine(cmd, r, grace)
	if err != nil {
		return nil, fmt.Errorf("prepare sandbox: %w", err)
	}
	c.failed, c.inner = s.forget, &r.embedded
	return c, nil
}
