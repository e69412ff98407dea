//go:build linux || darwin

package cmd

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-3e5a1d81/agent/agent"
)

// outputFormats are all values of --output.
func outputFormats() []string { return []string{outputText, outputJSON, outputJSONL} }

// TestSituations runs each script of what a question or a plan does where,
// once in each output format. What stands on a terminal is
// TestSituations_terminal.
func TestSituations(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for _, format := range outputFormats() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Dir: filepath.Join("testdata", "situation"),
				Setup: func(env *testscript.Env) error {
					env.Setenv("FORMAT", format)
					env.Values[situationKey{}] = &situation{format: format}
					return scriptEnv(env)
				},
				RequireExplicitExec: true, RequireUniqueNames: true,
				Condition: func(cond string) (bool, error) { return cond == format, nil },
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"leaves": c.cmdLeaves, "stands": c.cmdStands, "wrote": cmdWrote,
					"exits": cmdExits, "field": cmdField,
				},
			})
		})
	}
}

// situation is what a script keeps between its lines.
type situation struct {
	format string
	before map[string]string // the workspace when the last run began
	object map[string]any    // the final object of the last command; nil in text
}

type situationKey struct{}

func situationOf(ts *testscript.TestScript) *situation {
	return ts.Value(situationKey{}).(*situation)
}

// cmdLeaves is "leaves CODE WORDS command…": it runs the command in the output
// format under test and wants this exit code, and on stdout the agent's words
// (several divided by "|") and nothing else.
func (c *checker) cmdLeaves(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: leaves code words command [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	s := situationOf(ts)
	if args[3] == "run" {
		s.before = treeOf(ts.MkAbs("."))
	}
	got := exitCodeOf(ts, ts.Exec(args[2], append(args[3:], "--output", s.format)...))
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	s.object, err = c.printed(s.format, ts.ReadFile("stdout"), strings.Split(args[1], "|"), want)
	ts.Check(err)
}

// printed holds the whole of stdout against what the format promises: in text
// the agent's words, else one final object, in jsonl after an event a line. It
// returns the object.
func (c *checker) printed(format, out string, words []string, code int) (map[string]any, error) {
	if format == outputText {
		if want := strings.TrimPrefix(strings.Join(words, "\n")+"\n", "\n"); out != want {
			return nil, fmt.Errorf("stdout is %q, want %q", out, want)
		}
		return nil, nil
	}
	lines := strings.SplitAfter(strings.TrimSuffix(out, "\n"), "\n")
	last := lines[len(lines)-1]
	if format == outputJSONL {
		var result struct {
			Type    string
			Payload json.RawMessage
		}
		if err := json.Unmarshal([]byte(last), &result); err != nil || result.Type != "result" {
			return nil, fmt.Errorf("the last line is no result: %q, %w", last, err)
		}
		last = string(result.Payload)
		if err := c.streamed(lines[:len(lines)-1]); err != nil {
			return nil, err
		}
	} else if len(lines) != 1 {
		return nil, fmt.Errorf("%d lines, want one object", len(lines))
	}
	if err := c.fits("result", []byte(last)); err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(last), &object); err != nil {
		return nil, err
	}
	return object, saysSo(object, words[len(words)-1], code)
}

// saysSo checks that an object tells the command's exit code and the agent's
// last words.
func saysSo(object map[string]any, text string, code int) error {
	if object["exitCode"] != float64(code) {
		return fmt.Errorf("the object says exit code %v, it is %d", object["exitCode"], code)
	}
	if text != "" && object["text"] != text {
		return fmt.Errorf("the object says %q, want %q", object["text"], text)
	}
	return nil
}

// streamed checks that each line is an event and that records come in order.
func (c *checker) streamed(lines []string) error {
	var last int64
	for _, line := range lines {
		if err := c.fits("event", []byte(line)); err != nil {
			return err
		}
		var e agent.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return err
		}
		if e.Seq > 0 {
			if e.Seq <= last {
				return fmt.Errorf("record %d comes after %d", e.Seq, last)
			}
			last = e.Seq
		}
	}
	return nil
}

// cmdStands is "stands path=value…": it looks with another command at where the
// latest run stands. What the command before printed must say the same.
func (c *checker) cmdStands(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Exec("agent", "show", "latest", "--output", "json"))
	var shown map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &shown))
	for _, arg := range args {
		path, want, ok := strings.Cut(arg, "=")
		if !ok || neg {
			ts.Fatalf("usage: stands path=value…")
		}
		cmdField(ts, false, []string{path, want})
	}
	if diff := differs(situationOf(ts).object, shown); diff != "" {
		ts.Fatalf("what was printed is not what is shown:\n%s", diff)
	}
}

// differs compares what a command printed with what show prints about the run.
// Only what the command itself came to may differ.
func differs(object, shown map[string]any) string {
	if object == nil {
		return ""
	}
	var all []string
	for key, value := range object {
		own := key == "exitCode" || key == "error" && object["exitCode"] != shown["exitCode"]
		if !own {
			all = append(all, cmp.Diff(shown[key], value))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "")
}

// cmdWrote is "wrote FILE…": these files of the workspace are new since the run
// began, and no other is new, changed or gone.
func cmdWrote(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: wrote [file…]")
	}
	want, now := situationOf(ts).before, treeOf(ts.MkAbs("."))
	for _, name := range args {
		if _, there := want[name]; there {
			ts.Fatalf("%s was there before", name)
		}
		if now[name] == "" {
			ts.Fatalf("%s was not written", name)
		}
		delete(now, name)
	}
	if diff := cmp.Diff(want, now); diff != "" {
		ts.Fatalf("the workspace differs:\n%s", diff)
	}
}

// treeOf are the regular files of a directory, with what they hold.
func treeOf(dir string) map[string]string {
	tree := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		tree[filepath.ToSlash(rel)] = string(data)
		return err
	}) // a file that cannot be read is then missing, and a difference
	return tree
}
