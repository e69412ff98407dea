package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// found is what looking for an engine came to.
type found struct {
	name   string // None without an engine
	engine engine
	tried  []Attempt
}

// Attempt is an engine that cannot be used here, and why.
type Attempt struct {
	Engine string `json:"engine"`
	Reason string `json:"reason"`
}

// candidate is an engine that may work. Mark changes with whatever may change
// whether it does.
type candidate struct {
	name string
	// open finds it; variants are the ways it can work in, best first.
	open func() (variants []engine, mark string, err error)
}

// look finds the engine of this machine: the first that does what it must when
// it is tried.
func (s *Sandbox) look() found {
	out := found{name: None}
	for _, c := range candidates(s.cfg) {
		if s.cfg.Engine != "" && s.cfg.Engine != c.name {
			continue
		}
		variants, mark, err := c.open()
		if err == nil {
			var e engine
			if e, err = s.firstThatWorks(c.name, variants, mark); err == nil {
				out.name, out.engine = c.name, e
				return out
			}
		}
		out.tried = append(out.tried, Attempt{Engine: c.name, Reason: err.Error()})
	}
	return out
}

// firstThatWorks tries the variants, unless it is known which of them works.
func (s *Sandbox) firstThatWorks(name string, variants []engine, mark string) (engine, error) {
	if n, ok := s.recall(name, mark); ok && n < len(variants) {
		return variants[n], nil
	}
	var err error
	for i, e := range variants {
		if err = try(e); err == nil {
			s.remember(name, mark, i)
			return e, nil
		}
	}
	return nil, err
}

// trial does what an engine must refuse, and what it must let through. Its exit
// code says which of them went wrong.
const trial = `: >"$TMPDIR/made" || exit 10
(: >made) 2>/dev/null && exit 11
(cat hidden/file) 2>/dev/null && exit 12
exit 0`

// try runs a command with an engine and looks whether it is confined.
func try(e engine) error {
	dir, err := os.MkdirTemp("", "agent-sandbox-")
	if err != nil {
		return err
	}
	defer removeAll(dir)
	p := private{temp: filepath.Join(dir, "temp"), caches: filepath.Join(dir, "caches")}
	work := filepath.Join(dir, "work")
	if err := makePrivate(p.temp, p.caches, work, filepath.Join(work, "hidden")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "hidden", "file"), []byte("hidden\n"), 0o600); err != nil {
		return err
	}
	r, err := resolve(Policy{Workspace: work, ReadOnly: true, Hide: []string{filepath.Join(work, "hidden")}}, p)
	if err != nil {
		return err
	}
	return tryWith(e, r)
}

// patience is how long a trial may take, which takes some thousandth of it.
const patience = 15 * time.Second

var errHangs = errors.New("a command did not end")

func tryWith(e engine, p policy) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errHangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", trial)
	cmd.Dir, cmd.Env = p.dir, []string{"PATH=" + usualPath, "HOME=/"}
	cmd.WaitDelay = time.Second
	c, err := e.confine(cmd, p, time.Second)
	if err != nil {
		return err
	}
	out, err := cmd.CombinedOutput()
	c.Started()
	c.Settle()
	if ctx.Err() != nil {
		c.Abort()
		return context.Cause(ctx)
	}
	if _, ended := c.End(cmd.ProcessState); ended != nil {
		if said := firstLine(out); said != "" {
			return errors.New(said)
		}
		return ended
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		switch exit.ExitCode() {
		case 10:
			return errors.New("a command could not write to its temporary directory")
		case 11:
			return errors.New("a command could write where it must not")
		case 12:
			return errors.New("a command could read what is hidden")
		}
		return fmt.Errorf("a command did not end well: %w", exit)
	}
	return err
}
