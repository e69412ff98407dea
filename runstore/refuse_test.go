package runstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// TestOpen_Refused opens what is no database of ours. The error is one line
// with the path and the next step, and the file stays as it was.
func TestOpen_Refused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make func(t *testing.T, path string)
		want []string
	}{
		"not a database":                {text(strings.Repeat("These are my notes.\n", 300)), []string{"not a database"}},
		"short text":                    {text("notes"), []string{"not a database"}},
		"zeros":                         {text(strings.Repeat("\x00", 4096)), []string{"not a database"}},
		"damaged header":                {damaged, []string{"not a database"}},
		"another application's":         {script("CREATE TABLE songs (id); INSERT INTO songs VALUES (1)"), []string{"not an agent database"}},
		"another application's, marked": {script("PRAGMA application_id = 77"), []string{"not an agent database"}},
		"newer":                         {newer, []string{"version 99", "up to 6", "newer agent"}},
		"directory":                     {func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, []string{"directory"}},
		"dangling link":                 {func(t *testing.T, path string) { must(t, os.Symlink("nowhere", path)) }, []string{"no such file"}},
		"below a file": {func(t *testing.T, path string) {
			must(t, os.Remove(filepath.Dir(path)))
			must(t, os.WriteFile(filepath.Dir(path), nil, 0o600))
		}, []string{"not a directory"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "sub", "runs.db")
			must(t, os.Mkdir(filepath.Dir(path), 0o700))
			test.make(t, path)
			before, _ := os.ReadFile(path)
			_ = os.Chmod(path, modeAt(path).Perm()|0o044) // where there is one
			mode := modeAt(path)
			_, err := runstore.Open(t.Context(), path, runstore.Options{})
			wantStoreError(t, err, append(test.want, path, "--db")...)
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file was changed")
			}
			if now := modeAt(path); now != mode {
				t.Errorf("mode %v, before: %v", now, mode)
			}
		})
	}
	_, err := runstore.Open(t.Context(), "", runstore.Options{})
	wantStoreError(t, err, "no path")
}

// modeAt is the mode of a file, 0 if there is none.
func modeAt(path string) fs.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Mode()
}

func wantStoreError(t *testing.T, err error, words ...string) {
	t.Helper()
	if !errors.Is(err, runstore.ErrStore) {
		t.Fatalf("got %v, want a store error", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%q has several lines", err)
	}
	t.Log(err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func text(content string) func(*testing.T, string) {
	return func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte(content), 0o600)) }
}

// script makes a database of somebody else's.
func script(text string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		db, err := sql.Open("sqlite", path)
		must(t, err)
		_, err = db.Exec("CREATE TABLE IF NOT EXISTS t (x); DROP TABLE t; " + text)
		must(t, errors.Join(err, db.Close()))
	}
}

func newer(t *testing.T, path string) {
	closeStore(t, open(t, path, runstore.Options{}))
	script("PRAGMA user_version = 99")(t, path)
}

func damaged(t *testing.T, path string) {
	closeStore(t, open(t, path, runstore.Options{}))
	data, err := os.ReadFile(path)
	must(t, err)
	copy(data, "XXXX")
	must(t, os.WriteFile(path, data, 0o600))
}

// TestSQLite_Damaged damages pages behind the header.
func TestSQLite_Damaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	s := open(t, path, runstore.Options{})
	mustCommit(t, s, appended(testRun(1), 0, 100))
	closeStore(t, s)
	data, err := os.ReadFile(path)
	must(t, err)
	for i := 4096; i < len(data); i++ {
		data[i] ^= 0x5a
	}
	must(t, os.WriteFile(path, data, 0o600))
	s, err = runstore.Open(t.Context(), path, runstore.Options{})
	if err == nil {
		defer closeStore(t, s)
		_, err = s.Load(t.Context(), testRun(1).ID)
	}
	wantStoreError(t, err, "damaged", path)
}

// TestSQLite_Locked meets a transaction that does not end.
func TestSQLite_Locked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	const timeout = 50 * time.Millisecond
	s := open(t, path, runstore.Options{BusyTimeout: timeout})
	defer closeStore(t, s)
	unlock := lockDatabase(t, path)
	began := time.Now()
	_, err := s.Commit(t.Context(), appended(testRun(1), 0, 1))
	wantStoreError(t, err, "locked", timeout.String(), path)
	if !errors.Is(err, runstore.ErrLocked) || time.Since(began) < timeout {
		t.Errorf("%v after %v, want locked after %v", err, time.Since(began), timeout)
	}
	if _, err := s.Runs(t.Context(), agent.RunQuery{}); err != nil {
		t.Errorf("reading while another writes: %v", err)
	}
	unlock()
	mustCommit(t, s, appended(testRun(1), 0, 1))
}

