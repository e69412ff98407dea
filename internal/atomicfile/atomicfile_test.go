package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
)

func openRoot(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, dir
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

func TestWrite(t *testing.T) {
	t.Parallel()
	root, dir := openRoot(t)
	for _, text := range []string{"one", "", "three"} {
		if err := atomicfile.Write(root, "a", []byte(text), 0o751); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "a"))
		if err != nil || string(got) != text {
			t.Fatalf("got %q, %v; want %q", got, err, text)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "a"))
	if err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got := names(t, dir); got != "a" {
		t.Errorf("left %s", got)
	}
}

func TestWrite_ReplacesALink(t *testing.T) {
	t.Parallel()
	root, dir := openRoot(t)
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(root, "a", []byte("new"), 0); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "precious" {
		t.Errorf("target holds %q, %v", got, err)
	}
}

func TestWrite_LeavesNothingOnFailure(t *testing.T) {
	t.Parallel()
	root, dir := openRoot(t)
	if err := os.MkdirAll(filepath.Join(dir, "d", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(root, "d", []byte("x"), 0); err == nil {
		t.Error("a directory was replaced")
	}
	if got := names(t, dir); got != "d" {
		t.Errorf("left %s", got)
	}
}

// TestWrite_saysWhy: the file is named as the caller named it, and no temporary
// one.
func TestWrite_saysWhy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	err = atomicfile.Write(dir, "plan.md", nil, 0)
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "write plan.md: ") || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("in a directory that is gone: %v", err)
	}
}
