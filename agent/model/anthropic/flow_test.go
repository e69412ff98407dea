package anthropic

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/modes"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

const planFile = ".mastracode/plans/greeting.md"

// rig is an agent with the product's tools and modes over a model of a server.
type rig struct {
	*agent.Agent
	t         *testing.T
	store     runstore.Store
	workspace string
}

func newRig(t *testing.T, m agent.Model, retry agent.Retry) *rig {
	t.Helper()
	all := tools.All(tools.Config{})
	var names []string
	for _, tool := range all {
		names = append(names, tool.Definition().Name)
	}
	controller, err := modes.New(modes.Config{Modes: modes.Builtin(modes.Options{}), Tools: names, Registered: names})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, store: runstore.Memory(), workspace: t.TempDir()}
	r.Agent, err = agent.New(agent.Config{Instructions: "Be kind.", Model: m, Tools: all, Modes: controller, Store: r.store, Retry: retry})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// drive ranges over a stream and returns its events and what the run is then.
func (r *rig) drive(s *agent.Stream) ([]agent.Event, *agent.State) {
	r.t.Helper()
	var events []agent.Event
	for e, err := range s.Events() {
		if err != nil {
			r.t.Fatal(err)
		}
		events = append(events, e)
	}
	return events, s.State()
}

func (r *rig) want(st *agent.State, want agent.Status) {
	r.t.Helper()
	if st.Run.Status != want {
		r.t.Fatalf("run is %s, want %s; error %+v", st.Run.Status, want, st.Run.Error)
	}
}

// args are a tool's arguments in pieces of a few bytes.
func args(v any) []string {
	data, _ := json.Marshal(v)
	var pieces []string
	for s := string(data); s != ""; {
		n := min(7, len(s))
		pieces, s = append(pieces, s[:n]), s[n:]
	}
	return pieces
}

func writes(i int, path, content string) string {
	return toolBlock(i, "toolu_w", "write_file", args(map[string]string{"path": path, "content": content})...)
}

func submits(i int, id string) string {
	return toolBlock(i, id, "submit_plan", args(map[string]string{"path": planFile})...)
}

// The main job with real tools: a question, a plan, its approval, the build.
func TestFlow(t *testing.T) {
	t.Parallel()
	s := serve(t,
		plays(begins(), thinkingBlock(0, "sig1", "Which language?"), textBlock(1, "One question first."),
			toolBlock(2, "toolu_q", "ask_user", args(map[string]any{"question": "Which?", "options": []map[string]string{{"label": "English"}, {"label": "German"}}})...), ends("tool_use")),
		plays(begins(), thinkingBlock(0, "sig2", "Plan."), writes(1, planFile, "# Greeting\n\nWrite it.\n"), submits(2, "toolu_p"), ends("tool_use")),
		plays(begins(), thinkingBlock(0, "sig3", "Revise."), writes(1, planFile, "# Greeting\n\nWrite it in short.\n"), submits(2, "toolu_p"), ends("tool_use")),
		fails(529, "overloaded_error", "Overloaded"),
		plays(begins(), thinkingBlock(0, "sig4", "Build."), writes(1, "greeting.txt", "Guten Tag\n"), ends("tool_use")),
		plays(begins(), textBlock(0, "Built."), ends("end_turn")),
	)
	r := newRig(t, s.open("claude-opus-5-5"), agent.Retry{First: time.Millisecond, Max: time.Millisecond})
	ctx := t.Context()
	// The second and third plan are written over a file this run has written.
	_, st := r.drive(r.StreamTask(ctx, agent.Task{Prompt: "Greet", Workspace: r.workspace}))
	r.want(st, agent.StatusSuspended)
	id := st.Run.ID
	_, st = r.drive(r.ResumeStream(ctx, "German", agent.Resume{RunID: id}))
	r.want(st, agent.StatusSuspended)
	_, st = r.drive(r.ResumeStream(ctx, agent.PlanDecision{Action: "rejected", Feedback: "shorter"}, agent.Resume{RunID: id}))
	r.want(st, agent.StatusSuspended)
	events, st := r.drive(r.ResumeStream(ctx, agent.PlanDecision{Action: "approved"}, agent.Resume{RunID: id}))
	r.want(st, agent.StatusFinished)
	if st.Run.Mode != "build" || st.Run.Text != "Built." {
		t.Errorf("run %+v", st.Run)
	}
	if got, err := os.ReadFile(filepath.Join(r.workspace, "greeting.txt")); err != nil || string(got) != "Guten Tag\n" {
		t.Errorf("file %q, %v", got, err)
	}
	if retries := count(events, agent.RetryNotice); retries != 1 {
		t.Errorf("%d retries told, want 1", retries)
	}
	if want := int64(5); st.Run.Usage.Steps != want || st.Run.Usage.InputTokens != 25*want || st.Run.Usage.CacheReadTokens != 2000*want {
		t.Errorf("usage %+v", st.Run.Usage)
	}
	r.checkRequests(s)
	r.checkNoKey(id)
}

