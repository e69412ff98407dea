package runstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
	"go.uber.org/goleak"
)

// childEnv makes the test binary play another process.
const childEnv = "RUNSTORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		if err := child(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// childCommand is a process that plays role on the database at path.
func childCommand(t *testing.T, role, path string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, append([]string{path}, args...)...)
	cmd.Env = append(os.Environ(), childEnv+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

func child(role string, args []string) error {
	ctx := context.Background()
	switch role {
	case "owner":
		return own(ctx, args[0])
	case "writer":
		return writeMany(ctx, args[0], args[1])
	}
	return otherRole(ctx, role, args[0])
}

func isStoreError(err error) bool { return errors.Is(err, runstore.ErrStore) }

// own claims run 1, starts a process of its own and holds the run until stdin
// ends.
func own(ctx context.Context, path string) error {
	s, err := runstore.Open(ctx, path, runstore.Options{})
	if err != nil {
		return err
	}
	c := appended(testRun(1), 0, 1)
	c.Run.Status, c.Own = agent.StatusRunning, true
	if _, err := s.Commit(ctx, c); err != nil {
		return err
	}
	shell := exec.CommandContext(ctx, "cat") // lives as long as stdin
	shell.Stdin = os.Stdin
	if err := shell.Start(); err != nil {
		return err
	}
	fmt.Println("owned")
	return shell.Wait()
}

// writeMany appends 50 records to a run of its own.
func writeMany(ctx context.Context, path, name string) error {
	s, err := runstore.Open(ctx, path, runstore.Options{})
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(name)
	if err != nil {
		return err
	}
	run := testRun(n)
	for base := int64(0); base < 50; base++ {
		if _, err := s.Commit(ctx, appended(run, base, 1)); err != nil {
			return fmt.Errorf("process %d, record %d: %w", n, base, err)
		}
	}
	return s.Close()
}
