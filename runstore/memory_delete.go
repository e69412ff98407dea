package runstore

import (
	"cmp"
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
	m.delete(r)
	return nil
}

// delete takes a run away, with the content that no other keeps; mu is held.
func (m *memory) delete(r *memoryRun) {
	delete(m.runs, r.run.ID)
	for digest := range r.uses {
		if m.uses[digest]--; m.uses[digest] == 0 {
			delete(m.uses, digest)
			delete(m.blobs, digest)
		}
	}
}

// Ended implements Store.
func (s *MemoryStore) Ended(ctx context.Context, q EndedQuery, after EndedRun, limit int) ([]EndedRun, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	if err := s.usable(ctx, "list ended runs"); err != nil {
		return nil, err
	}
	var runs []EndedRun
	for _, r := range s.shared.ended(q) {
		e := endedOf(r.run)
		if len(runs) < limit && (after.ID == "" || longerAgo(after, e) < 0) {
			runs = append(runs, e)
		}
	}
	return runs, nil
}

// CountEnded implements Store.
func (s *MemoryStore) CountEnded(ctx context.Context, q EndedQuery) (int, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	return len(s.shared.ended(q)), s.usable(ctx, "count ended runs")
}

// Prune implements Store.
func (s *MemoryStore) Prune(ctx context.Context, q EndedQuery, gone func([]EndedRun)) error {
	runs, err := s.pruneAll(ctx, q)
	if len(runs) > 0 {
		gone(runs)
	}
	return err
}

func (s *MemoryStore) pruneAll(ctx context.Context, q EndedQuery) ([]EndedRun, error) {
	m := s.shared
	m.mu.Lock()
	defer m.mu.Unlock()
	var gone []EndedRun
	for _, r := range m.ended(q) {
		if err := s.usable(ctx, pruneOp); err != nil {
			return gone, err
		}
		if r.owner == nil || !m.alive[r.owner.ID] {
			m.delete(r)
			gone = append(gone, endedOf(r.run))
		}
	}
	return gone, s.usable(ctx, pruneOp)
}

// ended are the runs of a query, in order; mu is held.
func (m *memory) ended(q EndedQuery) []*memoryRun {
	var runs []*memoryRun
	for _, r := range m.runs {
		switch r.run.Status {
		case agent.StatusFinished, agent.StatusFailed, agent.StatusCanceled:
			if (q.Project == "" || r.run.Project == q.Project) && r.run.Updated.Before(q.Before) && !waiting(r.run) {
				runs = append(runs, r)
			}
		}
	}
	slices.SortFunc(runs, func(a, b *memoryRun) int { return longerAgo(endedOf(a.run), endedOf(b.run)) })
	return runs
}

func endedOf(r agent.Run) EndedRun {
	return EndedRun{ID: r.ID, Title: r.Title, Workspace: r.Workspace, Status: r.Status, Updated: r.Updated}
}

// longerAgo orders runs by when they were touched, then by ID.
func longerAgo(a, b EndedRun) int {
	return cmp.Or(a.Updated.Compare(b.Updated), cmp.Compare(a.ID, b.ID))
}
