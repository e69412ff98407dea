package runstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/runstore/storetest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) storetest.Factory {
		first := runstore.Memory()
		return storetest.Factory{
			Open: func(*testing.T) runstore.Store { return first.Handle() },
			Kill: closeStore,
		}
	})
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Factory {
		path := filepath.Join(t.TempDir(), "data", "runs.db")
		return storetest.Factory{
			Open: func(t *testing.T) runstore.Store { return open(t, path, runstore.Options{}) },
			Kill: closeStore, // of a handle that is the end; TestSQLite_Killed has real processes
		}
	})
}

func open(t testing.TB, path string, opts runstore.Options) *runstore.SQLite {
	t.Helper()
	s, err := runstore.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t *testing.T, s runstore.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenDSN(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "an odd ?name#with%20 ü", "runs&mode=memory.db")
	for dsn, want := range map[string]string{runstore.MemoryDSN: "", path: path} {
		s, err := runstore.OpenDSN(t.Context(), dsn, runstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mustCommit(t, s, appended(testRun(1), 0, 1))
		if got := s.Path(); got != want {
			t.Errorf("path of %q is %q, want %q", dsn, got, want)
		}
		closeStore(t, s)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the database is not at its path: %v", err)
	}
	if s, err := runstore.OpenDSN(t.Context(), t.TempDir(), runstore.Options{}); err == nil || s != nil {
		t.Errorf("a directory: got %v, %v", s, err)
	}
}

// TestSQLite_Reopened finds everything again, through a link as well.
func TestSQLite_Reopened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "runs.db"), filepath.Join(t.TempDir(), "link.db")
	must(t, os.Symlink(path, link))
	s := open(t, path, runstore.Options{})
	c := appended(testRun(1), 0, 3)
	c.Own = true
	mustCommit(t, s, c)
	linked := open(t, link, runstore.Options{})
	snap, err := linked.Load(t.Context(), testRun(1).ID)
	if err != nil || len(snap.Events) != 3 || !snap.Alive {
		t.Errorf("through a link: %+v, %v", snap.RunInfo, err)
	}
	closeStore(t, linked)
	closeStore(t, s)
}
