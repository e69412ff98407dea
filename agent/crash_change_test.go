package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// Wherever a process dies while it changes files, and whatever the person says
// of a call in doubt that is true: the files end up changed once, and what they
// held before can be brought back.
func TestCrash_ChangesCanBeTakenBack(t *testing.T) {
	t.Parallel()
	turns := func() []any {
		return []any{
			calls(call("r", "read_file", `{"path":"old"}`), call("r2", "read_file", `{"path":"other"}`)),
			calls(call("w", "write_file", `{"path":"old","content":"written"}`), call("n", "write_file", `{"path":"new","content":"made"}`)),
			calls(call("e", "edit_file", `{"path":"other","edits":[{"oldText":"b","newText":"c"}]}`)),
			says("done"),
		}
	}
	for _, again := range []bool{false, true} {
		for _, after := range []bool{false, true} {
			for k := 1; k < 12; k++ {
				t.Run(fmt.Sprintf("always again %t/commit %d landed %t", again, k+1, after), func(t *testing.T) {
					t.Parallel()
					r := newRig(t, turns(), tools.ReadFile(tools.Closed{}), tools.WriteFile("", tools.Closed{}), tools.EditFile("", tools.Closed{}))
					r.write("old", "before")
					r.write("other", "a b")
					shared := r.cfg.Store.(*runstore.MemoryStore)
					r.rebuild(func(c *agent.Config) { c.Store = &mortal{MemoryStore: shared.Handle(), left: k, after: after} })
					id := r.start(agent.Task{Prompt: "Change them", Mode: "build"}).runID
					r.rebuild(func(c *agent.Config) { c.Store = shared.Handle() })
					sc := crashScenario{answer: func(agent.Suspension, *probe) any {
						if !again && r.read("other") == "a c" {
							return agent.DoubtDecision{Action: "happened"}
						}
						return agent.DoubtDecision{Action: "again"}
					}}
					if err := sc.finish(t, r, id, nil); err != nil {
						t.Fatal(err)
					}
					st, err := agent.Fold(r.load(id).Events)
					if err != nil {
						t.Fatal(err)
					}
					if got := r.read("old") + " " + r.read("new") + " " + r.read("other"); got != "written made a c" {
						t.Errorf("the files hold %q", got)
					}
					got := map[string]string{}
					for _, c := range st.Changes() {
						got[c.Path] = r.blob(c.Before) + " -> " + r.blob(c.After)
					}
					want := map[string]string{"old": "before -> written", "new": " -> made", "other": "a b -> a c"}
					if fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("changes %v, want %v", got, want)
					}
				})
			}
		}
	}
}

// blob is content of the store, "" for none.
func (r *rig) blob(digest string) string {
	r.t.Helper()
	if digest == "" {
		return ""
	}
	data, err := r.cfg.Store.Blob(r.t.Context(), digest)
	if err != nil {
		r.t.Error(err)
	}
	return string(data)
}

// read is what a file of the workspace holds.
func (r *rig) read(path string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.workspace, path))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}
