//go:build unix

package repofile

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

func TestRead_SpecialFiles(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Read(openRoot(t, dir), "fifo", 8); !errors.Is(err, ErrIrregular) {
		t.Errorf("a FIFO: %v", err)
	}
	if _, err := Read(openRoot(t, "/dev"), "zero", 8); !errors.Is(err, ErrIrregular) {
		t.Errorf("a device: %v", err)
	}
}

// TestRead_Swap exchanges a file for a link and back while it is read: the
// link's target is never seen.
func TestRead_Swap(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	write(t, filepath.Join(dir, "real"), "open")
	write(t, filepath.Join(dir, "secret"), "hidden")
	link(t, "secret", filepath.Join(dir, "trap"))
	root := openRoot(t, dir)
	var stop sync.WaitGroup
	done := make(chan struct{})
	stop.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			from := []string{"real", "trap"}[i%2]
			_ = os.Remove(filepath.Join(dir, "name"))
			if from == "trap" {
				_ = os.Symlink("secret", filepath.Join(dir, "name"))
			} else {
				_ = os.Link(filepath.Join(dir, "real"), filepath.Join(dir, "name"))
			}
		}
	})
	for range 3000 {
		if got, err := Read(root, "name", 64); err == nil && string(got) != "open" {
			t.Errorf("read %q through a link", got)
			break
		}
	}
	close(done)
	stop.Wait()
}

func TestRoot_OfAnotherUser(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	write(t, filepath.Join(dir, ".git/HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(dir, "mine/file"), "")
	if err := os.Chown(filepath.Join(dir, "mine"), 4242, -1); err != nil {
		t.Skip("only root can give files away")
	}
	mine := filepath.Join(dir, "mine")
	if got := Root(mine); got != mine {
		t.Errorf("Root = %s, planted above by another user", got)
	}
}
