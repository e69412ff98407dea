package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

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

// protected names the reason why no mode writes the file, "" if there is none.
// What lies there is run by git, or configures the agent itself.
func protected(rel string) string {
	parts := strings.Split(rel, "/")
	for _, part := range parts {
		if strings.EqualFold(part, ".git") {
			return "the inside of .git belongs to git"
		}
	}
	n := len(parts)
	if n > 1 && strings.EqualFold(parts[n-1], "config.toml") && strings.EqualFold(parts[n-2], ".mastracode") {
		return "it configures the agent"
	}
	return ""
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

// unchanged is the result of a write that leaves the file as it is.
func (t target) unchanged() agent.Result {
	return agent.Result{
		Content: fmt.Sprintf("%s has exactly this content already; nothing was changed.", t.rel),
		Files:   []agent.FileState{{Path: t.rel, Digest: t.digest}},
	}
}

// put replaces the file in one step and tells the run what there was before.
func (t target) put(w *workspace, data []byte, content string) (agent.Result, error) {
	dir, err := openDir(w.root, path.Dir(t.rel), true)
	if err != nil {
		return agent.Result{}, fmt.Errorf("write %s: %w", t.rel, err)
	}
	defer dir.Close()
	var perm fs.FileMode
	if t.info != nil {
		perm = t.info.Mode().Perm()
	}
	if err := atomicfile.Write(dir, path.Base(t.rel), data, perm); err != nil {
		return agent.Result{}, err
	}
	change := agent.FileChange{Path: t.rel, After: agent.Digest(data)}
	r := agent.Result{Content: content, Files: []agent.FileState{{Path: t.rel, Digest: change.After}}, Blobs: [][]byte{data}}
	if t.info != nil {
		change.Before, change.Mode = t.digest, fmt.Sprintf("%04o", perm)
		r.Blobs = [][]byte{t.data, data}
	}
	r.Changes = []agent.FileChange{change}
	return r, nil
}
