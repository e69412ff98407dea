package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/runstore"
)

var full = flag.Bool("full", false, "run the tests of many runs at once with their full numbers")

// numbers gives a test of many runs its size.
func numbers(small, whole int) int {
	if *full {
		return whole
	}
	return small
}

// readJSON is the JSON reader of shell scripts: "json a.0.b <file" prints a
// value; text without quotes.
func readJSON() int {
	var v any
	if err := json.NewDecoder(os.Stdin).Decode(&v); err != nil {
		fmt.Fprintln(os.Stderr, "json:", err)
		return 1
	}
	for _, key := range strings.Split(os.Args[1], ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(at) {
				fmt.Fprintf(os.Stderr, "json: no element %q of %d\n", key, len(at))
				return 1
			}
			v = at[i]
		default:
			fmt.Fprintf(os.Stderr, "json: nothing below %v\n", at)
			return 1
		}
	}
	fmt.Println(valueText(v))
	return 0
}

// worker is a process that starts runs one after the other: "worker N", in the
// current directory. It prints how long the longest took.
func worker() int {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return 2
	}
	var longest time.Duration
	for i := range n {
		io, err := iostreams.System()
		if err != nil {
			return 1
		}
		var out, errw bytes.Buffer
		io.Out, io.Err, io.In, io.InData = &out, &errw, nil, false
		began := time.Now()
		if code := execute(context.Background(), io, []string{"run", "--model", "script:w.yaml", "Run " + strconv.Itoa(i)}); code != exit.OK {
			fmt.Fprintf(os.Stderr, "run %d: exit %d\n%s%s", i, code, &out, &errw)
			return 1
		}
		longest = max(longest, time.Since(began))
	}
	fmt.Println(longest)
	return 0
}

// program makes a command of this test's own programs, in a home of its own.
func program(b *bench, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.Env = b.dir, b.environ()
	return c
}

// TestParallel_processes lets processes start runs on one database at once: no
// error, and no command takes 5 s. In full: 4 processes of 200 runs,
// go test ./cmd -run TestParallel -full.
func TestParallel_processes(t *testing.T) {
	t.Parallel()
	const processes = 4
	runs := numbers(20, 200)
	b := newBench(t)
	b.write("w.yaml", "turns:\n  - toolCalls: [{name: list_files, args: {}}]\n  - text: Done.\n")
	type result struct {
		out []byte
		err error
	}
	results := make(chan result, processes)
	for range processes {
		go func() {
			out, err := program(b, "worker", strconv.Itoa(runs)).CombinedOutput()
			results <- result{out, err}
		}()
	}
	for range processes {
		r := <-results
		longest, err := time.ParseDuration(strings.TrimSpace(string(r.out)))
		if r.err != nil || err != nil {
			t.Fatalf("worker: %v, %v\n%s", r.err, err, r.out)
		}
		t.Logf("longest command: %s", longest)
		if longest > 5*time.Second {
			t.Errorf("a command took %s", longest)
		}
	}
	store, err := runstore.Open(t.Context(), filepath.Join(b.dir, ".data", "agent", "runs.db"), runstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	finished, err := store.Runs(t.Context(), agent.RunQuery{Statuses: []agent.Status{agent.StatusFinished}})
	if err != nil || len(finished) != processes*runs {
		t.Errorf("%d runs finished, %v; want %d", len(finished), err, processes*runs)
	}
}

// TestParallel_script drives runs at once through a question, a rejection, an
// approval and the end, with a shell script that knows agent and a JSON reader
// alone. In full: 50 runs in 5 workspaces.
func TestParallel_script(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	script, err := filepath.Abs(filepath.Join("testdata", "parallel.sh"))
	if err != nil {
		t.Fatal(err)
	}
	runs := numbers(10, 50)
	out, err := program(b, "sh", script, strconv.Itoa(runs)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := fmt.Sprintf("%d runs finished\n", runs); !strings.HasSuffix(string(out), want) {
		t.Errorf("the script ends with\n%s", out)
	}
}
