package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
	"github.com/seed-3e5a1d81/agent/internal/config/repofile"
)

// trustFile is the name of the list in the user's data directory.
const trustFile = "trust.json"

// Trust is the list of project files the user trusts, kept in one directory.
// It reads the file anew for every question, so that it always knows what
// other processes changed, and is safe for concurrent use, by several
// processes too.
type Trust struct {
	// Dir is the user's data directory, not that of a project.
	Dir string
	// Now is the time of new entries; nil: time.Now.
	Now func() time.Time
}

// Entry is one trusted file: the project's root and what the file held.
type Entry struct {
	Path   string    `json:"path"`
	Digest string    `json:"digest"`
	At     time.Time `json:"at"`
}

type trustList struct {
	Version int     `json:"version"`
	Trusted []Entry `json:"trusted"`
}

const trustVersion = 1

// Trusted reports whether the project at root is trusted with a file of that
// digest. An edited file has another, and is not. On error it is false.
func (t Trust) Trusted(root, digest string) (bool, error) {
	entries, err := t.List()
	if err != nil || root == "" || digest == "" {
		return false, err
	}
	return slices.ContainsFunc(entries, func(e Entry) bool { return e.Path == root && e.Digest == digest }), nil
}

// List returns the entries by path.
func (t Trust) List() ([]Entry, error) {
	dir, err := os.OpenRoot(t.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read trusted projects: %w", err)
	}
	defer dir.Close()
	return t.read(dir)
}

func (t Trust) read(dir *os.Root) ([]Entry, error) {
	data, err := repofile.Read(dir, trustFile, MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read trusted projects in %s: %w", t.Dir, err)
	}
	var list trustList
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("read trusted projects in %s: %w; remove the file to trust none", filepath.Join(t.Dir, trustFile), err)
	}
	if list.Version != trustVersion {
		return nil, fmt.Errorf("read trusted projects in %s: it has version %d, this program knows %d",
			filepath.Join(t.Dir, trustFile), list.Version, trustVersion)
	}
	return list.Trusted, nil
}

// Trust trusts the project at root, an absolute path without links, with a
// file of that digest, and with no other it was trusted with before.
func (t Trust) Trust(root, digest string) error {
	if !filepath.IsAbs(root) || !strings.HasPrefix(digest, "sha256:") {
		return fmt.Errorf("trust %q: path or digest %q is missing", root, digest)
	}
	now := time.Now
	if t.Now != nil {
		now = t.Now
	}
	_, err := t.change(func(entries []Entry) []Entry {
		return append(without(entries, root), Entry{Path: root, Digest: digest, At: now().UTC().Truncate(time.Second)})
	})
	return err
}

// Revoke takes the trust in the project at root back. It reports whether there
// was any.
func (t Trust) Revoke(root string) (bool, error) {
	return t.change(func(entries []Entry) []Entry { return without(entries, root) })
}

func without(entries []Entry, root string) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Path == root })
}

// change replaces the list under a lock: of two processes none undoes what the
// other did, least of all a revocation.
func (t Trust) change(edit func([]Entry) []Entry) (changed bool, err error) {
	if err := os.MkdirAll(t.Dir, 0o700); err != nil {
		return false, fmt.Errorf("write trusted projects: %w", err)
	}
	dir, err := os.OpenRoot(t.Dir)
	if err != nil {
		return false, fmt.Errorf("write trusted projects: %w", err)
	}
	defer dir.Close()
	unlock, err := lock(dir, "trust.lock")
	if err != nil {
		return false, fmt.Errorf("lock trusted projects in %s: %w", t.Dir, err)
	}
	defer unlock()
	old, err := t.read(dir)
	if err != nil {
		return false, err
	}
	entries := edit(old)
	if slices.Equal(entries, old) {
		return false, nil
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	data, err := json.MarshalIndent(trustList{Version: trustVersion, Trusted: entries}, "", "  ")
	if err != nil {
		return false, fmt.Errorf("write trusted projects: %w", err)
	}
	if err := atomicfile.Write(dir, trustFile, append(data, '\n'), 0o600); err != nil {
		return false, fmt.Errorf("write trusted projects in %s: %w", t.Dir, err)
	}
	return true, nil
}

// lock waits for the lock kept on the file name in dir.
func lock(dir *os.Root, name string) (unlock func(), err error) {
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
