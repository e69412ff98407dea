package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/replay"
	"github.com/seed-3e5a1d81/agent/modes"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// played is a model that gives the replies of a list, by turn.
type played struct {
	id    string
	turns []any // agent.Reply, error, or func(agent.Request) (agent.Reply, error)
	mu    sync.Mutex
	asked []agent.Request
}

func (m *played) ID() string { return m.id }

func (m *played) Stream(ctx context.Context, req agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		m.mu.Lock()
		m.asked = append(m.asked, req)
		m.mu.Unlock()
		if req.Turn >= len(m.turns) {
			yield(agent.Chunk{}, fmt.Errorf("no turn %d in a model of %d", req.Turn+1, len(m.turns)))
			return
		}
		var reply agent.Reply
		var err error
		switch turn := m.turns[req.Turn].(type) {
		case agent.Reply:
			reply = turn
		case error:
			err = turn
		case func(agent.Request) (agent.Reply, error):
			reply, err = turn(req)
		}
		if err != nil {
			yield(agent.Chunk{}, err)
			return
		}
		if reply.Text != "" && !yield(agent.Chunk{ID: "t", Text: reply.Text}, nil) {
			return
		}
		yield(agent.Chunk{Reply: &reply}, nil)
	}
}

// requests returns what the model was asked so far.
func (m *played) requests() []agent.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]agent.Request(nil), m.asked...)
}

func says(text string) agent.Reply { return agent.Reply{Text: text} }

func calls(c ...agent.ToolCall) agent.Reply { return agent.Reply{ToolCalls: c} }

