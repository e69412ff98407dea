//go:build linux || darwin

package cmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// formats are the wire formats, with what stands behind a vendor's address.
var formats = []struct{ api, version string }{{"chat", "/v1"}, {"responses", "/v1"}, {"anthropic", ""}}

func wireTurn(text string, calls ...vendorToolCall) vendorTurn {
	return vendorTurn{Text: text, ToolCalls: calls}
}

func wireCall(id, name, args string) vendorToolCall {
	return vendorToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

func planningTurns() []vendorTurn {
	return []vendorTurn{
		wireTurn("Let me look.", wireCall("same", "list_files", `{}`), wireCall("broken", "read_file", `"path"`)),
		wireTurn("One question.", wireCall("same", "ask_user", `{"question":"Which language?"}`)),
		wireTurn("", wireCall("w", "write_file", `{"path":".mastracode/plans/p.md","content":"# Greet\n\nwords of the plan\n"}`), wireCall("p", "submit_plan", `{"path":".mastracode/plans/p.md"}`)),
	}
}

func buildingTurns() []vendorTurn {
	return []vendorTurn{
		wireTurn("I build.", wireCall("same", "write_file", `{"path":"made.txt","content":"made\n"}`)),
		wireTurn("Built."),
	}
}

// A run plans on one provider and builds on another, in each pair of formats; the
// second gets the whole history in its own, every call with its result.
func TestProviders_planHereBuildThere(t *testing.T) {
	t.Parallel()
	for _, plan := range formats {
		for _, build := range formats {
			t.Run(plan.api+" to "+build.api, func(t *testing.T) {
				t.Parallel()
				var asked bytes.Buffer
				planner, builder := newVendor(io.Discard, planningTurns()...), newVendor(&asked, buildingTurns()...)
				t.Cleanup(planner.Close)
				t.Cleanup(builder.Close)
				b := newDesk(t)
				b.env["XDG_CONFIG_HOME"] = filepath.Join(b.env["HOME"], "config")
				b.configure(fmt.Sprintf("[providers.first]\nbaseUrl = %q\napi = %q\n[providers.second]\nbaseUrl = %q\napi = %q\n"+
					"[[modes]]\nid = \"plan\"\nwrites = \"plans\"\ndefault = true\ntransitionsTo = \"build\"\ndefaultModelId = \"first/p\"\n"+
					"[[modes]]\nid = \"build\"\ndefaultModelId = \"second/b\"\n",
					planner.URL+plan.version, plan.api, builder.URL+build.version, build.api))
				r, _ := b.report("run", "Greet")
				if len(r.Suspensions) != 1 || r.Model != "first/p" {
					t.Fatalf("%+v", r)
				}
				b.report("resume", r.RunID, "--answer", "German, please")
				done, said := b.report("resume", r.RunID, "--approve")
				if done.Status != "finished" || done.Model != "second/b" || done.Mode != "build" || done.Text != "Built." {
					t.Fatalf("%+v\n%s", done, said.err)
				}
				first, _, _ := strings.Cut(asked.String(), "\n")
				for _, words := range []string{"words of the plan", "German, please", "One question.", "Plan approved."} {
					if !strings.Contains(first, words) {
						t.Errorf("the builder was not told %q", words)
					}
				}
				checkPaired(t, first, 5)
			})
		}
	}
}

// checkPaired holds that a logged request has so many calls, and one result for
// each.
func checkPaired(t *testing.T, request string, want int) {
	t.Helper()
	var body any
	if err := json.Unmarshal([]byte(request), &body); err != nil {
		t.Fatal(err)
	}
	calls, results := map[string]bool{}, map[string]bool{}
	walkCalls(body, calls, results)
	if len(calls) != want || !maps.Equal(calls, results) {
		t.Errorf("calls %v, results %v, want %d of each\n%s", calls, results, want, request)
	}
}

// walkCalls collects the IDs of calls and of results, where the formats have
// them.
func walkCalls(v any, calls, results map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			walkCalls(item, calls, results)
		}
	case map[string]any:
		id := func(key string) string { s, _ := v[key].(string); return s }
		switch kind := v["type"]; {
		case kind == "tool_use", kind == "function" && id("id") != "":
			calls[id("id")] = true
		case kind == "function_call":
			calls[id("call_id")] = true
		case kind == "function_call_output":
			results[id("call_id")] = true
		case kind == "tool_result", v["role"] == "tool":
			results[cmp.Or(id("tool_use_id"), id("tool_call_id"))] = true
		}
		for _, item := range v {
			walkCalls(item, calls, results)
		}
	}
}

// An interrupt in the middle of a reply is seen by the provider at once, and
// leaves the run to be resumed at that step.
func TestProviders_interrupted(t *testing.T) {
	t.Parallel()
	const soon = 2 * time.Second // 200 ms are wanted; a busy machine gets more
	for _, f := range formats {
		t.Run(f.api, func(t *testing.T) {
			t.Parallel()
			v := newVendor(io.Discard, vendorTurn{Text: "I am about to say a lot", Hangs: true}, wireTurn("Done."))
			t.Cleanup(v.Close)
			b := newDesk(t)
			b.env["XDG_CONFIG_HOME"] = filepath.Join(b.env["HOME"], "config")
			b.configure(fmt.Sprintf("[providers.slow]\nbaseUrl = %q\napi = %q\n", v.URL+f.version, f.api))
			agent, err := exec.LookPath("agent")
			if err != nil {
				t.Fatal(err)
			}
			c := exec.Command(agent, "run", "--model", "slow/m", "Do it")
			c.Dir, c.Env = b.dir, b.environ()
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			<-v.hangs
			began := time.Now()
			if err := c.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			took := (<-v.left).Sub(began)
			_ = c.Wait() // its exit code is looked at
			if code := c.ProcessState.ExitCode(); code != 130 || took > soon {
				t.Errorf("exit code %d, the provider saw the client go after %s", code, took)
			}
			t.Logf("the provider saw the client go after %s", took)
			r, _ := b.report("resume", "latest")
			if r.Status != "finished" || r.Text != "Done." {
				t.Errorf("%+v", r)
			}
		})
	}
}
