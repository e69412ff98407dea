//go:build unix

package runstore_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
)

// TestSQLite_Killed kills a process that owns a run. Its children live on, as
// those of a shell tool may: they must not keep it alive.
func TestSQLite_Killed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	cmd, endChild := startOwner(t, path)
	defer endChild()
	s := open(t, path, runstore.Options{})
	defer closeStore(t, s)
	run := testRun(1)
	run.Status = agent.StatusRunning

	snap, err := s.Load(t.Context(), run.ID)
	if err != nil || !snap.Alive || snap.Current() != agent.StatusRunning || snap.Owner.PID != cmd.Process.Pid {
		t.Fatalf("before: %+v, %v", snap.RunInfo, err)
	}
	c := appended(run, 1, 1)
	c.Own = true
	if _, err := s.Commit(t.Context(), c); !errors.Is(err, agent.ErrBusy) {
		t.Fatalf("before: got %v, want busy", err)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as wanted
	dead := time.Now()
	snap, err = s.Load(t.Context(), run.ID)
	if err != nil || snap.Alive || snap.Current() != agent.StatusInterrupted {
		t.Fatalf("after: %+v, %v", snap.RunInfo, err)
	}
	t.Logf("death seen after %v", time.Since(dead))
	if epoch := mustCommit(t, s, c); epoch != 2 {
		t.Errorf("take-over has epoch %d, want 2", epoch)
	}
	if files, err := filepath.Glob(filepath.Join(path+"-owners", "*.lock")); err != nil || len(files) != 1 {
		t.Errorf("lock files: %v, %v; want our own", files, err)
	}
}

// startOwner starts a process that owns run 1, with a child that lives until
// the returned function is called.
func startOwner(t *testing.T, path string) (*exec.Cmd, func()) {
	t.Helper()
	cmd := childCommand(t, "owner", path)
	in, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	cmd.Stdin = in
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "owned\n" {
		t.Fatalf("owner said %q, %v", line, err)
	}
	return cmd, func() { _ = hold.Close() }
}

// TestSQLite_ManyProcesses has four processes create one database and write
// to it at the same time.
func TestSQLite_ManyProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "runs.db")
	const processes = 4
	var cmds []*exec.Cmd
	for n := range processes {
		cmd := childCommand(t, "writer", path, strconv.Itoa(n))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for n, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", n, err)
		}
	}
	s := open(t, path, runstore.Options{})
	defer closeStore(t, s)
	for n := range processes {
		snap, err := s.Load(t.Context(), testRun(n).ID)
		if err != nil || len(snap.Events) != 50 {
			t.Errorf("run %d: %d records, %v; want 50", n, len(snap.Events), err)
		}
	}
}

// TestSQLite_Modes lets a process without any umask make the files.
func TestSQLite_Modes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, "runs.db")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `umask 0; exec "$0" "$1"`, exe, path)
	cmd.Env = append(os.Environ(), childEnv+"=owner")
	if out, err := cmd.Output(); err != nil || string(out) != "owned\n" {
		t.Fatalf("owner said %q, %v", out, err)
	}
	wantModes(t, dir, map[string]os.FileMode{
		".": 0o700, "runs.db": 0o600, "runs.db-wal": 0o600, "runs.db-shm": 0o600, "runs.db-owners": 0o700,
	})
}

// TestSQLite_ModesElsewhere narrows the files of a database that others could
// read, and a directory that was there before only if it is said to be ours.
func TestSQLite_ModesElsewhere(t *testing.T) {
	t.Parallel()
	for private, mode := range map[bool]os.FileMode{false: 0o755, true: 0o700} {
		t.Run(fmt.Sprintf("private %v", private), func(t *testing.T) {
			t.Parallel()
			narrowed(t, runstore.Options{Private: private}, mode)
		})
	}
}

func narrowed(t *testing.T, opts runstore.Options, dirMode os.FileMode) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shared")
	path := filepath.Join(dir, "runs.db")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Chmod(dir, 0o755), os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o664)); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, opts)
	defer closeStore(t, s)
	c := appended(testRun(1), 0, 1)
	c.Own = true
	mustCommit(t, s, c)
	wantModes(t, dir, map[string]os.FileMode{
		".": dirMode, "runs.db": 0o600, "runs.db-wal": 0o600, "runs.db-shm": 0o600, "runs.db-owners": 0o700,
	})
}

// TestSQLite_PrivateRefused leaves the directory alone as long as the file in it
// is not ours.
func TestSQLite_PrivateRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "agent")
	path := filepath.Join(dir, "runs.db")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Chmod(dir, 0o755), os.WriteFile(path, []byte("notes"), 0o600), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	_, err := runstore.Open(t.Context(), path, runstore.Options{Private: true})
	wantStoreError(t, err, "not a database")
	wantModes(t, dir, map[string]os.FileMode{".": 0o755, "runs.db": 0o644})
}

// wantModes checks the modes of what is in dir, and that nothing else is but
// lock files.
func wantModes(t *testing.T, dir string, want map[string]os.FileMode) {
	t.Helper()
	seen := 0
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		mode, listed := want[name]
		if listed {
			seen++
		} else if filepath.Ext(name) == ".lock" || filepath.Base(name) == "queue" {
			mode = 0o600
		}
		if info.Mode().Perm() != mode {
			t.Errorf("%s has mode %o, want %o", name, info.Mode().Perm(), mode)
		}
		return nil
	})
	if err != nil || seen != len(want) {
		t.Errorf("%d of %d names seen, %v", seen, len(want), err)
	}
}
