package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/gitdir"
)

// Disarm takes from what a command newly made at dotGit, a path that ends in
// ".git" or a directory that git takes for one, whatever git would run when somebody works there: hooks, settings
// that name programs, ways to other repositories. A file or link that leads to
// a git directory with such things is removed; that directory stays. It names
// what it took away. It is called when nothing of the command runs any more.
func Disarm(dotGit string) (removed []string, err error) {
	info, err := os.Lstat(dotGit)
	switch {
	case isMissing(err):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return disarm(dotGit)
	case info.Mode().IsRegular() && leadsToPlain(dotGit):
		return nil, nil
	}
	return []string{dotGit}, os.Remove(dotGit)
}

// disarm does so for a git directory and those of submodules in it.
func disarm(gitDir string) (removed []string, err error) {
	take := func(path string, do func() error) {
		removed = append(removed, path)
		if one := do(); one != nil {
			err = errors.Join(err, fmt.Errorf("take %s away: %w", path, one))
		}
	}
	for _, path := range []string{gitDir + "/commondir", gitDir + "/config.worktree"} {
		if _, one := os.Lstat(path); one == nil {
			take(path, func() error { return os.RemoveAll(path) })
		}
	}
	if hooks := gitDir + "/hooks"; !plainHooks(hooks) {
		take(hooks, func() error { return os.RemoveAll(hooks) })
	}
	if config := gitDir + "/config"; !plainConfigAt(config) {
		take(config, func() error { return keepPlain(config) })
	}
	modules := filepath.Join(gitDir, "modules")
	if isLink(modules) {
		take(modules, func() error { return os.Remove(modules) })
		return removed, err
	}
	for _, module := range nested(modules, 0) {
		more, one := disarm(module)
		removed, err = append(removed, more...), errors.Join(err, one)
	}
	return removed, err
}

// keepPlain leaves of a configuration what names nothing to run.
func keepPlain(path string) error {
	e, err := look(path)
	if err == nil {
		err = os.RemoveAll(path)
	}
	if err != nil || !e.mode.IsRegular() {
		return err
	}
	return os.WriteFile(path, plainPart(e.data), 0o644)
}

// plainPart are the lines of a configuration that are plain by themselves. What
// goes on over lines is none of them.
func plainPart(data []byte) []byte {
	var out, section []byte
	for line := range bytes.Lines(data) {
		switch text := bytes.TrimSpace(line); {
		case bytes.HasPrefix(text, []byte("[")):
			section = nil
			if plainConfig(line) {
				section = line
				out = append(out, line...)
			}
		case section != nil && plainConfig(append(bytes.Clone(section), line...)):
			out = append(out, line...)
		}
	}
	return out
}

// leadsToPlain reports whether a .git file leads to a linked worktree's part of
// a repository, or to a git directory that names nothing to run.
func leadsToPlain(dotGit string) bool {
	data, err := gitdir.ReadFile(dotGit)
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !ok {
		return false
	}
	gitDir := realPath(absoluteFrom(filepath.Dir(dotGit), target))
	common, err := gitdir.ReadFile(gitDir + "/commondir")
	if err == nil {
		to := realPath(absoluteFrom(gitDir, strings.TrimSpace(string(common))))
		return filepath.Base(to) == ".git" && filepath.Dir(gitDir) == filepath.Join(to, "worktrees") && !present(gitDir+"/config.worktree")
	}
	return plainHooks(gitDir+"/hooks") && plainConfigAt(gitDir+"/config") && !present(gitDir+"/config.worktree")
}

func present(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// plainHooks reports whether there are no hooks but examples.
func plainHooks(path string) bool {
	info, err := os.Lstat(path)
	if isMissing(err) {
		return true
	}
	return err == nil && info.IsDir() && onlySamples(path)
}

// plainConfigAt reports whether there is no configuration, or a plain one.
func plainConfigAt(path string) bool {
	e, err := look(path)
	return isMissing(err) || err == nil && e.mode.IsRegular() && plainConfig(e.data)
}
