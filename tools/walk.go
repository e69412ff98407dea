package tools

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// entry is a file, link or directory met on a walk.
type entry struct {
	rel   string
	depth int      // 1 for what lies in the directory the walk began in
	dir   *os.Root // where it lies; open during the visit
	fs.DirEntry
}

var errStopWalk = errors.New("seen enough")

// walk visits everything below the directory base in the order of names,
// parents first, but for .git, what is closed to all tools and what
// .gitignore files exclude. A base that is itself excluded was asked for by name, so nothing in
// it counts as excluded. Links are visited, not followed. Visit says whether
// to go into a directory; errStopWalk ends the walk without an error.
func (w *workspace) walk(ctx context.Context, base string, visit func(entry) (into bool, err error)) error {
	wk := walker{w: w, ctx: ctx, visit: visit}
	rules := wk.rulesAbove(base)
	dir, err := openDir(w.root, base, false)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err = wk.walk(dir, base, 1, rules); errors.Is(err, errStopWalk) {
		return nil
	}
	return err
}

type walker struct {
	w     *workspace
	ctx   context.Context //nolint:containedctx // lives as long as one walk
	visit func(entry) (bool, error)
	all   bool // the base is excluded: show all of it
}

// rulesAbove are the rules in force in base, without those it adds itself.
func (wk *walker) rulesAbove(base string) []ignoreRule {
	rules := readRules(wk.w.root, ".git/info/exclude", ".")
	if base == "." {
		return rules
	}
	dir := "."
	for _, name := range strings.Split(base, "/") {
		rules = append(rules, readRules(wk.w.root, path.Join(dir, ignoreFile), dir)...)
		dir = path.Join(dir, name)
		if ignored(rules, dir, true) {
			wk.all = true
			return nil
		}
	}
	return rules
}

func (wk *walker) walk(dir *os.Root, rel string, depth int, rules []ignoreRule) error {
	entries, err := list(dir)
	if err != nil && depth == 1 {
		return err
	}
	if !wk.all && slices.ContainsFunc(entries, func(d fs.DirEntry) bool { return d.Name() == ignoreFile }) {
		// Clipped, so that sibling directories do not share what they append.
		rules = append(slices.Clip(rules), readRules(dir, ignoreFile, rel)...)
	}
	for _, d := range entries {
		if wk.ctx.Err() != nil {
			return context.Cause(wk.ctx)
		}
		e := entry{rel: path.Join(rel, d.Name()), depth: depth, dir: dir, DirEntry: d}
		if wk.hidden(e, rules) {
			continue
		}
		into, err := wk.visit(e)
		if err == nil && into && d.IsDir() {
			err = wk.into(e, rules)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// into walks a directory that was met. One that is closed to us, or gone since
// it was listed, counts as empty.
func (wk *walker) into(e entry, rules []ignoreRule) error {
	if dir, err := enter(e.dir, e.Name(), false); err == nil {
		defer dir.Close()
		return wk.walk(dir, e.rel, e.depth+1, rules)
	}
	return nil
}

func list(dir *os.Root) ([]fs.DirEntry, error) {
	d, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (wk *walker) hidden(e entry, rules []ignoreRule) bool {
	if strings.EqualFold(e.Name(), ".git") || ignored(rules, e.rel, e.IsDir()) {
		return true
	}
	info, err := e.Info()
	return err != nil || wk.w.deny(e.rel, info) != nil
}

// matchGlob matches a glob against a path relative to where a search began; a
// glob without a slash is matched against the name alone, at any depth.
func matchGlob(glob, rel string) bool {
	if !strings.Contains(glob, "/") {
		rel = path.Base(rel)
	}
	return doublestar.MatchUnvalidated(glob, rel)
}

// below is rel as seen from the directory base.
func below(base, rel string) string {
	if base == "." {
		return rel
	}
	return strings.TrimPrefix(rel, base+"/")
}
