package cmd

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/modes"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// TestReports keeps a script for each fault that users of such tools report, by
// its row in the list of them. A script begins with the fault and with what
// holds here.
func TestReports(t *testing.T) {
	t.Parallel()
	for _, row := range []int{1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 20, 21, 23, 24, 25, 27, 28, 29, 31} {
		t.Run(fmt.Sprintf("row%02d", row), func(t *testing.T) {
			t.Parallel()
			found, err := filepath.Glob(filepath.Join("testdata", "script", fmt.Sprintf("report-%02d-*.txtar", row)))
			if err != nil || len(found) != 1 {
				t.Fatalf("scripts %q, %v; want one", found, err)
			}
			raw, err := os.ReadFile(found[0])
			if err != nil {
				t.Fatal(err)
			}
			if s := string(raw); !strings.HasPrefix(s, "# Elsewhere: ") || !strings.Contains(s, "\n# Here: ") {
				t.Errorf("%s does not begin with the fault and what holds here", found[0])
			}
			if !strings.Contains(string(raw), "exits ") {
				t.Errorf("%s tests no exit code", found[0])
			}
		})
	}
}

// listener is a model that gives the replies of a list and keeps what it was
// asked.
type listener struct {
	replies []agent.Reply
	asked   []agent.Request
}

func (*listener) ID() string { return "test/listener" }

func (l *listener) Stream(_ context.Context, req agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		if req.Turn >= len(l.replies) {
			yield(agent.Chunk{}, fmt.Errorf("no reply %d", req.Turn+1))
			return
		}
		l.asked = append(l.asked, req)
		yield(agent.Chunk{Reply: &l.replies[req.Turn]}, nil)
	}
}

func calling(id, name, args string) agent.Reply {
	return agent.Reply{ToolCalls: []agent.ToolCall{{ID: id, Name: name, Args: []byte(args)}}}
}

// reopened is an agent over a database that is opened anew, as by another
// process.
func reopened(t *testing.T, db string, m agent.Model, p agent.Permissions) *agent.Agent {
	t.Helper()
	store, err := runstore.Open(t.Context(), db, runstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	all := tools.All(tools.Config{})
	var names []string
	for _, tool := range all {
		names = append(names, tool.Definition().Name)
	}
	controller, err := modes.New(modes.Config{Modes: modes.Builtin(modes.Options{Tools: names}), Tools: names, Registered: names})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{ID: agentID, Instructions: instructions, Model: m, Tools: all, Modes: controller, Store: store, Permission: p})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// drain ranges a stream to its end.
func drain(t *testing.T, s *agent.Stream) {
	t.Helper()
	for _, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestReports_row05: a script sees what a call of a forbidden tool gets, but
// not what the model is told. After each answer, in another process, it is told
// the same: the instructions of its mode, and the same tools.
func TestReports_row05(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{modes.Plan, modes.Build, modes.Explore} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), "runs.db")
			m := &listener{replies: []agent.Reply{
				calling("one", "ask_user", `{"question":"Which?"}`), calling("two", "ask_user", `{"question":"How?"}`), {Text: "Done."},
			}}
			s := reopened(t, db, m, nil).StreamTask(t.Context(), agent.Task{Prompt: "Do it", Mode: mode, Workspace: t.TempDir()})
			drain(t, s)
			for range 2 {
				drain(t, reopened(t, db, m, nil).ResumeStream(t.Context(), "this", agent.Resume{RunID: s.RunID()}))
			}
			if len(m.asked) != 3 {
				t.Fatalf("the model was asked %d times, want 3", len(m.asked))
			}
			if want := "in " + mode + " mode"; !strings.Contains(m.asked[0].System, want) {
				t.Errorf("instructions lack %q: %s", want, m.asked[0].System)
			}
			for i, later := range m.asked[1:] {
				if diff := cmp.Diff(m.asked[0].System, later.System); diff != "" {
					t.Errorf("instructions after answer %d:\n%s", i+1, diff)
				}
				if diff := cmp.Diff(m.asked[0].Tools, later.Tools); diff != "" {
					t.Errorf("tools after answer %d:\n%s", i+1, diff)
				}
			}
		})
	}
}

// askAll is a policy that asks about everything.
type askAll struct{}

func (askAll) Decide(agent.PermissionRequest) agent.Verdict {
	return agent.Verdict{Action: agent.ActionAsk, Reason: "everything is asked about"}
}

// denyAll is a policy that denies everything.
type denyAll struct{}

func (denyAll) Decide(agent.PermissionRequest) agent.Verdict {
	return agent.Verdict{Action: agent.ActionDeny, Reason: "everything is denied"}
}

// TestReports_row24: under a policy that asks about everything, or denies it, a
// question and a plan are put to the person at once, while reading has to wait
// for an approval.
func TestReports_row24(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, args string
		policy           agent.Permissions
		want             agent.Kind
	}{
		{"question, asking", "ask_user", `{"question":"Which?"}`, askAll{}, agent.KindQuestion},
		{"question, denying", "ask_user", `{"question":"Which?"}`, denyAll{}, agent.KindQuestion},
		{"plan, asking", "submit_plan", `{"path":".mastracode/plans/a.md"}`, askAll{}, agent.KindPlan},
		{"plan, denying", "submit_plan", `{"path":".mastracode/plans/a.md"}`, denyAll{}, agent.KindPlan},
		{"reading, asking", "list_files", `{}`, askAll{}, agent.KindApproval},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.write(".mastracode/plans/a.md", "# A plan\n\nOne step.\n")
			m := &listener{replies: []agent.Reply{calling("call", tc.tool, tc.args), {Text: "Done."}}}
			a := reopened(t, filepath.Join(t.TempDir(), "runs.db"), m, tc.policy)
			s := a.StreamTask(t.Context(), agent.Task{Prompt: "Do it", Workspace: b.dir})
			drain(t, s)
			open, err := a.Open(t.Context(), s.RunID())
			if err != nil || len(open) != 1 {
				t.Fatalf("open: %+v, %v; want one", open, err)
			}
			if open[0].Kind != tc.want {
				t.Errorf("kind %s, want %s", open[0].Kind, tc.want)
			}
		})
	}
}
