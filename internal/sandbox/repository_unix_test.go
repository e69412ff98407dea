//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestRepository_pipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dotGit := filepath.Join(dir, ".git")
	if err := syscall.Mkfifo(dotGit, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := repositoryOf(dir); r.gitDir != "" {
		t.Errorf("a pipe is a repository: %+v", r)
	}
	if err := errors.Join(os.Remove(dotGit), os.Mkdir(dotGit, 0o700), syscall.Mkfifo(filepath.Join(dotGit, "index"), 0o600)); err != nil {
		t.Fatal(err)
	}
	r := repositoryOf(dir)
	if _, err := r.restore(); err != nil || r.gitDir != dotGit {
		t.Errorf("%q, %v", r.gitDir, err)
	}
}
