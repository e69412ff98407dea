package runstore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Looking at a database changes nothing of it, and finds what is wrong with it.
func TestInspect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "runs.db")
	if i, err := Inspect(t.Context(), path); err != nil || i.Exists || i.Path != path {
		t.Fatalf("of no file: %+v, %v", i, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("a look made %v", left)
	}
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Also while another process has it open.
	if i, err := Inspect(t.Context(), path); err != nil || !i.Exists || i.Journal != "wal" || i.Schema != i.Known || i.Known == 0 || i.Size == 0 || i.Damage != "" {
		t.Errorf("of an open database: %+v, %v", i, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if i, err := Inspect(t.Context(), path); err != nil || i.Journal != "wal" || i.Runs != 0 {
		t.Errorf("of a closed database: %+v, %v", i, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a look changed the file: %v", err)
	}
}

func TestInspect_Unusable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.db")
	s, err := Open(t.Context(), damaged, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	for at := 4096; at < len(data); at++ { // all pages but the first
		data[at] = 0xee
	}
	text := filepath.Join(dir, "text.db")
	for path, content := range map[string][]byte{damaged: data, text: []byte("no database at all, but long enough to have a header of one hundred bytes, as a database has ..........")} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{damaged, text, dir} {
		i, err := Inspect(t.Context(), path)
		if err == nil && i.Damage == "" {
			t.Errorf("%s is said to be right: %+v", filepath.Base(path), i)
		}
		if err != nil && !errors.Is(err, ErrStore) {
			t.Errorf("%s: %v is no ErrStore", filepath.Base(path), err)
		}
	}
}

func TestTryDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := TryDir(t.Context(), dir); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := TryDir(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, ErrStore) {
		t.Errorf("in no directory: %v", err)
	}
}