// TestSQLite_LockedCreation waits already for the first migration.
func TestSQLite_LockedCreation(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	unlock := lockDatabase(t, path)
	_, err := runstore.Open(t.Context(), path, runstore.Options{BusyTimeout: 20 * time.Millisecond})
	if !errors.Is(err, runstore.ErrLocked) {
		t.Errorf("got %v, want locked", err)
	}
	unlock()
	closeStore(t, open(t, path, runstore.Options{}))
}

// TestSQLite_WaitEnds ends the wait for a lock with its context.
func TestSQLite_WaitEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	s := open(t, path, runstore.Options{BusyTimeout: time.Hour})
	defer closeStore(t, s)
	unlock := lockDatabase(t, path)
	cause := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, cause)
	defer cancel()
	if _, err := s.Commit(ctx, appended(testRun(1), 0, 1)); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
	unlock()
	mustCommit(t, s, appended(testRun(1), 0, 1))
}

// lockDatabase holds the lock of a writer until the returned function is called.
func lockDatabase(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	conn, err := db.Conn(t.Context())
	must(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	return func() {
		_, err := conn.ExecContext(context.WithoutCancel(t.Context()), "ROLLBACK")
		must(t, errors.Join(err, conn.Close(), db.Close()))
	}
}

// TestOpen_Migrates opens a database of every version there was.
func TestOpen_Migrates(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/version*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no old versions: %v", err)
	}
	for i, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			dump, err := os.ReadFile(file)
			must(t, err)
			path := filepath.Join(t.TempDir(), "runs.db")
			script(string(dump)+fmt.Sprintf("; PRAGMA user_version = %d", i+1))(t, path)
			s := open(t, path, runstore.Options{})
			defer closeStore(t, s)
			snap, err := s.Load(t.Context(), "01939f3c-0000-7000-8000-000000000001")
			if err != nil || len(snap.Events) != 2 || snap.Prompt != "Do it" || len(snap.Open) != 1 {
				t.Errorf("loaded %+v, %v", snap, err)
			}
			for _, q := range []agent.RunQuery{{Search: "which one"}, {Search: "which", Limit: 1}, {IDPart: "0001"}, {Waiting: true}} {
				if infos, err := s.Runs(t.Context(), q); err != nil || len(infos) != 1 {
					t.Errorf("%+v: %d runs, %v", q, len(infos), err)
				}
			}
			if digests, err := s.Digests(t.Context(), snap.ID); err != nil || len(digests) != 1 {
				t.Errorf("content %v, %v; want that of its plan", digests, err)
			}
			mustCommit(t, s, appended(snap.Run, 2, 1))
		})
	}
}

// TestSQLite_Overtaken has the database open while a newer program changes it.
func TestSQLite_Overtaken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	s := open(t, path, runstore.Options{})
	defer closeStore(t, s)
	mustCommit(t, s, appended(testRun(1), 0, 1))
	script("DROP TABLE texts_index; PRAGMA user_version = 99")(t, path)
	_, err := s.Commit(t.Context(), appended(testRun(2), 0, 1))
	wantStoreError(t, err, "newer agent", "version 99", path)
	script("DROP TABLE words")(t, path)
	_, err = s.Runs(t.Context(), agent.RunQuery{Search: "x y", Limit: 1})
	wantStoreError(t, err, "newer agent", "version 99", path)
	if snap, err := s.Load(t.Context(), testRun(1).ID); err != nil || len(snap.Events) != 1 {
		t.Errorf("what is still understood: %+v, %v", snap, err)
	}
}

// TestOpen_Together lets many open a database that is not there yet: each sees
// it as it was at one moment, before it was made or after.
func TestOpen_Together(t *testing.T) {
	t.Parallel()
	for range 10 {
		path := filepath.Join(t.TempDir(), "runs.db")
		var opening sync.WaitGroup
		for range 16 {
			opening.Go(func() {
				s, err := runstore.Open(t.Context(), path, runstore.Options{})
				if err == nil {
					err = s.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		opening.Wait()
	}
}
