package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/modes"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// turn is what a model says at one point of a flow.
type turn struct {
	text  string
	calls []agent.ToolCall
}

// events says a turn in a wire format, its arguments in two pieces each.
func (tn turn) events(api string) []string {
	if api == Chat {
		events := []string{delta(`{"role":"assistant","content":""}`)}
		if tn.text != "" {
			events = append(events, delta(fmt.Sprintf(`{"content":%q}`, tn.text)))
		}
		reason := "stop"
		for i, c := range tn.calls {
			half := len(c.Args) / 2
			events = append(events,
				piece(i, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, c.ID, c.Name, c.Args[:half])),
				piece(i, fmt.Sprintf(`{"function":{"arguments":%q}}`, c.Args[half:])))
			reason = "tool_calls"
		}
		return append(events, finish(reason), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}`, "[DONE]")
	}
	items := []string{reasoningItem}
	var events []string
	if tn.text != "" {
		events = append(events, textPiece(1, tn.text))
		items = append(items, messageItem(1, tn.text))
	}
	for _, c := range tn.calls {
		items = append(items, callItem(c.ID, c.Name, string(c.Args)))
	}
	end := strings.Replace(completed(items...), `"status":"completed","error"`, `"usage":{"input_tokens":10,"output_tokens":5},"status":"completed","error"`, 1)
	return append(events, end)
}

// strictServer plays turns in either format, each once, and refuses requests
// that a real provider would refuse.
type strictServer struct {
	mu    sync.Mutex
	turns []turn
	asked []string // APIs, by request
}

func (s *strictServer) handler(api string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if err := checkConversation(api, body); err != nil {
			answer(400, "application/json", problem(err.Error()))(w, r)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.asked) >= len(s.turns) {
			answer(400, "application/json", problem("no turn left"))(w, r)
			return
		}
		s.asked = append(s.asked, api)
		stream(w, s.turns[len(s.asked)-1].events(api)...)
	}
}

// checkConversation holds a request against the rule both formats have: every
// call is answered, once, and nothing is answered that was not called.
func checkConversation(api string, body []byte) error {
	var req struct {
		Store    *bool
		Messages []struct {
			Role       string
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct{ ID string }
		}
		Input []struct {
			Type   string
			CallID string `json:"call_id"`
		}
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(body), `"tool_calls"`, `"toolCalls"`)), &req); err != nil {
		return err
	}
	open := map[string]bool{}
	settle := func(id string) error {
		if !open[id] {
			return fmt.Errorf("output of %q, which was not called", id)
		}
		delete(open, id)
		return nil
	}
	for _, m := range req.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("calls without output: %v", open)
		}
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
		if m.Role == "tool" {
			if err := settle(m.ToolCallID); err != nil {
				return err
			}
		}
	}
	for _, it := range req.Input {
		switch it.Type {
		case "function_call":
			open[it.CallID] = true
		case "function_call_output":
			if err := settle(it.CallID); err != nil {
				return err
			}
		}
	}
	switch {
	case len(open) > 0:
		return fmt.Errorf("calls without output: %v", open)
	case api == Responses && (req.Store == nil || *req.Store):
		return fmt.Errorf("the response would be stored")
	case len(req.Messages)+len(req.Input) == 0:
		return fmt.Errorf("an empty conversation")
	}
	return nil
}

const flowPlan = ".mastracode/plans/greeting.md"

// mainJob asks, plans, is approved and builds.
func mainJob() []turn {
	args := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(raw)
	}
	return []turn{
		{"Let me look.", []agent.ToolCall{tool("call_1", "list_files", `{}`), tool("call_2", "read_file", `{"path":"a.txt"}`), tool("call_3", "read_file", `path=a.txt`)}},
		{"", []agent.ToolCall{tool("call_4", "ask_user", args(map[string]any{"question": "Which?", "options": []map[string]string{{"label": "Hello"}, {"label": "Hi"}}}))}},
		{"", []agent.ToolCall{tool("call_5", "write_file", args(map[string]string{"path": flowPlan, "content": "# Greeting\n\nWrite hello.txt.\n"}))}},
		{"", []agent.ToolCall{tool("call_6", "submit_plan", args(map[string]string{"path": flowPlan}))}},
		{"", []agent.ToolCall{tool("call_6", "write_file", args(map[string]string{"path": "hello.txt", "content": "Hello\n"}))}},
		{"Built.", nil},
	}
}

// flow is an agent that plans with one model and builds with another.
func flow(t *testing.T, planAPI, buildAPI string) (*agent.Agent, *strictServer) {
	t.Helper()
	server := &strictServer{turns: mainJob()}
	byID := map[string]agent.Model{}
	id := func(api string) string {
		p := serverFor(t, api, server.handler(api))
		p.Name = api
		m := open(t, p, "m", Options{})
		byID[m.ID()] = m
		return m.ID()
	}
	planID, buildID := id(planAPI), id(buildAPI)
	ms := modes.Builtin(modes.Options{})
	for i := range ms {
		ms[i].DefaultModelID = planID
		if ms[i].ID == "build" {
			ms[i].DefaultModelID = buildID
		}
	}
	all := tools.All(tools.Config{})
	var names []string
	for _, tl := range all {
		names = append(names, tl.Definition().Name)
	}
	controller, err := modes.New(modes.Config{Modes: ms, Tools: names, Registered: names})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Instructions: "Be careful.", Tools: all, Modes: controller, Store: runstore.Memory(), Retry: agent.Retry{MaxElapsed: -1},
		Models: func(id string) (agent.Model, error) { return byID[id], nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, server
}

// drive ranges a stream and returns the run as it was left.
func drive(t *testing.T, s *agent.Stream, want agent.Status) *agent.State {
	t.Helper()
	for _, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := s.State().Run; got.Status != want {
		t.Fatalf("status %s, want %s; error %+v", got.Status, want, got.Error)
	}
	return s.State()
}

func TestFlow(t *testing.T) {
	t.Parallel()
	for _, apis := range [][2]string{{Chat, Chat}, {Responses, Responses}, {Chat, Responses}, {Responses, Chat}} {
		t.Run("plan with "+apis[0]+" and build with "+apis[1], func(t *testing.T) {
			t.Parallel()
			a, server := flow(t, apis[0], apis[1])
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("A\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := a.StreamTask(t.Context(), agent.Task{Prompt: "Greet", Workspace: dir})
			drive(t, s, agent.StatusSuspended)
			st := drive(t, a.ResumeStream(t.Context(), "Hello", agent.Resume{RunID: s.RunID()}), agent.StatusSuspended)
			if plans := st.Plans(); len(plans) != 1 || plans[0].Title != "Greeting" {
				t.Fatalf("plans %+v", plans)
			}
			if _, err := os.Stat(filepath.Join(dir, "hello.txt")); err == nil {
				t.Fatal("built before the plan was approved")
			}
			st = drive(t, a.ResumeStream(t.Context(), agent.PlanDecision{Action: "approved"}, agent.Resume{RunID: s.RunID()}), agent.StatusFinished)
			if got, err := os.ReadFile(filepath.Join(dir, "hello.txt")); err != nil || string(got) != "Hello\n" {
				t.Errorf("hello.txt: %q, %v", got, err)
			}
			if u := st.Run.Usage; st.Run.Text != "Built." || u.Steps != 6 || u.InputTokens != 60 || u.OutputTokens != 30 {
				t.Errorf("text %q, usage %+v", st.Run.Text, u)
			}
			want := strings.Join([]string{apis[0], apis[0], apis[0], apis[0], apis[1], apis[1]}, " ")
			if got := strings.Join(server.asked, " "); got != want {
				t.Errorf("asked %s, want %s", got, want)
			}
		})
	}
}

// A provider's fault pauses the run, with its remedy.
func TestFlow_Fault(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		p := serverFor(t, w.api, answer(401, "application/json", problem("bad key "+planted)))
		store := runstore.Memory()
		a, err := agent.New(agent.Config{Model: open(t, p, "m", Options{}), Store: store})
		if err != nil {
			t.Fatal(err)
		}
		s := a.Stream(t.Context(), "hi")
		st := drive(t, s, agent.StatusPaused)
		if e := st.Run.Error; e == nil || e.Retryable || !strings.Contains(e.Hint, "TEST_API_KEY") {
			t.Errorf("error %+v", e)
		}
		snap, err := store.Load(t.Context(), s.RunID())
		if err != nil {
			t.Fatal(err)
		}
		journal, err := json.Marshal(snap)
		if err != nil || len(snap.Events) == 0 || strings.Contains(string(journal), planted) {
			t.Errorf("the journal, %v, has the key or nothing: %s", err, journal)
		}
	})
}
