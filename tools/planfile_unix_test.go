//go:build unix

package tools

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestPlanDir_ReadPlan_FIFO(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write(".mastracode/plans/b.md", "")
	if err := syscall.Mkfifo(filepath.Join(h.dir, planPath), 0o600); err != nil {
		t.Skip(err)
	}
	_, err := PlanDir{}.ReadPlan(t.Context(), "run-1", h.dir, planPath)
	if err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("got %v", err)
	}
}
