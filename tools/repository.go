package tools

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxIgnoreFile is how much of a file of ignore rules is read.
const maxIgnoreFile = 1 << 20

// rulesAround are the ignore rules that a workspace in a git repository has
// from above it: those of the repository (.git/info/exclude) and of the
// .gitignore files in the directories between its top and the workspace. Inner
// is the path of the workspace from the top, "" at the top or outside of any
// repository, else with a slash at the end; paths of entries are matched with
// it in front. Where the workspace is itself ignored, nothing from above counts.
// The user's own rules (core.excludesFile) are not read, so that a search finds
// the same on every machine.
func rulesAround(workspace string) (inner string, rules []ignoreRule) {
	top := workspace
	for !exists(filepath.Join(top, ".git")) {
		if top == filepath.Dir(top) {
			return "", nil
		}
		top = filepath.Dir(top)
	}
	rules = parseIgnore("", readExclude(top))
	if top == workspace {
		return "", rules
	}
	rel, err := filepath.Rel(top, workspace)
	if err != nil { // cannot be: top was cut from it
		return "", nil
	}
	for _, name := range strings.Split(filepath.ToSlash(rel), "/") {
		rules = append(rules, parseIgnore(inner, readSmall(filepath.Join(top, filepath.FromSlash(inner), ignoreFile)))...)
		inner += name
		if ignored(rules, inner, true) {
			return filepath.ToSlash(rel) + "/", nil
		}
		inner += "/"
	}
	return inner, rules
}

// readExclude reads the rules that the repository itself keeps. Top/.git is a
// file in worktrees and submodules, and says where the repository is.
func readExclude(top string) []byte {
	git := filepath.Join(top, ".git")
	if pointer, ok := strings.CutPrefix(string(readSmall(git)), "gitdir:"); ok {
		git = beside(top, strings.TrimSpace(pointer))
		if common := strings.TrimSpace(string(readSmall(filepath.Join(git, "commondir")))); common != "" {
			git = beside(git, common)
		}
	}
	return readSmall(filepath.Join(git, "info", "exclude"))
}

// beside is p, taken from dir if it is relative.
func beside(dir, p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

// readSmall reads the beginning of a regular file, nothing of anything else. A
// link is no ignore file, as for git.
func readSmall(p string) []byte {
	info, err := os.Lstat(p)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(p)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return data
}
