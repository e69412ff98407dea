package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxWatched bounds what is kept in memory of what must not change.
const maxWatched = 64 << 20

// witness remembers what must not change where the kernel cannot be made to
// keep it, and puts it back afterwards. It is used when nothing of the command
// runs any more.
type witness struct {
	roots []string // places the command may write, which hold what is watched
	items []string // what is watched, each with all below it
	paths map[string]entry
	ways  map[string]fs.FileMode // types of what leads to the items
	size  int64
}

// entry is what is at a path: nothing, a file, a directory or a link.
type entry struct {
	mode fs.FileMode // with its type
	data []byte      // of a file, or where a link leads
}

// watch remembers those of paths that p's command could write.
func watch(p policy, paths []string) (*witness, error) {
	w := &witness{paths: map[string]entry{}, ways: map[string]fs.FileMode{}, roots: p.write}
	for _, path := range paths {
		if !p.writable(path) {
			continue
		}
		w.items = append(w.items, path)
		for _, dir := range w.way(path) {
			if info, err := os.Lstat(dir); err == nil {
				w.ways[dir] = info.Mode().Type()
			}
		}
		if err := w.remember(path); err != nil {
			return nil, fmt.Errorf("remember %s: %w", path, err)
		}
	}
	return w, nil
}

// remember takes up what is at path and below. What does not exist has no
// entry.
func (w *witness) remember(path string) error {
	return filepath.WalkDir(path, func(at string, _ fs.DirEntry, err error) error {
		if isMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		e, err := look(at)
		if err != nil {
			return err
		}
		if w.size += int64(len(e.data)); w.size > maxWatched {
			return fmt.Errorf("it holds more than %d MiB, which cannot be watched", maxWatched>>20)
		}
		w.paths[at] = e
		return nil
	})
}

// isMissing reports whether there is nothing at a path, also because a file lies
// where a directory would lead to it.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// look is what is at path.
func look(path string) (entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	e := entry{mode: info.Mode()}
	switch info.Mode().Type() {
	case 0:
		if info.Size() > maxWatched {
			return entry{}, errors.New("is too large to be watched")
		}
		e.data, err = os.ReadFile(path)
	case fs.ModeSymlink:
		var target string
		target, err = os.Readlink(path)
		e.data = []byte(target)
	}
	return e, err
}

func (e entry) equal(other entry) bool {
	return e.mode == other.mode && bytes.Equal(e.data, other.data)
}

// restore puts back what differs and names it, as paths. On a nil witness it
// does nothing.
func (w *witness) restore() (restored []string, err error) {
	if w == nil {
		return nil, nil
	}
	for _, path := range w.items {
		changed, one := w.restoreOne(path)
		if changed {
			restored = append(restored, path)
		}
		if one != nil {
			err = errors.Join(err, fmt.Errorf("put %s back: %w", path, one))
		}
	}
	return restored, err
}

func (w *witness) restoreOne(path string) (changed bool, err error) {
	wanted := w.below(path)
	if changed, err = w.clearWay(path, len(wanted) > 0); err != nil {
		return changed, err
	}
	if len(wanted) == 0 && harmless(path) {
		return changed, nil
	}
	removed, err := w.removeNew(path)
	changed = changed || removed
	for _, at := range wanted {
		now, missing := look(at)
		if missing == nil && now.equal(w.paths[at]) {
			continue
		}
		changed = true
		err = errors.Join(err, put(at, w.paths[at], missing == nil))
	}
	return changed, err
}

// removeNew removes what is at path or below, and was not there or was of
// another kind.
func (w *witness) removeNew(path string) (changed bool, err error) {
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			if isMissing(err) {
				return nil
			}
			return err
		}
		if was, known := w.paths[at]; known && d.Type() == was.mode.Type() {
			return nil
		}
		changed = true
		if err := os.RemoveAll(at); err != nil {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return changed, err
}

// below are the remembered paths at path and below it, parents first.
func (w *witness) below(path string) []string {
	var out []string
	for at := range w.paths {
		if within(at, path) {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return out
}

// way are the directories from the place the command may write to path.
func (w *witness) way(path string) []string {
	for _, root := range w.roots {
		if !within(path, root) {
			continue
		}
		var out []string
		for dir := filepath.Dir(path); dir != root && within(dir, root); dir = filepath.Dir(dir) {
			out = append(out, dir)
		}
		slices.Reverse(out)
		return out
	}
	return nil
}

// clearWay removes what a command put in the place of a directory that leads to
// path: a link would lead git, the agent or what is put back elsewhere. With
// create, the directories are made again.
func (w *witness) clearWay(path string, create bool) (changed bool, err error) {
	for _, dir := range w.way(path) {
		info, err := os.Lstat(dir)
		was, known := w.ways[dir]
		if err == nil && (info.IsDir() || known && was == info.Mode().Type()) {
			continue
		}
		if err == nil {
			changed = true
			if err := os.Remove(dir); err != nil {
				return changed, err
			}
		}
		if !create {
			return changed, nil
		}
		changed = true
		if err := os.Mkdir(dir, 0o755); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// put makes what was at a path be there again.
func put(path string, was entry, there bool) error {
	switch was.mode.Type() {
	case fs.ModeDir:
		if !there {
			if err := os.Mkdir(path, was.mode.Perm()); err != nil {
				return err
			}
		}
		return os.Chmod(path, was.mode.Perm())
	case fs.ModeSymlink:
		_ = os.Remove(path) // if it is there
		return os.Symlink(string(was.data), path)
	case 0:
		_ = os.Remove(path) // if it is there: other names of the file keep what they have
		if err := os.WriteFile(path, was.data, was.mode.Perm()); err != nil {
			return err
		}
		return os.Chmod(path, was.mode.Perm())
	}
	return fmt.Errorf("it was a %s", strings.TrimSpace(was.mode.Type().String()))
}
