package gitdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/internal/testdir"
)

const someCommit = "0123456789abcdef0123456789abcdef01234567"

func TestProject(t *testing.T) {
	t.Parallel()
	dir := testdir.With(t, map[string]string{
		"app/.git/HEAD":                     "ref: refs/heads/main\n",
		"app/sub/deep/f":                    "",
		"app/.git/worktrees/tree/HEAD":      "ref: refs/heads/other\n",
		"app/.git/worktrees/tree/commondir": "../..\n",
		"app/.git/modules/lib/HEAD":         someCommit + "\n",
		"app/lib/.git":                      "gitdir: ../.git/modules/lib\n",
		"plain/f":                           "",
		"empty/.git/f":                      "",
		"broken/.git":                       "gitdir: nowhere\n",
		"nonsense/.git":                     "nonsense\n",
	})
	if err := os.MkdirAll(filepath.Join(dir, "tree"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tree", ".git"), []byte("gitdir: "+filepath.Join(dir, "app/.git/worktrees/tree")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("app", filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here")
	}
	for workspace, want := range map[string]string{
		"app": "app/.git", "app/sub/deep": "app/.git", "tree": "app/.git", "link/sub": "app/.git",
		"app/lib": "app/.git/modules/lib", "plain": "plain", "empty": "empty", "broken": "broken", "nonsense": "nonsense",
	} {
		if got := Project(filepath.Join(dir, workspace)); got != filepath.Join(dir, want) {
			t.Errorf("Project(%s) = %s, want %s", workspace, strings.TrimPrefix(got, dir), want)
		}
	}
}

func TestCommit(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("ab", 20)
	dir := testdir.With(t, map[string]string{
		"branch/.git/HEAD":             "ref: refs/heads/main\n",
		"branch/.git/refs/heads/main":  someCommit + "\n",
		"packed/.git/HEAD":             "ref: refs/heads/main\n",
		"packed/.git/packed-refs":      "# pack-refs with: peeled\n" + other + " refs/heads/mainly\n" + someCommit + " refs/heads/main\n^" + other + "\n",
		"detached/.git/HEAD":           someCommit + "\n",
		"unborn/.git/HEAD":             "ref: refs/heads/main\n",
		"escape/.git/HEAD":             "ref: ../../branch/.git/refs/heads/main\n",
		"garbage/.git/HEAD":            "ref: refs/heads/main\n",
		"garbage/.git/refs/heads/main": "not an object\n",
		"none/f":                       "",
	})
	for workspace, want := range map[string]string{
		"branch": someCommit, "packed": someCommit, "detached": someCommit, "unborn": "", "escape": "", "garbage": "", "none": "",
	} {
		if got := Commit(filepath.Join(dir, workspace)); got != want {
			t.Errorf("Commit(%s) = %q, want %q", workspace, got, want)
		}
	}
}