// checkRequests holds the requests of the flow against the API's rules.
func (r *rig) checkRequests(s *server) {
	r.t.Helper()
	if s.asked() != 6 {
		r.t.Fatalf("%d requests, want 6", s.asked())
	}
	for n := range s.asked() {
		body := s.body(n)
		messages := body["messages"].([]any)
		open := map[string]bool{}
		for i, msg := range messages {
			role := []string{"user", "assistant"}[i%2]
			if msg.(map[string]any)["role"] != role {
				r.t.Errorf("request %d: message %d is not of the %s", n, i, role)
			}
			for _, b := range msg.(map[string]any)["content"].([]any) {
				switch b := b.(map[string]any); b["type"] {
				case "tool_use":
					open[b["id"].(string)] = true
				case "tool_result":
					if !open[b["tool_use_id"].(string)] {
						r.t.Errorf("request %d: a result of no call: %v", n, b)
					}
					delete(open, b["tool_use_id"].(string))
				}
			}
			if role == "user" && len(open) > 0 {
				r.t.Errorf("request %d: calls without results: %v", n, open)
			}
		}
	}
	// In plan mode all thinking goes back; build mode has other tools, and what
	// was thought before them would be refused.
	for n, want := range []string{"", "sig1", "sig1 sig2", "", "", "sig4"} {
		var got []string
		for i := 1; i <= 4; i++ {
			if strings.Contains(s.bodies[n], `"sig`+string(rune('0'+i))+`"`) {
				got = append(got, "sig"+string(rune('0'+i)))
			}
		}
		if strings.Join(got, " ") != want {
			r.t.Errorf("request %d carries the thinking %q, want %q", n, got, want)
		}
	}
}

// checkNoKey searches all that the run left.
func (r *rig) checkNoKey(id string) {
	r.t.Helper()
	snap, err := r.store.Load(context.Background(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	data, err := json.Marshal(snap)
	if err != nil {
		r.t.Fatal(err)
	}
	if len(data) < 1000 || strings.Contains(string(data), marker) {
		r.t.Errorf("the key is in the journal, or there is none: %d bytes", len(data))
	}
}

func count(events []agent.Event, t agent.EventType) (n int) {
	for _, e := range events {
		if e.Type == t {
			n++
		}
	}
	return n
}

// A fault that does not pass leaves the run paused, with cause and remedy, and
// to be resumed.
func TestFlow_Faults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		act       act
		retryable bool
		requests  int // at least
	}{
		{"key", fails(http.StatusUnauthorized, "authentication_error", "invalid x-api-key: "+marker), false, 1},
		{"overloaded", fails(529, "overloaded_error", "Overloaded"), true, 2},
		{"cut", plays(begins(), textBlock(0, "Hal"), toolBlock(1, "toolu_1", "write_file", args(map[string]string{"path": "x", "content": "y"})...)), true, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tc.act)
			r := newRig(t, s.open("claude-opus-5-5"), agent.Retry{First: time.Second, Max: time.Second, MaxElapsed: 3 * time.Second})
			_, st := r.drive(r.StreamTask(t.Context(), agent.Task{Prompt: "Greet", Workspace: r.workspace}))
			r.want(st, agent.StatusPaused)
			e := st.Run.Error
			if e == nil || e.Code != agent.CodeProvider || e.Retryable != tc.retryable || !tc.retryable && e.Hint == "" {
				t.Errorf("error %+v", e)
			}
			if n := s.asked(); n < tc.requests || !tc.retryable && n != 1 {
				t.Errorf("%d requests", n)
			}
			if files, _ := os.ReadDir(r.workspace); len(files) != 0 {
				t.Errorf("a call of a reply that was cut was run: %v", files)
			}
			r.checkNoKey(st.Run.ID)

			s.mu.Lock()
			s.acts = []act{plays(begins(), textBlock(0, "Done."), ends("end_turn"))}
			s.mu.Unlock()
			_, st = r.drive(r.Continue(t.Context(), agent.Resume{RunID: st.Run.ID}))
			r.want(st, agent.StatusFinished)
		})
	}
}

// A reply whose call cannot be run still gets its result, and the next
// request is one the API takes.
func TestFlow_BadCalls(t *testing.T) {
	t.Parallel()
	s := serve(t,
		plays(begins(), toolBlock(0, "", "list_files"), toolBlock(1, "x#1", "no such", `{}`), toolBlock(2, "x#1", "read_file", `{"path": oops`), ends("tool_use")),
		plays(begins(), textBlock(0, "I see."), ends("end_turn")),
	)
	r := newRig(t, s.open("claude-opus-5-5"), agent.Retry{})
	_, st := r.drive(r.StreamTask(t.Context(), agent.Task{Prompt: "Greet", Workspace: r.workspace}))
	r.want(st, agent.StatusFinished)
	used, got := contentOf(t, s.body(1), 1), contentOf(t, s.body(1), 2)
	for _, id := range []string{`"call_1"`, `"x-1"`, `"x-1-2"`} {
		if strings.Count(used, `"id":`+id) != 1 || strings.Count(got, `"tool_use_id":`+id) != 1 {
			t.Errorf("call %s is not once in %s and %s", id, used, got)
		}
	}
	if !strings.Contains(used, `{"_invalid":"{\"path\": oops"}`) {
		t.Errorf("calls %s", used)
	}
}
