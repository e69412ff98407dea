package runstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-3e5a1d81/agent/runstore"
)

// inMounts runs a role in a process with mounts of its own, which end with it:
// root may make them, others as root of a user namespace. It returns what the
// process printed.
func inMounts(t *testing.T, role, path string) string {
	t.Helper()
	for _, flags := range []uintptr{syscall.CLONE_NEWNS, syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER} {
		cmd := childCommand(t, role, path)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
		if flags&syscall.CLONE_NEWUSER != 0 {
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
		}
		out, err := cmd.Output()
		if err == nil {
			return string(out)
		}
		t.Logf("namespaces %#x: %v", flags, err)
	}
	t.Skip("this system lets nobody mount; TestOpen_Unwritable covers a part")
	return ""
}

func mountTmpfs(dir, options string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		return fmt.Errorf("mount tmpfs: %w", err)
	}
	return nil
}

// report prints the error a role met, which is what it is for.
func report(sentinel bool, err error) error {
	_, err = fmt.Printf("store error %v: %v", sentinel, err)
	return err
}

func wantReport(t *testing.T, out string, words ...string) {
	t.Helper()
	t.Log(out)
	for _, word := range append(words, "store error true", "runs.db") {
		if !strings.Contains(out, word) || strings.Contains(out, "\n") {
			t.Errorf("%q does not say %q in one line", out, word)
		}
	}
}

func TestOpen_ReadOnlyMount(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"read-only new", "read-only existing"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "runs.db")
			if strings.HasSuffix(role, "existing") {
				s := open(t, path, runstore.Options{})
				mustCommit(t, s, appended(testRun(1), 0, 1))
				closeStore(t, s)
			}
			wantReport(t, inMounts(t, role, path), "read-only file system", "--db")
		})
	}
}

// openReadOnly mounts the directory of path on itself, read-only.
func openReadOnly(ctx context.Context, path string) error {
	dir := filepath.Dir(path)
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return err
	}
	locked := uintptr(st.Flags) & (syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC) // a user namespace may not drop them
	if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY|locked, ""); err != nil {
		return fmt.Errorf("remount read-only: %w", err)
	}
	_, err := runstore.Open(ctx, path, runstore.Options{})
	return report(isStoreError(err), err)
}

// TestSQLite_FullDisk fills a small disk, and then reads and goes on.
func TestSQLite_FullDisk(t *testing.T) {
	t.Parallel()
	wantReport(t, inMounts(t, "full", filepath.Join(t.TempDir(), "runs.db")), "disk is full")
}

func fillDisk(ctx context.Context, path string) error {
	if err := mountTmpfs(filepath.Dir(path), "size=2m"); err != nil {
		return err
	}
	s, err := runstore.Open(ctx, path, runstore.Options{})
	if err != nil {
		return err
	}
	var kept int64
	var full error
	for full == nil && kept < 100_000 {
		if _, full = s.Commit(ctx, appended(testRun(1), kept, 100)); full == nil {
			kept += 100
		}
	}
	if snap, err := s.Load(ctx, testRun(1).ID); err != nil || snap.Seq != kept || int64(len(snap.Events)) != kept {
		return fmt.Errorf("after: seq %d with %d records, %w; want %d", snap.Seq, len(snap.Events), err, kept)
	}
	return report(isStoreError(full), full)
}

// otherRole plays the roles only this system has.
func otherRole(ctx context.Context, role, path string) error {
	switch role {
	case "read-only new", "read-only existing":
		return openReadOnly(ctx, path)
	case "full":
		return fillDisk(ctx, path)
	}
	return fmt.Errorf("no role %q", role)
}

// TestOpen_Unwritable names a place where nobody can make a file, not even
// root.
func TestOpen_Unwritable(t *testing.T) {
	t.Parallel()
	_, err := runstore.Open(t.Context(), "/proc/self/runs.db", runstore.Options{})
	wantStoreError(t, err, "/proc/self/runs.db", "--db")
}
