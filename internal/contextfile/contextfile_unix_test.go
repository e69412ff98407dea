//go:build unix

package contextfile

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed-3e5a1d81/agent/internal/testdir"
)

func TestLoad_FIFO(t *testing.T) {
	t.Parallel()
	dir := testdir.With(t, map[string]string{"repo/f": ""})
	repo, user := filepath.Join(dir, "repo"), filepath.Join(dir, "user")
	for _, name := range []string{filepath.Join(repo, "AGENTS.md"), user} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Skip(err)
		}
	}
	if got := told(load(t, Places{Workspace: repo, User: user})); got != "!"+user+" !AGENTS.md" {
		t.Errorf("files = %q", got)
	}
	if got := told(load(t, Places{Workspace: repo, User: "/dev/zero"})); got != "!/dev/zero !AGENTS.md" {
		t.Errorf("a device: %q", got)
	}
}
