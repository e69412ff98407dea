package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Policy is what one command may do. Paths are absolute. Whatever is not
// mentioned can be read and not written; the temporary directories of the
// system are exchanged for private ones.
type Policy struct {
	// Workspace is where the command runs.
	Workspace string
	// Run names the run that the private temporary directory belongs to; "":
	// one that other commands without a run share.
	Run string
	// ReadOnly keeps the command from every write but to private places, and
	// from the network, whatever the fields below say.
	ReadOnly bool
	// Write are further places it may write, beside the workspace and the
	// repository it lies in. What does not exist is passed over.
	Write []string
	// Repositories are git directories in the workspace beside its own, whose
	// hooks and configuration stay as they are.
	Repositories []string
	// Protect stays as it is wherever it lies; it may be missing, and then it
	// stays missing.
	Protect []string
	// Hide can neither be read nor written, and it may be missing. An engine
	// that cannot hide one of these refuses the command.
	Hide []string
	// Mask is hidden like Hide where the engine can.
	Mask []string
	// Network lets the command reach the network.
	Network bool
}

// policy is a Policy with all links resolved, each path in one place only.
type policy struct {
	dir      string // as the caller named the workspace
	readOnly bool
	network  bool
	write    []string // existing
	pinned   []string // directories that must not be moved away
	protect  []string // may be missing
	hide     []string // may be missing
	mask     []string // existing
	private  private
	embedded embedded
}

// resolve makes p ready for an engine.
func resolve(p Policy, private private) (policy, error) {
	workspace, err := filepath.EvalSymlinks(p.Workspace)
	if err != nil {
		return policy{}, err
	}
	if !filepath.IsAbs(p.Workspace) {
		return policy{}, fmt.Errorf("workspace %s is not absolute", p.Workspace)
	}
	if !p.ReadOnly && workspace == filepath.Dir(workspace) {
		return policy{}, errors.New("the workspace is the whole file system, so that all of it could be written")
	}
	out := policy{dir: p.Workspace, readOnly: p.ReadOnly, network: p.Network && !p.ReadOnly, private: private}
	out.hide = eachReal(p.Hide)
	out.mask = existing(eachReal(p.Mask))
	if p.ReadOnly {
		return out, nil
	}
	repo := repositoryOf(workspace)
	for _, gitDir := range existing(eachReal(p.Repositories)) {
		repo.add(gitDir, within(gitDir, workspace))
	}
	out.write = existing(eachReal(slices.Concat([]string{workspace}, p.Write, repo.write)))
	out.protect = eachReal(slices.Concat(p.Protect, repo.protect))
	out.pinned = existing(eachReal(repo.pinned))
	out.embedded = repo.embedded
	out.pinned = append(out.pinned, out.ways()...)
	return out, nil
}

// ways are the directories that lead, within what may be written, to what is
// protected or hidden: with one of them moved away, something else could be made
// in its place.
func (p policy) ways() []string {
	var out []string
	for _, path := range slices.Concat(p.protect, p.hide) {
		for dir := filepath.Dir(path); p.writable(dir) && !slices.Contains(p.write, dir); dir = filepath.Dir(dir) {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return existing(slices.Compact(out))
}

// writable reports whether p lies in a place that may be written.
func (p policy) writable(path string) bool {
	return slices.ContainsFunc(p.write, func(w string) bool { return within(path, w) })
}

// eachReal resolves the links of as much of each path as exists. A path that is
// a link itself counts twice: as the link and as what it leads to.
func eachReal(paths []string) []string {
	var out []string
	for _, p := range paths {
		parent := realPath(filepath.Dir(p))
		out = append(out, filepath.Join(parent, filepath.Base(p)))
		if followed := realPath(p); followed != out[len(out)-1] {
			out = append(out, followed)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// existing drops what does not exist, and links: what they lead to counts.
func existing(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		info, err := os.Lstat(p)
		return err != nil || info.Mode().Type() == os.ModeSymlink
	})
}

// within reports whether path is dir or lies in it; both are clean.
func within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator)))
	return ok && (rest == "" || os.IsPathSeparator(rest[0]))
}

// realPath is p with the links of as much of it as exists resolved.
func realPath(p string) string {
	p = filepath.Clean(p)
	rest := ""
	for dir := p; ; dir = filepath.Dir(dir) {
		if followed, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(followed, rest)
		}
		if dir == filepath.Dir(dir) {
			return p
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
