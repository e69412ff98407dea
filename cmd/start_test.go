package cmd

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStart_costsNothing: every command pays for what packages do before main,
// so that ours do nothing there, such as compile expressions. What they
// allocate tells, whatever else the machine does. This package is left out, and
// golden: tests are part of the program that runs here.
func TestStart_costsNothing(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	agent := exec.Command(program)
	agent.Args = []string{"agent", "--help"}
	agent.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	agent.Stderr = &trace
	if err := agent.Run(); err != nil {
		t.Fatalf("%v\n%s", err, trace.String())
	}
	if !strings.Contains(trace.String(), "init runtime @") {
		t.Fatalf("no trace of the start:\n%s", trace.String())
	}
	for line := range strings.Lines(trace.String()) {
		tests := strings.Contains(line, "init "+module+"cmd @") || strings.Contains(line, "init "+module+"internal/golden @")
		own := strings.Contains(line, "init "+module) && !tests
		if own && !strings.Contains(line, " 0 allocs") {
			t.Error(line)
		}
	}
}
