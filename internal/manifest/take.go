package manifest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// Options say how a tree is looked at. The zero value is useful.
type Options struct {
	// Previous is the manifest before; content is read where a file differs
	// from it. Nil: nothing is read.
	Previous *Manifest
	// Skip leaves out a path, with all below; abs is below the directory given.
	Skip func(abs string) bool
	// Limit is how many entries there may be; 0: 200,000.
	Limit int64
}

const defaultLimit = 200_000

// Take looks at the tree below dir. No link is followed. What cannot be read is
// taken by its name alone. The error wraps ErrTooLarge, also where ctx ends for
// its deadline, or is the reason why dir itself cannot be read.
func Take(ctx context.Context, dir string, o Options) (*Manifest, error) {
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	w := &walker{ctx: ctx, root: dir, o: o, slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("survey %s: %w", dir, err)
	}
	w.walk(".")
	w.busy.Wait()
	switch {
	case w.count.Load() > o.Limit:
		return nil, fmt.Errorf("survey %s: %w: more than %d files", dir, ErrTooLarge, o.Limit)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("survey %s: %w: %w", dir, ErrTooLarge, context.Cause(ctx))
	}
	m := &Manifest{Entries: sorted(w.entries)}
	if o.Previous != nil {
		m.read(ctx, dir, o.Previous)
	}
	return m, nil
}

// walker goes through a tree with several goroutines.
type walker struct {
	ctx   context.Context //nolint:containedctx // of the one walk
	root  string
	o     Options
	slots chan struct{}
	busy  sync.WaitGroup
	count atomic.Int64

	mu      sync.Mutex
	entries []Entry
}

// walk takes what lies in rel. Directories in it are others' work where
// somebody is free.
func (w *walker) walk(rel string) {
	if w.ctx.Err() != nil || w.count.Load() > w.o.Limit {
		return
	}
	for _, sub := range w.list(rel) {
		select {
		case w.slots <- struct{}{}:
			w.busy.Go(func() {
				w.walk(sub)
				<-w.slots
			})
		default:
			w.walk(sub)
		}
	}
}

// list takes the entries of a directory and returns the directories among them
// that are to be walked.
func (w *walker) list(rel string) (dirs []string) {
	abs := filepath.Join(w.root, filepath.FromSlash(rel))
	dir, err := os.Open(abs)
	if err != nil {
		return nil // its own entry tells its mode
	}
	defer dir.Close()
	list, err := dir.ReadDir(-1)
	if err != nil && len(list) == 0 {
		return nil
	}
	found := make([]Entry, 0, len(list))
	for _, item := range list {
		if inGit(rel) && !decides(item.Name()) || w.o.Skip != nil && w.o.Skip(filepath.Join(abs, item.Name())) {
			continue
		}
		e, err := entryIn(dir, item, path.Join(rel, item.Name()))
		if err != nil {
			continue // gone in between
		}
		if e.Mode.Type() == fs.ModeSymlink {
			if target, err := os.Readlink(filepath.Join(abs, item.Name())); err == nil {
				e.Sum = sumOf([]byte(target))
			}
		}
		found = append(found, e)
		if e.Mode.IsDir() {
			dirs = append(dirs, e.Path)
		}
	}
	w.count.Add(int64(len(found)))
	w.mu.Lock()
	w.entries = append(w.entries, found...)
	w.mu.Unlock()
	return dirs
}

func inGit(rel string) bool { return path.Base(rel) == ".git" }

// decides reports whether an entry of a .git directory decides what git does
// next, or runs.
func decides(name string) bool {
	switch name {
	case "HEAD", "config", "config.worktree", "refs", "packed-refs", "hooks", "info":
		return true
	}
	return false
}

func entryOf(rel string, info fs.FileInfo) Entry {
	e := Entry{Path: rel, Mode: info.Mode()}
	if info.IsDir() {
		return e
	}
	if info.Mode().IsRegular() {
		e.Size = info.Size()
	}
	e.MTime = info.ModTime().UnixNano()
	e.CTime, e.Inode = system(info)
	return e
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
