package runstore_test

import (
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
