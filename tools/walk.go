package tools

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// entry is a file, link or directory met on a walk.
type entry struct {
	rel   string
	depth int      // 1 for what lies in the directory the walk began in
	dir   *os.Root // where it lies; open while the entry is looked at
	dirEntry
}

// dirEntry is what a directory says of one entry: its kind by type bits alone.
type dirEntry struct {
	name string
	typ  fs.FileMode
}

// walk looks at everything below a directory but for .git, what is closed to
// all tools by its name, and what ignore rules exclude. A directory that is
// itself excluded was asked for by name, so nothing in it counts as excluded.
// Links are met, not followed.
//
// Several goroutines list directories and look, ahead of the caller's, which is
// told what was found in the order of names, parents first.
type walk[T any] struct {
	w *workspace
	// into says whether to go into a directory.
	into func(entry) bool
	// look returns what there is to tell of entries of one directory: a
	// directory alone, or some of its files. It is called concurrently.
	look func([]entry) []T
	// tell is told one thing found.
	tell func(T)

	ctx   context.Context //nolint:containedctx // lives as long as one walk
	inner string          // path of the workspace in its repository, see rulesAround
	all   bool            // the base is excluded: show all of it

	mu    sync.Mutex
	wake  sync.Cond
	stack []*part[T] // to be done; what comes first in the order lies near the end
	ahead int        // parts done, or in work, that are not told yet
	over  bool
}

const (
	filesAtOnce = 32  // how many files one goroutine takes at a time
	maxAhead    = 256 // how many parts may be done before they are told
	maxWalkers  = 8
)

// part is a piece of a walk that one goroutine does: a directory to list, or
// some of its files to look at.
type part[T any] struct {
	taken atomic.Bool
	done  chan struct{}

	dir   *handle // where it lies
	files []entry
	list  *entry // the directory to list, rather than files
	rules []ignoreRule

	found []T        // to be told first
	parts []*part[T] // and then these
}

// handle is an open directory that several parts share; the last closes it.
type handle struct {
	root *os.Root
	uses atomic.Int32
}

func (h *handle) release() {
	if h.uses.Add(-1) == 0 {
		_ = h.root.Close() // opened for reading
	}
}

// run walks the directory base.
func (wk *walk[T]) run(ctx context.Context, base string) error {
	root, err := openDir(wk.w.root, base, false)
	if err != nil {
		return err
	}
	h := &handle{root: root}
	h.uses.Add(1)
	defer h.release()
	wk.ctx, wk.wake.L = ctx, &wk.mu
	rules := wk.rulesAbove(base)
	first := &part[T]{dir: h, done: make(chan struct{})}
	if err := wk.list(first, base, 0, rules); err != nil {
		return err
	}
	var walkers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxWalkers) {
		walkers.Go(wk.work)
	}
	defer func() {
		wk.end()
		walkers.Wait()
	}()
	return wk.report(first)
}

// rulesAbove are the rules in force in base, without those it adds itself.
func (wk *walk[T]) rulesAbove(base string) (rules []ignoreRule) {
	wk.inner, rules = rulesAround(wk.w.real)
	if base == "." {
		return rules
	}
	dir := "."
	for _, name := range strings.Split(base, "/") {
		rules = append(rules, wk.readRules(wk.w.root, path.Join(dir, ignoreFile), dir)...)
		dir = path.Join(dir, name)
		if ignored(rules, wk.inner+dir, true) {
			wk.all = true
			return nil
		}
		if _, err := wk.w.root.Lstat(path.Join(dir, ".git")); err == nil {
			rules = wk.ownRules(dir)
		}
	}
	return rules
}

// ownRules are those a repository in the workspace has of its own. For what
// lies in it those around it do not count.
func (wk *walk[T]) ownRules(rel string) []ignoreRule {
	return parseIgnore(wk.inner+rel+"/", readExclude(path.Join(wk.w.real, rel)))
}

// readRules reads the rules that the file of that name in dir holds for the
// directory at rel.
func (wk *walk[T]) readRules(dir *os.Root, name, rel string) []ignoreRule {
	f, _, err := openFile(dir, name)
	if err != nil {
		return nil // mostly because there is none
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	if rel == "." {
		return parseIgnore(wk.inner, data)
	}
	return parseIgnore(wk.inner+rel+"/", data)
}

// list reads the directory of a part, which lies at rel, and makes the parts
// that are to be done next.
func (wk *walk[T]) list(p *part[T], rel string, depth int, rules []ignoreRule) error {
	entries, err := entriesOf(p.dir.root)
	if err != nil && depth == 0 {
		return err
	}
	slices.SortFunc(entries, func(a, b dirEntry) int { return strings.Compare(a.name, b.name) })
	if depth > 0 && has(entries, ".git") {
		rules = wk.ownRules(rel)
	}
	if !wk.all && has(entries, ignoreFile) {
		// Clipped, so that sibling directories do not share what they append.
		rules = append(slices.Clip(rules), wk.readRules(p.dir.root, ignoreFile, rel)...)
	}
	prefix := rel + "/"
	if rel == "." {
		prefix = ""
	}
	var files *part[T]
	for _, d := range entries {
		e := entry{rel: prefix + d.name, depth: depth + 1, dir: p.dir.root, dirEntry: d}
		switch {
		case wk.hidden(e, rules):
		case d.typ.IsDir():
			files = nil
			p.parts = append(p.parts, &part[T]{found: wk.look([]entry{e})})
			if wk.into(e) {
				p.add(&part[T]{list: &e, rules: rules})
			}
		default:
			if files == nil || len(files.files) == filesAtOnce {
				files = p.add(&part[T]{})
			}
			files.files = append(files.files, e)
		}
	}
	wk.push(p.parts)
	return nil
}

// add appends a part that is to be done.
func (p *part[T]) add(next *part[T]) *part[T] {
	next.dir, next.done = p.dir, make(chan struct{})
	p.dir.uses.Add(1)
	p.parts = append(p.parts, next)
	return next
}

// do does the work of a part.
func (wk *walk[T]) do(p *part[T]) {
	defer close(p.done)
	defer func() { p.dir.release() }() // which may have become another
	switch {
	case wk.ctx.Err() != nil:
	case p.list == nil:
		p.found = wk.look(p.files)
	default:
		// A directory that is closed to us, or gone since it was met, counts as
		// empty.
		root, info, err := enter(p.dir.root, p.list.name, false)
		if err != nil {
			return
		}
		p.dir.release()
		p.dir = &handle{root: root}
		p.dir.uses.Add(1)
		if wk.w.deny(p.list.rel, info) == nil {
			_ = wk.list(p, p.list.rel, p.list.depth, p.rules)
		}
	}
	p.files = nil
}

func has(entries []dirEntry, name string) bool {
	_, found := slices.BinarySearchFunc(entries, name, func(d dirEntry, name string) int { return strings.Compare(d.name, name) })
	return found
}

func (wk *walk[T]) hidden(e entry, rules []ignoreRule) bool {
	return strings.EqualFold(e.name, ".git") || ignored(rules, wk.inner+e.rel, e.typ.IsDir()) || wk.w.deny(e.rel, nil) != nil
}

// showable reports whether what a walk met may be shown though its name is
// open: it may be a hard link of what is closed.
func (w *workspace) showable(rel string) bool {
	info, err := w.root.Lstat(rel)
	return err == nil && w.deny(rel, info) == nil
}
