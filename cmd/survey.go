package cmd

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/gitdir"
	"github.com/seed-3e5a1d81/agent/internal/manifest"
)

// surveyor looks at workspaces for the agent, and reads what was kept of them.
type surveyor struct {
	store  blobs
	denied []string               // the agent's own data, which changes with every record
	secret func(data []byte) bool // nil: there are none

	mu   sync.Mutex
	kept map[string]*manifest.Kept // by digest: those this process has seen
}

// surveyor is one over the database at db. mask may be nil.
func (w *wiring) surveyor(store blobs, db string, mask func([]byte) []byte) *surveyor {
	s := &surveyor{store: store, denied: w.denied(db)}
	if mask != nil {
		s.secret = func(data []byte) bool { return !bytes.Equal(mask(data), data) }
	}
	return s
}

var errSecretName = errors.New("not surveyed: the name of a file holds a secret")

// survey implements agent.Config.Survey.
func (s *surveyor) survey(ctx context.Context, workspace, previous string) (agent.Survey, error) {
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
	return out, nil
}

func (s *surveyor) take(ctx context.Context, workspace string, previous *manifest.Kept) (*manifest.Manifest, error) {
	o := manifest.Options{Skip: s.skip}
	if previous != nil {
		o.Previous = previous.Manifest
	}
	return manifest.Take(ctx, workspace, o)
}

func (s *surveyor) skip(abs string) bool {
	for _, p := range s.denied {
		if rest, ok := strings.CutPrefix(abs, p); ok && (rest == "" || rest[0] == filepath.Separator) {
			return true
		}
	}
	return false
}

// read returns a stored manifest.
func (s *surveyor) read(ctx context.Context, digest string) (*manifest.Kept, error) {
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

func (s *surveyor) remember(digest string, k *manifest.Kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]*manifest.Kept{}
	}
	s.kept[digest] = k
}
