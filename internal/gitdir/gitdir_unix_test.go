//go:build unix

package gitdir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dotGit := filepath.Join(dir, ".git")
	if err := syscall.Mkfifo(dotGit, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Commit(dir); got != "" {
		t.Errorf("commit %q", got)
	}
	if got, err := ReadFile(dotGit); err == nil {
		t.Errorf("a pipe holds %q", got)
	}
	heads := filepath.Join(dotGit, "refs", "heads")
	if err := errors.Join(os.Remove(dotGit), os.MkdirAll(heads, 0o700),
		os.WriteFile(filepath.Join(dotGit, "HEAD"), []byte("ref: refs/heads/x\n"), 0o600),
		syscall.Mkfifo(filepath.Join(dotGit, "commondir"), 0o600), syscall.Mkfifo(filepath.Join(dotGit, "packed-refs"), 0o600),
		syscall.Mkfifo(filepath.Join(heads, "x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := Commit(dir); got != "" {
		t.Errorf("commit %q", got)
	}
}
