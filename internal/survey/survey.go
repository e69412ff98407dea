// Package survey takes looks at a workspace while a run is at work, and tells from
// them what changed, when and in which mode.
package survey

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/internal/manifest"
)

// Surveyor looks at workspaces for the agent, and reads what was kept of them. It
// may be used by several goroutines.
type Surveyor struct {
	store  Contents
	denied []string               // the agent's own data, which changes with every record
	secret func(data []byte) bool // nil: there are none

	// Outputs are where this process writes its output to. Looks name those that
	// are files of the workspace; it is not to be altered once there was one.
	Outputs []fs.FileInfo

	mu   sync.Mutex
	kept map[string]*manifest.Kept // by digest: those this process has seen
}

// Contents is the part of a store that keeps looks.
type Contents interface {
	Blob(ctx context.Context, digest string) ([]byte, error) // fs.ErrNotExist: not kept
}

// New returns a Surveyor of workspaces whose looks store keeps. Files and
// directories at or below denied, which are absolute, are not looked at. secret
// reports whether a text holds a secret; nil: none does.
func New(store Contents, denied []string, secret func([]byte) bool) *Surveyor {
	return &Surveyor{store: store, denied: denied, secret: secret}
}

var errSecretName = errors.New("not surveyed: the name of a file holds a secret")

// Look implements agent.Config.Survey: it takes a workspace down, as a difference
// to the look whose manifest has the digest previous, if that can be read. The name
// of a file that holds a secret is an error; nothing of the look is kept then.
func (s *Surveyor) Look(ctx context.Context, workspace, previous string) (agent.Survey, error) {
	var was *manifest.Kept
	if previous != "" { // without it more is kept and less is known: no reason to fail
		was, _ = s.read(ctx, previous)
	}
	m, err := s.take(ctx, workspace, was)
	if err != nil {
		return agent.Survey{}, err
	}
	text := m.Text()
	if s.secret != nil && s.secret(text) {
		return agent.Survey{}, errSecretName
	}
	now, err := m.Keep(was)
	if err != nil {
		return agent.Survey{}, err
	}
	s.remember(agent.Digest(now.Data), now)
	out := agent.Survey{Digest: manifest.Digest(text), Manifest: now.Data, BaseCommit: gitdir.Commit(workspace)}
	out.Files, out.Bytes = m.Files()
	out.Outputs = s.outputs(workspace, m)
	return out, nil
}

// outputs are the files of a workspace, by every name, that the shell which
// called this process opened for what it prints.
func (s *Surveyor) outputs(workspace string, m *manifest.Manifest) []string {
	var paths []string
	for _, own := range s.Outputs {
		inode := manifest.Inode(own)
		for _, e := range m.Entries {
			if inode == 0 || e.Inode != inode || !e.Mode.IsRegular() || slices.Contains(paths, e.Path) {
				continue
			}
			if info, err := os.Lstat(filepath.Join(workspace, filepath.FromSlash(e.Path))); err == nil && os.SameFile(info, own) {
				paths = append(paths, e.Path)
			}
		}
	}
	return paths
}

func (s *Surveyor) take(ctx context.Context, workspace string, previous *manifest.Kept) (*manifest.Manifest, error) {
	o := manifest.Options{Skip: s.skip}
	if previous != nil {
		o.Previous = previous.Manifest
	}
	return manifest.Take(ctx, workspace, o)
}

func (s *Surveyor) skip(abs string) bool {
	for _, p := range s.denied {
		if rest, ok := strings.CutPrefix(abs, p); ok && (rest == "" || rest[0] == filepath.Separator) {
			return true
		}
	}
	return false
}

// read returns a stored manifest.
func (s *Surveyor) read(ctx context.Context, digest string) (*manifest.Kept, error) {
	s.mu.Lock()
	k := s.kept[digest]
	s.mu.Unlock()
	if k != nil {
		return k, nil
	}
	data, err := s.store.Blob(ctx, digest)
	if err != nil {
		return nil, err
	}
	k, err = manifest.Read(data, func(base string) ([]byte, error) { return s.store.Blob(ctx, base) })
	if err == nil {
		s.remember(digest, k)
	}
	return k, err
}

func (s *Surveyor) remember(digest string, k *manifest.Kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]*manifest.Kept{}
	}
	s.kept[digest] = k
}
