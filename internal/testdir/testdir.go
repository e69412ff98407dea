// Package testdir makes directories for tests. Their paths hold no links.
package testdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With is a directory with these files, by their paths in it. Content that begins
// with "-> " makes a link; a system without links skips the test.
func With(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := resolved(t, t.TempDir())
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(target, path); err != nil {
				t.Skip(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Outside is a directory outside of those for temporary files, which confined
// commands do not see. Where there is none, the test is skipped.
func Outside(t testing.TB) string {
	t.Helper()
	base, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(base, 0o700)
	}
	if err != nil {
		t.Skipf("SKIPPED: there is no directory but for temporary files: %v", err)
	}
	dir, err := os.MkdirTemp(base, "agent-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return resolved(t, dir)
}

func resolved(t testing.TB, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}