func call(id, name string, args any) agent.ToolCall {
	if raw, ok := args.(string); ok {
		return agent.ToolCall{ID: id, Name: name, Args: json.RawMessage(raw)}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return agent.ToolCall{ID: id, Name: name, Args: raw}
}

func ask(id, question string, labels ...string) agent.ToolCall {
	args := map[string]any{"question": question}
	if len(labels) > 0 {
		args["options"] = labels
	}
	return call(id, "ask_user", args)
}

func submit(id, path string) agent.ToolCall {
	return call(id, "submit_plan", map[string]any{"path": path})
}

// probe is a tool whose work is a function; it counts its calls.
type probe struct {
	def   agent.Definition
	calls atomic.Int32
	do    func(ctx context.Context, c agent.Call) (agent.Result, error)
}

func (p *probe) Definition() agent.Definition { return p.def }

func (p *probe) Call(ctx context.Context, c agent.Call) (agent.Result, error) {
	p.calls.Add(1)
	if p.do == nil {
		return agent.Result{Content: p.def.Name + " done"}, nil
	}
	return p.do(ctx, c)
}

func tool(name string, effect agent.Effect, do func(context.Context, agent.Call) (agent.Result, error)) *probe {
	return &probe{def: agent.Definition{Name: name, Effect: effect, Category: agent.CategoryExecute}, do: do}
}

// rig is an agent with a model that is played, a workspace and a store.
type rig struct {
	*agent.Agent
	t         testing.TB
	cfg       agent.Config
	model     *played
	workspace string
	other     bool // the runs were driven by other agents than the rig's
}

// newRig makes an agent that plans and builds: modes plan and build, ask_user,
// submit_plan over a real directory, and the extra tools in both modes.
func newRig(t testing.TB, turns []any, extra ...agent.Tool) *rig {
	t.Helper()
	r := &rig{t: t, model: &played{id: "played", turns: turns}, workspace: t.TempDir()}
	all := append([]agent.Tool{tools.AskUser(), tools.SubmitPlan(tools.PlanDir{})}, extra...)
	var names []string
	for _, tl := range all {
		names = append(names, tl.Definition().Name)
	}
	controller, err := modes.New(modes.Config{
		Modes: []agent.Mode{
			{ID: "plan", Instructions: "Plan.", Writes: agent.WritesPlans, TransitionsTo: "build", Default: true},
			{ID: "build", Instructions: "Build.", Writes: agent.WritesWorkspace},
		},
		Tools: names, Registered: names,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.cfg = agent.Config{
		Instructions: "Be careful.", Model: r.model, Tools: all, Modes: controller, Store: runstore.Memory(),
		Retry: agent.Retry{MaxElapsed: -1},
	}
	r.rebuild(nil)
	t.Cleanup(r.replay)
	return r
}

// replay holds every run of the rig against what the loop does with its
// recorded replies and results.
func (r *rig) replay() {
	if r.t.Failed() || r.t.Skipped() || r.other {
		return
	}
	runs, err := r.cfg.Store.Runs(context.Background(), agent.RunQuery{})
	if err != nil {
		r.t.Errorf("list runs: %v", err)
	}
	for _, run := range runs {
		mustReplay(r.t, r.cfg, r.load(run.ID).Events)
	}
}

// mustReplay fails the test unless the loop writes a journal once more.
func mustReplay(t interface {
	Helper()
	Errorf(format string, args ...any)
}, cfg agent.Config, events []agent.Event) {
	t.Helper()
	with := replay.Config{
		NewStore: func() agent.Store { return runstore.Memory() }, Tools: append(append([]agent.Tool{}, cfg.Tools...), cfg.Registered...),
	}
	if cfg.Modes != nil {
		with.Modes = []agent.ModePolicy{cfg.Modes}
	}
	res, err := replay.Run(context.Background(), with, events)
	if d := res.Difference; err != nil || d != nil {
		t.Errorf("the journal is not replayed: %v, %s", err, tellDifference(events, d))
	}
}

func tellDifference(events []agent.Event, d *replay.Difference) string {
	if d == nil {
		return ""
	}
	tell := func(e *agent.Event) string {
		if e == nil {
			return "nothing"
		}
		return string(e.Type) + " " + string(e.Payload)
	}
	var types []string
	for _, e := range events {
		types = append(types, string(e.Type))
	}
	return fmt.Sprintf("record %d: expected %s, got %s (%v)\njournal: %v", d.Seq, tell(d.Expected), tell(d.Got), d.Err, types)
}

// rebuild makes the agent anew, as another process would.
func (r *rig) rebuild(change func(*agent.Config)) {
	r.t.Helper()
	if change != nil {
		change(&r.cfg)
	}
	a, err := agent.New(r.cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Agent = a
}

func (r *rig) write(path, content string) {
	r.t.Helper()
	full := filepath.Join(r.workspace, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// start runs a task in the workspace to its first stop.
func (r *rig) start(task agent.Task) drained {
	r.t.Helper()
	if task.Prompt == "" {
		task.Prompt = "Do it"
	}
	task.Workspace = r.workspace
	return drain(r.t, r.StreamTask(r.t.Context(), task))
}

func (r *rig) resume(answer any, res agent.Resume) drained {
	r.t.Helper()
	return drain(r.t, r.ResumeStream(r.t.Context(), answer, res))
}

func (r *rig) load(runID string) agent.Snapshot {
	r.t.Helper()
	snap, err := r.cfg.Store.Load(context.Background(), runID)
	if err != nil {
		r.t.Fatal(err)
	}
	return snap
}

// drained is a stream that was ranged to its end.
type drained struct {
	t      testing.TB
	runID  string
	events []agent.Event
	state  *agent.State
	err    error
}

func drain(t testing.TB, s *agent.Stream) drained {
	t.Helper()
	d := drained{t: t, runID: s.RunID()}
	for e, err := range s.Events() {
		if err != nil {
			d.err = err
			break
		}
		d.events = append(d.events, e)
	}
	d.state = s.State()
	return d
}

func (d drained) types() string {
	var types []string
	for _, e := range d.events {
		types = append(types, string(e.Type))
	}
	return strings.Join(types, " ")
}

func (d drained) wantStatus(want agent.Status) drained {
	d.t.Helper()
	if d.err != nil {
		d.t.Fatalf("stream: %v (after %s)", d.err, d.types())
	}
	if d.state.Run.Status != want {
		d.t.Fatalf("status %s (%s), want %s; events: %s; error %+v", d.state.Run.Status, d.state.Run.FinishReason, want, d.types(), d.state.Run.Error)
	}
	return d
}

func (d drained) wantErr(want error) drained {
	d.t.Helper()
	if !errors.Is(d.err, want) {
		d.t.Fatalf("error %v, want %v", d.err, want)
	}
	return d
}

// payload decodes the payload of the only event of a type.
func payload[T any](t testing.TB, events []agent.Event, typ agent.EventType) T {
	t.Helper()
	var found []agent.Event
	for _, e := range events {
		if e.Type == typ {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d events of type %s, want 1", len(found), typ)
	}
	v, err := agent.Decode[T](found[0])
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// results returns the content of every result in a journal by call, and fails
// if a call has two.
func results(t testing.TB, events []agent.Event) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, e := range events {
		var id, content string
		switch e.Type {
		case agent.ToolResult:
			p, err := agent.Decode[agent.ResultPayload](e)
			if err != nil {
				t.Fatal(err)
			}
			id, content = p.ToolCallID, p.Result.Content
		case agent.ToolOutputDenied:
			p, err := agent.Decode[agent.DeniedPayload](e)
			if err != nil {
				t.Fatal(err)
			}
			id, content = p.ToolCallID, "denied: "+p.Reason
		default:
			continue
		}
		if _, twice := got[id]; twice {
			t.Fatalf("call %s has two results", id)
		}
		got[id] = content
	}
	return got
}

func wantContains(t testing.TB, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Fatalf("%q is not in %q", want, got)
	}
}
