package runstore

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// held reports whether somebody has the turn.
func held(t *testing.T, dir string) bool {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "queue"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return lockExclusive(f) != nil
}

// TestQueue lets one in at a time. Who gives up, for its patience or its
// context has ended, has no turn, keeps none, and may stand in line again.
func TestQueue(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "runs.db-owners")
	first, second := queue{dir: dir}, queue{dir: dir}
	defer first.close()
	defer second.close()
	leave := first.enter(t.Context(), time.Minute)
	if !held(t, dir) {
		t.Fatal("nobody has the turn")
	}
	second.enter(t.Context(), time.Nanosecond)()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	second.enter(ended, time.Minute)()
	if !held(t, dir) {
		t.Error("who gave up ended the turn of another")
	}
	let := make(chan func())
	go func() { let <- second.enter(context.Background(), time.Minute) }()
	leave()
	again := <-let
	if !held(t, dir) {
		t.Error("who waited has no turn")
	}
	again()
}

// TestQueue_Missing writes without where nobody can stand in line.
func TestQueue_Missing(t *testing.T) {
	t.Parallel()
	q := queue{dir: filepath.Join(t.TempDir(), "no", "such")}
	q.enter(t.Context(), time.Minute)()
	q.close()
}
