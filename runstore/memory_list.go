package runstore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Runs implements agent.Store, with the meaning SQLite.Runs gives it.
func (s *MemoryStore) Runs(ctx context.Context, q agent.RunQuery) ([]agent.RunInfo, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	if err := s.usable(ctx, "list runs"); err != nil {
		return nil, err
	}
	var infos []agent.RunInfo
	older := q.Before == ""
	for _, r := range s.shared.newestFirst() {
		if !older {
			older = r.run.ID == q.Before
			continue
		}
		info := s.shared.info(r)
		if selects(q, info) && r.mentions(terms(q.Search)) {
			infos = append(infos, info)
		}
		if q.Limit > 0 && len(infos) == q.Limit {
			break
		}
	}
	return infos, nil
}

func (m *memory) newestFirst() []*memoryRun {
	runs := make([]*memoryRun, 0, len(m.runs))
	for _, r := range m.runs {
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b *memoryRun) int {
		return cmp.Or(b.run.Created.Compare(a.run.Created), cmp.Compare(b.run.ID, a.run.ID))
	})
	return runs
}

// selects is a RunQuery but for its search.
func selects(q agent.RunQuery, i agent.RunInfo) bool {
	part, id := plainID(q.IDPart), plainID(i.ID)
	return (q.Project == "" || i.Project == q.Project) &&
		(len(q.Statuses) == 0 || slices.Contains(q.Statuses, i.Current())) &&
		(!q.Waiting || i.Waiting()) &&
		(strings.HasPrefix(id, part) || strings.HasSuffix(id, part))
}

func (r *memoryRun) mentions(terms []string) bool {
	for _, term := range terms {
		found := false
		for _, body := range r.texts {
			found = found || strings.Contains(body, term)
		}
		if !found {
			return false
		}
	}
	return true
}

// Plans implements Store.
func (s *MemoryStore) Plans(ctx context.Context, q PlanQuery) ([]agent.Plan, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	if err := s.usable(ctx, "list plans"); err != nil {
		return nil, err
	}
	var plans []agent.Plan
	for _, r := range s.shared.newestFirst() {
		if q.Project != "" && r.run.Project != q.Project {
			continue
		}
		for _, p := range r.planOrder() {
			if q.selects(p) && (q.Limit <= 0 || len(plans) < q.Limit) {
				plans = append(plans, clonePlan(p))
			}
		}
	}
	return plans, nil
}

func (r *memoryRun) planOrder() []agent.Plan {
	return slices.SortedStableFunc(slices.Values(r.plans), func(a, b agent.Plan) int {
		return cmp.Or(a.SubmittedAt.Compare(b.SubmittedAt), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Revision, b.Revision))
	})
}

// selects is a PlanQuery but for its project.
func (q PlanQuery) selects(p agent.Plan) bool {
	return (q.RunID == "" || q.RunID == p.RunID) && (len(q.RunIDs) == 0 || slices.Contains(q.RunIDs, p.RunID)) && (q.Path == "" || q.Path == p.Path)
}

// OpenPlan implements Store.
func (s *MemoryStore) OpenPlan(ctx context.Context, workspace, path, notRun string) (string, bool, error) {
	s.shared.mu.RLock()
	defer s.shared.mu.RUnlock()
	if err := s.usable(ctx, "look for plan "+path); err != nil {
		return "", false, err
	}
	open := func(p agent.Plan) bool { return p.Path == path && p.Decision == agent.PlanOpen }
	for _, r := range s.shared.newestFirst() {
		if r.run.ID != notRun && r.run.Workspace == workspace && r.run.Status == agent.StatusSuspended && slices.ContainsFunc(r.plans, open) {
			return r.run.ID, true, nil
		}
	}
	return "", false, nil
}
