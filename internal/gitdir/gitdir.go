// Package gitdir reads what git keeps of a working tree. No git process is started:
// the layout is documented in gitrepository-layout(5).
package gitdir

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// repository is where git keeps what it knows of a working tree.
type repository struct {
	gitDir    string // of this worktree
	commonDir string // shared by all worktrees of the repository
}

// findRepository looks for the repository dir lies in.
func findRepository(dir string) (repository, bool) {
	for {
		if r, ok := repositoryAt(dir); ok {
			return r, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return repository{}, false
		}
		dir = parent
	}
}

func repositoryAt(dir string) (repository, bool) {
	dot := filepath.Join(dir, ".git")
	info, err := os.Stat(dot)
	if err != nil {
		return repository{}, false
	}
	gitDir := dot
	if !info.IsDir() { // a linked worktree or a submodule
		gitDir = pointer(dot, dir, "gitdir: ")
	}
	if _, err := os.Lstat(filepath.Join(gitDir, "HEAD")); gitDir == "" || err != nil {
		return repository{}, false
	}
	r := repository{gitDir: gitDir, commonDir: gitDir}
	if common := pointer(filepath.Join(gitDir, "commondir"), gitDir, ""); common != "" {
		r.commonDir = common
	}
	return r, true
}

// pointer reads a one-line file that names a path relative to base; "" if
// there is none.
func pointer(file, base, prefix string) string {
	line := firstLine(file)
	path, ok := strings.CutPrefix(line, prefix)
	if !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return filepath.Clean(path)
}

// Open opens a file of a repository, if it is a regular one. Anybody may pack a
// directory, and a pipe in it would let whoever opens it wait for ever.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.Open(path)
}

// ReadFile reads a file as Open opens it.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func firstLine(file string) string {
	f, err := Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Scan()
	return strings.TrimSpace(s.Text())
}

// Project is what "this workspace" compares: the common directory of the git
// repository, so that all its worktrees and subdirectories are one, else the
// directory itself. Links are followed where that can be done.
func Project(workspace string) string {
	project := workspace
	if r, ok := findRepository(workspace); ok {
		project = r.commonDir
	}
	if real, err := filepath.EvalSymlinks(project); err == nil {
		return real
	}
	return project
}

// Commit is the ID of the commit the workspace stands at; "" where that cannot be
// read simply (no repository, no commit yet, reftable).
func Commit(workspace string) string {
	r, ok := findRepository(workspace)
	if !ok {
		return ""
	}
	head := firstLine(filepath.Join(r.gitDir, "HEAD"))
	ref, symbolic := strings.CutPrefix(head, "ref: ")
	if !symbolic {
		return objectID(head)
	}
	if !filepath.IsLocal(ref) {
		return ""
	}
	if id := objectID(firstLine(filepath.Join(r.commonDir, filepath.FromSlash(ref)))); id != "" {
		return id
	}
	return packedRef(filepath.Join(r.commonDir, "packed-refs"), ref)
}

func packedRef(file, ref string) string {
	f, err := Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if id, name, ok := strings.Cut(s.Text(), " "); ok && name == ref {
			return objectID(id)
		}
	}
	return ""
}

// objectID returns s if it is a SHA-1 or SHA-256 in hexadecimal, else "".
func objectID(s string) string {
	if (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == "" {
		return s
	}
	return ""
}
