package repofile

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// Root is the root of the working tree that workspace, an absolute path
// without links, lies in: the nearest directory upward with a git directory,
// or with the file that stands for one in linked worktrees and submodules. It
// is workspace itself where there is none, and where the one found belongs to
// another user than workspace does: somebody who can write to /tmp must not
// speak to everybody who works below it.
func Root(workspace string) string {
	own, err := os.Stat(workspace)
	if err != nil {
		return workspace
	}
	for dir := workspace; ; {
		if marksRoot(filepath.Join(dir, ".git")) {
			if sameOwner(own, dir) && sameOwner(own, filepath.Join(dir, ".git")) {
				return dir
			}
			return workspace
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return workspace
		}
		dir = parent
	}
}

func sameOwner(own os.FileInfo, path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	a, known := owner(own)
	b, alsoKnown := owner(info)
	return known == alsoKnown && a == b
}

// marksRoot reports whether dot is a git directory or points to one.
func marksRoot(dot string) bool {
	info, err := os.Stat(dot)
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		return strings.HasPrefix(firstLine(dot), "gitdir: ")
	}
	_, err = os.Lstat(filepath.Join(dot, "HEAD"))
	return err == nil
}

func firstLine(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Scan()
	return s.Text()
}
