package tools

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// secretFiles finds the files and directories of a workspace that are closed by
// their names. It remembers what it saw: a directory is read again when it has
// changed. The zero value is ready; it is safe for concurrent use.
type secretFiles struct {
	mu   sync.Mutex
	seen map[string]seenDir
}

// seenDir is what a directory held when it was read.
type seenDir struct {
	changed time.Time // the directory's own time
	read    time.Time
	closed  []string // paths in it that are closed
	open    []string // directories in it that are not
	git     string   // its .git directory, if it has one
}

// tooFresh is how long after a change of a directory another may go unseen,
// because file systems keep coarse times.
const tooFresh = 2 * time.Second

// in returns what is closed in workspace, which is real, and the git directories
// of repositories in it. What lies in a closed directory is not looked for, nor
// what lies in .git, and in node_modules, whose files are public.
func (s *secretFiles) in(workspace string, d denied) (closed, repositories []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.seen
	s.seen = map[string]seenDir{} // directories that are gone are forgotten
	for todo := []string{workspace}; len(todo) > 0; todo = todo[1:] {
		at := s.look(todo[0], workspace, d, last)
		closed = append(closed, at.closed...)
		if at.git != "" && todo[0] != workspace {
			repositories = append(repositories, at.git)
		}
		todo = append(todo, at.open...)
	}
	return closed, repositories
}

// look returns what a directory holds, from last if it did not change since.
func (s *secretFiles) look(dir, workspace string, d denied, last map[string]seenDir) seenDir {
	info, err := os.Lstat(dir)
	if err != nil {
		return seenDir{}
	}
	known, ok := last[dir]
	if !ok || !known.changed.Equal(info.ModTime()) || known.read.Sub(known.changed) < tooFresh {
		known = readSeen(dir, workspace, d)
		known.changed = info.ModTime()
	}
	s.seen[dir] = known
	return known
}

func readSeen(dir, workspace string, d denied) seenDir {
	at := seenDir{read: time.Now()}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return at // who cannot list it may still name what is in it, as anywhere
	}
	for _, e := range entries {
		full := filepath.Join(dir, e.Name())
		rel, err := filepath.Rel(workspace, full)
		switch {
		case err == nil && d.refuses(full, filepath.ToSlash(rel), nil) != nil:
			at.closed = append(at.closed, full)
			if e.Type() == fs.ModeSymlink { // what it leads to is meant
				at.closed = append(at.closed, realPath(full))
			}
		case e.IsDir() && e.Name() == ".git":
			at.git = full
		case e.IsDir() && e.Name() != "node_modules":
			at.open = append(at.open, full)
		}
	}
	return at
}

// outside are the paths that the user's absolute patterns name.
func (d denied) outside() []string {
	var out []string
	for _, g := range d.globs {
		if !g.absolute {
			continue
		}
		found, _ := doublestar.FilepathGlob(filepath.FromSlash(g.glob)) // as far as it can be read
		out = append(out, found...)
	}
	return out
}
