package tools

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
)

// confines reports whether something confines commands here.
func (t shell) confines() bool { return t.cfg.Sandbox != nil && t.cfg.Sandbox.Confines() }

// confinable refuses what a mode or the user rules out and nothing here can
// keep a command from.
func (t shell) confinable(mode agent.Mode) error {
	switch {
	case !mode.MayWriteWorkspace() && (t.cfg.Sandbox == nil || !t.cfg.Sandbox.ReadOnly()):
		return fmt.Errorf("mode %q may not write the workspace, and nothing here keeps a command from doing so: use the reading tools", mode.ID)
	case t.cfg.Network == NetworkOff && !t.confines():
		return errors.New("commands are to have no network, and nothing here keeps them from it: see agent doctor")
	}
	return nil
}

// confine makes the command one that can do what the mode allows and no more.
// Where nothing can, it stays as it is; allow has seen to it that it may.
func (t shell) confine(cmd *exec.Cmd, call agent.Call, run *commandRun) (*sandbox.Confined, error) {
	if !t.confines() {
		return sandbox.Free(), nil
	}
	p, err := t.policy(call, run)
	if err != nil {
		return nil, err
	}
	run.offline = !p.Network
	return t.cfg.Sandbox.Confine(cmd, p, t.cfg.Grace)
}

// disarm takes from repositories that a confined command made what git would
// run outside, the next time somebody works there.
func (t shell) disarm(run *commandRun) error {
	if run.gits == nil {
		return nil
	}
	var errs []error
	for path, is := range t.secrets.in(run.workspace, newDenied(t.cfg.Closed)).gits {
		if was, known := run.gits[path]; known && was == is {
			continue
		}
		removed, err := sandbox.Disarm(path)
		run.restored, errs = append(run.restored, removed...), append(errs, err)
	}
	slices.Sort(run.restored)
	return errors.Join(errs...)
}

// policy is what a command of the call may do. It notes in run what disarm needs.
func (t shell) policy(call agent.Call, run *commandRun) (sandbox.Policy, error) {
	readOnly := !call.Mode.MayWriteWorkspace()
	p := sandbox.Policy{
		Workspace: call.Workspace, Run: call.RunID, ReadOnly: readOnly, Write: t.cfg.Write,
		Protect: []string{filepath.Join(call.Workspace, ".mastracode", "config.toml")},
		Network: !readOnly && (t.cfg.Network == NetworkOn || t.cfg.Network != NetworkOff && call.Approved),
	}
	d := newDenied(t.cfg.Closed)
	p.Hide = slices.Concat(t.cfg.Closed.Paths, slices.DeleteFunc(slices.Clone(d.secret.paths), func(p string) bool { return p == procDir }))
	inside, err := filepath.EvalSymlinks(call.Workspace)
	if err != nil {
		return sandbox.Policy{}, fmt.Errorf("open workspace: %w", err)
	}
	here := t.secrets.in(inside, d)
	p.Mask, p.Repositories = append(here.closed, d.outside()...), here.repositories
	if !readOnly {
		run.workspace, run.gits = inside, here.gits
	}
	return p, nil
}
