package sandbox

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/gitdir"
)

// repository is what commands need to use git in a workspace, and what of it
// they must leave alone: git runs programs that its hooks and its configuration
// name, whoever wrote them.
type repository struct {
	write   []string // directories beside the workspace that git writes
	pinned  []string // directories that must not be moved away
	protect []string
	embedded
}

// repositoryOf finds the repository that git would use in dir, which is real.
func repositoryOf(dir string) repository {
	own := filepath.Join(dir, ".git")
	r := repository{protect: append(guarded(own), own+"/commondir"), embedded: embedded{indexes: map[string][]byte{}}}
	if _, err := os.Lstat(own); err != nil {
		// Without one, git takes a directory with this file for a repository.
		r.protect = append(r.protect, filepath.Join(dir, "HEAD"))
	}
	for at := dir; ; at = filepath.Dir(at) {
		dotGit := filepath.Join(at, ".git")
		info, err := os.Lstat(dotGit)
		switch {
		case err != nil:
		case info.IsDir():
			r.add(dotGit, at == dir)
			r.use(at, dotGit)
			return r
		default:
			r.follow(dotGit, at == dir)
			return r
		}
		if at == filepath.Dir(at) {
			return r
		}
	}
}

// add takes up a git directory.
func (r *repository) add(gitDir string, inside bool) {
	if inside {
		r.pinned = append(r.pinned, gitDir)
	} else {
		r.write = append(r.write, gitDir)
	}
	r.protect = append(r.protect, guarded(gitDir)...)
	r.protect = append(r.protect, gitDir+"/commondir")
	for _, module := range nested(filepath.Join(gitDir, "modules"), 0) {
		r.pinned = append(r.pinned, module)
		r.protect = append(r.protect, guarded(module)...)
	}
	trees, _ := os.ReadDir(filepath.Join(gitDir, "worktrees")) // most have none
	for _, tree := range trees {
		at := filepath.Join(gitDir, "worktrees", tree.Name())
		r.pinned = append(r.pinned, at)
		r.protect = append(r.protect, at+"/commondir", at+"/gitdir", at+"/config.worktree")
	}
}

// guarded is what git takes programs to run from, and what leads it elsewhere.
func guarded(gitDir string) []string {
	return []string{gitDir + "/hooks", gitDir + "/config", gitDir + "/config.worktree"}
}

// follow takes up the git directory that a .git file or link leads to. A file
// can be written by anybody who packs a directory, so the git directory must
// know the workspace too; else it is left read-only.
func (r *repository) follow(dotGit string, inside bool) {
	if inside {
		r.protect = append(r.protect, dotGit)
	}
	data, err := gitdir.ReadFile(dotGit)
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !ok {
		return
	}
	gitDir := realPath(absoluteFrom(filepath.Dir(dotGit), target))
	if common, err := gitdir.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
		common := realPath(absoluteFrom(gitDir, strings.TrimSpace(string(common))))
		back, _ := gitdir.ReadFile(filepath.Join(gitDir, "gitdir")) // "" leads nowhere
		known := realPath(absoluteFrom(gitDir, strings.TrimSpace(string(back)))) == realPath(dotGit)
		if known && filepath.Dir(gitDir) == filepath.Join(common, "worktrees") {
			r.add(common, false)
			r.use(filepath.Dir(dotGit), gitDir)
		}
		return
	}
	if tree := worktreeIn(filepath.Join(gitDir, "config")); tree != "" && realPath(absoluteFrom(gitDir, tree)) == filepath.Dir(dotGit) {
		r.add(gitDir, false)
		r.use(filepath.Dir(dotGit), gitDir)
	}
}

// use takes up the index that git uses in top.
func (r *repository) use(top, gitDir string) {
	r.top, r.gitDir = top, gitDir
	r.embed(top, gitDir, 0)
}

// worktreeIn is the core.worktree of a submodule's configuration.
func worktreeIn(config string) string {
	data, err := gitdir.ReadFile(config)
	if err != nil {
		return ""
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok && strings.TrimSpace(key) == "worktree" {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}

// nested are the git directories below modules, where those of submodules lie.
func nested(dir string, depth int) []string {
	entries, err := os.ReadDir(dir)
	if err != nil || depth > 8 {
		return nil
	}
	var out []string
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(at, "HEAD")); err == nil {
			out = append(out, at)
			out = append(out, nested(filepath.Join(at, "modules"), depth+1)...)
		} else if e.IsDir() {
			out = append(out, nested(at, depth+1)...)
		}
	}
	return slices.Clip(out)
}

func absoluteFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
