package cmd

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// warnNeighbours says which other runs are at work in a workspace in a mode
// that may write it: what they write meets what this one reads and writes, and
// verify cannot tell them apart. A list that cannot be read is no reason not to
// work.
func (s *session) warnNeighbours(ctx context.Context, runID, workspace string) {
	runs, err := s.store.Runs(ctx, agent.RunQuery{Statuses: []agent.Status{agent.StatusRunning}})
	if err != nil {
		return
	}
	for _, r := range runs {
		if r.ID == runID || !r.Alive || r.Owner == nil || !nested(r.Workspace, workspace) {
			continue
		}
		if mode, ok := s.modes.Mode(r.Mode); ok && !mode.MayWriteWorkspace() {
			continue
		}
		s.tell(fmt.Sprintf("warning: run …%s (%s) is at work in this workspace in %s mode, %s: it may write the same files",
			shortID(r.ID), text.Field(r.Title, 60), text.Field(r.Mode, 30), r.Owner))
	}
}

// nested reports whether one directory is the other, or lies in it.
func nested(a, b string) bool {
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
