package tools

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed-3e5a1d81/agent/internal/gitdir"
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
	way     string   // its .git, if that is a file or a link
	bare    bool     // git takes it for a git directory itself
}

// tooFresh is how long after a change of a directory another may go unseen,
// because file systems keep coarse times.
const tooFresh = 2 * time.Second

// found is what of a workspace matters to a sandbox.
type found struct {
	closed       []string // closed files and directories
	repositories []string // the git directories of repositories in it, beside its own
	// gits are these, and files and links of that name, by path: "" for a
	// directory, else what it says.
	gits map[string]string
}

// in looks through workspace, which is real. What lies in a closed directory is
// not looked for, nor what lies in .git, and in node_modules, whose files are
// public.
func (s *secretFiles) in(workspace string, d denied) found {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.seen
	s.seen = map[string]seenDir{} // directories that are gone are forgotten
	f := found{gits: map[string]string{}}
	for todo := []string{workspace}; len(todo) > 0; todo = todo[1:] {
		at := s.look(todo[0], workspace, d, last)
		f.closed = append(f.closed, at.closed...)
		if todo[0] != workspace {
			f.addGit(todo[0], at)
		}
		todo = append(todo, at.open...)
	}
	return f
}

func (f *found) addGit(dir string, at seenDir) {
	if at.bare {
		f.repositories = append(f.repositories, dir)
		f.gits[dir] = ""
	}
	switch {
	case at.git != "":
		f.repositories = append(f.repositories, at.git)
		f.gits[at.git] = ""
	case at.way != "":
		data, _ := gitdir.ReadFile(at.way) // what cannot be read leads nowhere
		target, _ := os.Readlink(at.way)
		f.gits[at.way] = "leads to " + target + string(data)
	}
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
	at.bare = bare(entries)
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
		case e.Name() == ".git":
			at.way = full
		case e.IsDir() && e.Name() != "node_modules":
			at.open = append(at.open, full)
		}
	}
	return at
}

// bare reports whether git would take a directory with these entries for a git
// directory, whatever its name.
func bare(entries []fs.DirEntry) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
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
