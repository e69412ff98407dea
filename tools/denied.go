package tools

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Closed says which files and directories no tool may touch, beside those that
// always are: .ssh, .aws and .gnupg in the user's home directory, names that
// begin with ".env" in the workspace, and /proc, where the environment of
// every process lies. A name that ends in .example, .sample, .template or
// .dist, such as .env.example, is an example and open. What lies in a closed
// directory is closed, whatever its name.
//
// A path is judged when every link in it is resolved, so that a link is as
// closed as what it leads to; what exists is also known by its identity, which
// holds for other spellings and hard links of the paths, not of single .env
// files. Reading, writing, listing and searching a closed path by name is
// refused; listings and searches of what lies around it pass it over without a
// word, as they do with ignored files. The zero value is useful.
type Closed struct {
	// Paths are absolute: the agent's own data, see DeniedFor. They may be
	// missing yet. What SQLite and the store keep beside a file of that name
	// (-wal, -shm, -journal, -owners) counts too.
	Paths []string
	// Secrets are patterns of further paths, with *, ?, [ ], { } and **. With a
	// "/" or "~/" in front a pattern is absolute; with a "/" inside it starts at
	// the workspace; a bare name counts at any depth. Case does not matter. What
	// is no valid pattern is taken for a plain path.
	Secrets []string
	// Home is the user's home directory; "": as the system says.
	Home string
}

// DeniedFor returns the paths, for Config.Denied, that hold the data of an
// agent with its database at db and its data directory at dataDir, both
// absolute; "" leaves one out. Of the directory that a database lies in nothing
// but the database's own files is closed, so that it may be the workspace, or
// lie in it or around it.
func DeniedFor(db, dataDir string) []string {
	var paths []string
	if db != "" {
		paths = append(paths, filepath.Clean(db))
		// SQLite follows a link, and keeps its files beside the real one.
		if followed := realPath(db); followed != paths[0] {
			paths = append(paths, followed)
		}
	}
	for _, file := range paths[:len(paths):len(paths)] {
		for _, suffix := range databaseSuffixes() {
			paths = append(paths, file+suffix)
		}
	}
	if dataDir != "" {
		paths = append(paths, filepath.Clean(dataDir))
	}
	return paths
}

// databaseSuffixes are those of the files that lie beside a database and hold
// its content, or who works on it.
func databaseSuffixes() []string { return []string{"-wal", "-shm", "-journal", "-owners"} }

// procDir is where Linux shows the environment of every process.
const procDir = "/proc"

var (
	errOwnData = errors.New("is closed to all tools: the agent's own data lies there")
	errSecret  = errors.New("is protected, closed to all tools: secrets lie in such places. Go on without it, or ask the person for the part you need")
	errEnvFile = errors.New("is protected, closed to all tools: secrets lie in such files. Go on without it, or ask the person for the part you need; .env.example is open to you")
)

// denied is Closed, made ready for one call.
type denied struct {
	own, secret places
	globs       []secretGlob
}

func newDenied(c Closed) denied {
	d := denied{secret: places{fold: true}}
	for _, p := range c.Paths {
		d.own.add(p)
	}
	for _, p := range d.own.paths {
		for _, suffix := range databaseSuffixes() {
			d.own.paths = append(d.own.paths, p+suffix)
		}
	}
	d.secret.add(procDir)
	home := c.home()
	if filepath.IsAbs(home) {
		for _, name := range []string{".ssh", ".aws", ".gnupg"} {
			d.secret.add(filepath.Join(home, name))
		}
	}
	for _, pattern := range c.Secrets {
		d.addPattern(pattern, home)
	}
	return d
}

func (c Closed) home() string {
	if c.Home != "" {
		return c.Home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "" // nothing lies in a home there is none of
	}
	return home
}

// refuses says why no tool may touch abs, nil if one may. Rel is the path from
// the workspace, with slashes. Info may be nil. The directories that abs lies
// in are the caller's to ask about.
func (d denied) refuses(abs, rel string, info fs.FileInfo) error {
	switch {
	case d.own.cover(abs, info):
		return errOwnData
	case d.secret.cover(abs, info):
		return errSecret
	case envFile(path.Base(rel)):
		return errEnvFile
	}
	for _, g := range d.globs {
		if g.match(abs, rel) {
			return errSecret
		}
	}
	return nil
}

// around refuses a workspace that lies in a closed place. Patterns that start
// at the workspace have nothing to say about it.
func (d denied) around(workspace string) error {
	for dir := workspace; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			info = nil // told by name alone
		}
		if err := d.refuses(dir, ".", info); err != nil {
			return err
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// places are files, and directories with all in them.
type places struct {
	paths []string
	infos []fs.FileInfo
	fold  bool // compare names without case
}

func (s *places) add(p string) {
	p = filepath.Clean(p)
	s.paths = append(s.paths, p)
	if followed := realPath(p); followed != p {
		s.paths = append(s.paths, followed)
	}
	if info, err := os.Stat(p); err == nil {
		s.infos = append(s.infos, info)
	}
}

// cover compares by name, which also holds for what does not exist yet, and by
// identity, which holds for hard links and other spellings.
func (s *places) cover(abs string, info fs.FileInfo) bool {
	for _, p := range s.paths {
		if s.inside(abs, p) {
			return true
		}
	}
	for _, other := range s.infos {
		if info != nil && os.SameFile(info, other) {
			return true
		}
	}
	return false
}

// inside reports whether abs is p or lies in it.
func (s *places) inside(abs, p string) bool {
	p = strings.TrimSuffix(p, string(filepath.Separator))
	if len(abs) < len(p) || len(abs) > len(p) && !os.IsPathSeparator(abs[len(p)]) {
		return false
	}
	return abs[:len(p)] == p || s.fold && strings.EqualFold(abs[:len(p)], p)
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
