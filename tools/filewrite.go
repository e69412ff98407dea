package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
)

// fileWriter is what write_file and edit_file share: where they may write, and
// how.
type fileWriter struct {
	plans  PlanDir
	closed Closed
}

// target is a file about to be written. Info is nil for a new one.
type target struct {
	rel    string
	data   []byte
	digest string
	info   fs.FileInfo
}

// aim finds the file p names and checks that the call's mode may write it.
func (fw fileWriter) aim(w *workspace, call agent.Call, p string) (target, error) {
	rel, err := w.locate(p)
	if err != nil {
		return target{}, err
	}
	if err := fw.allow(w, call.Mode, p, rel); err != nil {
		return target{}, err
	}
	t := target{rel: rel}
	t.data, t.info, err = w.readAll(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target{rel: rel}, nil
	case err != nil:
		return target{}, err
	}
	t.digest = agent.Digest(t.data)
	return t, nil
}

// allow says whether the mode may write rel, the real path of p.
func (fw fileWriter) allow(w *workspace, mode agent.Mode, p, rel string) error {
	if why := protected(rel); why != "" {
		return fmt.Errorf("%s is protected: %s", p, why)
	}
	switch {
	case mode.MayWriteWorkspace():
		return nil
	case mode.Writes != agent.WritesPlans:
		return fmt.Errorf("mode %q is read-only: no file may be written, %s neither", mode.ID, p)
	}
	lexical, err := fw.plans.locate(w.dir, p)
	if err == nil && lexical != rel {
		err = fmt.Errorf("%s goes through a link", p)
	}
	if err != nil {
		return fmt.Errorf("mode %q may write only plans, Markdown files in %s/: %w", mode.ID, fw.plans.dir(), err)
	}
	return nil
}

// known refuses a file that is there but was not read by this run, or is not
// any more what was read.
func (t target) known(seen map[string]string) error {
	was, read := seen[t.rel]
	switch {
	case t.info == nil || was == t.digest:
		return nil
	case read:
		return fmt.Errorf("%s changed since it was read: read it again with read_file, then repeat the change", t.rel)
	}
	return fmt.Errorf("%s exists and was not read in this run: read it with read_file first", t.rel)
}

// change is what a call makes of a file.
type change struct {
	target
	data []byte // what it is to hold
	says string // what the model reads when that is done
}

// changed makes a change of a target. Text that reads as the mark of a secret
// must have been in the file: the model saw it in place of the secret, and would
// destroy that.
func (t target) changed(data []byte, says string) (change, error) {
	for _, mark := range secretMarks(data) {
		if !bytes.Contains(t.data, mark) {
			return change{}, fmt.Errorf("%s stands for the value of a variable, which is not shown: %s would lose it. Change the parts around it with edit_file, or ask the person to put the value in", mark, t.rel)
		}
	}
	return change{target: t, data: data, says: says}, nil
}

// secretMarks finds what the values of secrets are replaced by before a model
// sees them.
func secretMarks(data []byte) [][]byte {
	if !bytes.Contains(data, []byte("[secret ")) { // as good as always
		return nil
	}
	return regexp.MustCompile(`\[secret [A-Za-z0-9_.-]+\]`).FindAll(data, -1)
}

// do makes the change that plan decides on.
func (fw fileWriter) do(call agent.Call, plan func(*workspace, args) (change, error)) (agent.Result, error) {
	a, err := decodeArgs(call.Args)
	if err != nil {
		return agent.Result{}, err
	}
	w, err := openWorkspace(call, fw.closed)
	if err != nil {
		return agent.Result{}, err
	}
	defer w.close()
	c, err := plan(w, a)
	switch {
	case err != nil:
		return agent.Result{}, err
	case c.info != nil && bytes.Equal(c.data, c.target.data):
		return c.unchanged(call.Intended), nil
	}
	return c.put(w)
}

// intent is what do would change, as it would report it.
func (fw fileWriter) intent(call agent.Call, plan func(*workspace, args) (change, error)) ([]agent.FileChange, [][]byte) {
	a, err := decodeArgs(call.Args)
	if err != nil {
		return nil, nil // the call itself will say so, here and below
	}
	w, err := openWorkspace(call, fw.closed)
	if err != nil {
		return nil, nil
	}
	defer w.close()
	c, err := plan(w, a)
	if err != nil || c.info != nil && bytes.Equal(c.data, c.target.data) {
		return nil, nil
	}
	r := c.result()
	return r.Changes, r.Blobs
}

// intended is the change an earlier start of the call intended, if the file is
// as that would have left it.
func (t target) intended(changes []agent.FileChange) (agent.FileChange, bool) {
	i := slices.IndexFunc(changes, func(c agent.FileChange) bool { return c.Path == t.rel && c.After == t.digest })
	if i < 0 {
		return agent.FileChange{}, false
	}
	return changes[i], true
}

// unchanged is the result where the file has the content already: because the
// call was made before by a process that died then, or anyway.
func (c change) unchanged(intended []agent.FileChange) agent.Result {
	r := agent.Result{
		Content: fmt.Sprintf("%s has exactly this content already; nothing was changed.", c.rel),
		Files:   []agent.FileState{{Path: c.rel, Digest: c.digest}},
	}
	if before, done := c.intended(intended); done {
		r.Content, r.Changes = c.says, []agent.FileChange{before}
	}
	return r
}

// result tells the model what was done, and the run what there was before.
func (c change) result() agent.Result {
	made := agent.FileChange{Path: c.rel, After: agent.Digest(c.data)}
	r := agent.Result{Content: c.says, Files: []agent.FileState{{Path: c.rel, Digest: made.After}}, Blobs: [][]byte{c.data}}
	if c.info != nil {
		made.Before, made.Mode = c.digest, fmt.Sprintf("%04o", c.info.Mode().Perm())
		r.Blobs = [][]byte{c.target.data, c.data}
	}
	r.Changes = []agent.FileChange{made}
	return r
}

// put replaces the file in one step.
func (c change) put(w *workspace) (agent.Result, error) {
	dir, err := openDir(w.root, path.Dir(c.rel), true)
	if err != nil {
		return agent.Result{}, fmt.Errorf("write %s: %w", c.rel, err)
	}
	defer dir.Close()
	name, perm := path.Base(c.rel), fs.FileMode(0)
	if c.info != nil {
		perm = c.info.Mode().Perm()
	}
	if err := atomicfile.WriteIf(dir, name, c.data, perm, func() error { return c.still(dir, name) }); err != nil {
		return agent.Result{}, fmt.Errorf("%s stays as it is: %w", c.rel, err)
	}
	return c.result(), nil
}

// still refuses a file that somebody else changed, made or removed since it was
// looked at.
func (t target) still(dir *os.Root, name string) error {
	now, err := dir.Lstat(name)
	switch {
	case t.info == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case t.info == nil && err == nil:
		return fmt.Errorf("%s was made by somebody else just now: read it with read_file first", t.rel)
	case err != nil:
		return fmt.Errorf("%s changed while it was written: %w", t.rel, err)
	case !os.SameFile(t.info, now), now.Size() != t.info.Size(), !now.ModTime().Equal(t.info.ModTime()), now.Mode() != t.info.Mode():
		return fmt.Errorf("%s changed while it was written: read it again with read_file, then repeat the change", t.rel)
	}
	return nil
}
