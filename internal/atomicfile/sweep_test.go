package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/atomicfile"
)

// TestWrite_sweeps: a temporary file that was left goes a day later; a young
// one may be another process's, and others of such names are not ours.
func TestWrite_sweeps(t *testing.T) {
	t.Parallel()
	root, dir := openRoot(t)
	temp := func() (name string) {
		stop := errors.New("stop")
		err := atomicfile.WriteIf(root, "a", nil, 0, func() error { name = names(t, dir); return stop })
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		return name
	}
	left, young, folder := temp(), temp(), temp()
	put := func(name string, age time.Duration) {
		path, at := filepath.Join(dir, name), time.Now().Add(-age)
		if name == folder {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{folder, ".agent-notes.tmp", left[:len(left)-1]} {
		put(name, 48*time.Hour)
	}
	put(young, 23*time.Hour)
	before := names(t, dir)
	put(left, 25*time.Hour)
	if err := atomicfile.Write(root, "z", nil, 0); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != before+" z" {
		t.Errorf("holds %s\nwant  %s z", got, before)
	}
}
