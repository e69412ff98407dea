package runstore

import (
	"context"
	"maps"
	"slices"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Digests implements Store.
func (s *MemoryStore) Digests(ctx context.Context, runID string) ([]string, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	if err := s.usable(ctx, "list content of run "+runID); err != nil {
		return nil, err
	}
	if r := s.shared.runs[runID]; r != nil {
		return slices.Sorted(maps.Keys(r.uses)), nil
	}
	return nil, nil
}

// Delete implements Store.
func (s *MemoryStore) Delete(ctx context.Context, runID string) error {
	m := s.shared
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := s.usable(ctx, "delete run "+runID); err != nil {
		return err
	}
	r := m.runs[runID]
	var owner *agent.Owner
	if r != nil {
		owner = r.owner
	}
	if err := deletable(runID, r != nil, owner, func(o agent.Owner) bool { return m.alive[o.ID] }); err != nil {
		return err
	}
	delete(m.runs, runID)
	for digest := range r.uses {
		if !m.used(digest) {
			delete(m.blobs, digest)
		}
	}
	return nil
}

// used reports whether a run keeps content.
func (m *memory) used(digest string) bool {
	for _, r := range m.runs {
		if r.uses[digest] {
			return true
		}
	}
	return false
}
