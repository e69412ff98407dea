package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// private are the places of a workspace's commands that nobody else uses: what
// a command leaves there is read by later commands of the same workspace alone.
type private struct {
	temp   string // of one run
	caches string // of the workspace
}

// keepTemp is how long the temporary files of a run are kept after its last
// command.
const keepTemp = 7 * 24 * time.Hour

// private makes the private places of a command.
func (s *Sandbox) private(p Policy) (private, error) {
	root := s.cfg.Private
	if root == "" {
		root = filepath.Join(os.TempDir(), fmt.Sprintf("agent-sandbox-%d", os.Getuid()))
	}
	sum := sha256.Sum256([]byte(realPath(p.Workspace)))
	mine := filepath.Join(root, hex.EncodeToString(sum[:8]))
	run := p.Run
	if run == "" || strings.ContainsAny(run, `/\`) || run == "." || run == ".." {
		run = "other"
	}
	out := private{temp: filepath.Join(mine, "tmp", run), caches: filepath.Join(mine, "cache")}
	if err := makePrivate(root, mine, filepath.Join(mine, "tmp")); err != nil {
		return private{}, err
	}
	if _, err := os.Lstat(out.temp); err != nil {
		removeStale(filepath.Dir(out.temp))
	}
	if err := makePrivate(out.temp, out.caches); err != nil {
		return private{}, err
	}
	now := time.Now()
	_ = os.Chtimes(out.temp, now, now) // else it only counts as older than it is
	for _, dir := range []*string{&out.temp, &out.caches} {
		*dir = realPath(*dir)
	}
	return out, nil
}

// makePrivate makes directories that only this user can use. One that is there
// must be this user's: in a shared directory somebody may have been faster.
func makePrivate(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
			return err
		case !info.IsDir() || !ownedByUser(info):
			return fmt.Errorf("%s is not a directory of this user", dir)
		case info.Mode().Perm() != 0o700:
			if err := os.Chmod(dir, 0o700); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeStale removes the temporary files of runs that had no command for long.
// What cannot be removed is left.
func removeStale(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keepTemp {
			removeAll(filepath.Join(dir, e.Name()))
		}
	}
}

// removeAll removes a tree in which directories may be read-only, as those of
// Go's module cache are.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// environ is env with the caches of tools led to private ones, and temp as the
// directory for temporary files. What the user has downloaded can be used as
// it is and is never written: Go and cargo get a private store of modules only
// once a command with a network may have had to fill one.
func (p policy) environ(env []string, temp string) []string {
	at := func(name string) string { return filepath.Join(p.private.caches, name) }
	set := []string{
		"TMPDIR=" + temp, "TMP=" + temp, "TEMP=" + temp,
		"GOCACHE=" + at("go-build"), "GOLANGCI_LINT_CACHE=" + at("golangci-lint"),
		"npm_config_cache=" + at("npm"), "YARN_CACHE_FOLDER=" + at("yarn"),
		"PIP_CACHE_DIR=" + at("pip"), "UV_CACHE_DIR=" + at("uv"),
	}
	if p.readOnly { // git refreshes its index in passing
		set = append(set, "GIT_OPTIONAL_LOCKS=0")
	}
	home := valueOf(env, "HOME")
	if p.network || exists(at("go-mod")) {
		set = append(set, "GOMODCACHE="+at("go-mod"), "GOPROXY="+goProxy(env, home), "GOFLAGS="+strings.TrimSpace(valueOf(env, "GOFLAGS")+" -modcacherw"))
	}
	if p.network || exists(at("cargo")) {
		set = append(set, "CARGO_HOME="+at("cargo"))
	}
	return override(env, set)
}

// goProxy has go look among the modules the user has before it asks anybody.
func goProxy(env []string, home string) string {
	cache := valueOf(env, "GOMODCACHE")
	if cache == "" {
		paths := filepath.SplitList(valueOf(env, "GOPATH"))
		if len(paths) == 0 {
			paths = []string{filepath.Join(home, "go")}
		}
		cache = filepath.Join(paths[0], "pkg", "mod")
	}
	proxy := valueOf(env, "GOPROXY")
	if proxy == "" {
		proxy = "https://proxy.golang.org,direct"
	}
	return "file://" + filepath.ToSlash(filepath.Join(cache, "cache", "download")) + "," + proxy
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// valueOf is the value of a variable; the last of several counts.
func valueOf(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// override returns env with the pairs of set in place of its own.
func override(env, set []string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	})
	return append(out, set...)
}
