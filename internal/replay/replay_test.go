package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model/script"
	"github.com/seed-3e5a1d81/agent/internal/replay"
	"github.com/seed-3e5a1d81/agent/modes"
	"github.com/seed-3e5a1d81/agent/runstore"
	"github.com/seed-3e5a1d81/agent/tools"
)

// Package agent's own tests replay every run they make; here is what a replay
// finds and says.

const turns = `
turns:
  - {text: "I look.", toolCalls: [{name: list_files, args: {}}, {id: q, name: ask_user, args: {question: "Which?", options: [Red, Blue]}}]}
  - toolCalls: [{id: w, name: write_file, args: {path: .mastracode/plans/a.md, content: "# A\n\nOne.\n"}}]
  - toolCalls: [{id: p, name: submit_plan, args: {path: .mastracode/plans/a.md}}]
  - toolCalls: [{id: p2, name: submit_plan, args: {path: .mastracode/plans/a.md}}]
  - toolCalls: [{id: s, name: shell, args: {command: "echo made >made.txt"}}]
  - {text: Done., usage: {inputTokens: 12}}
`

// askShell asks about commands.
type askShell struct{}

func (askShell) Decide(p agent.PermissionRequest) agent.Verdict {
	if p.Tool.Name == "shell" {
		return agent.Verdict{Action: agent.ActionAsk, Reason: "it runs", Rule: "shell(*)"}
	}
	return agent.Verdict{Action: agent.ActionAllow}
}

// world is an agent and what a replay takes of it.
type world struct {
	*agent.Agent
	store *runstore.MemoryStore
	cfg   replay.Config
}

func newWorld(t *testing.T, yaml string) world {
	t.Helper()
	path := filepath.Join(t.TempDir(), "turns.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	model, err := script.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	all := tools.All(tools.Config{Plans: tools.PlanDir{}})
	var names []string
	for _, tl := range all {
		names = append(names, tl.Definition().Name)
	}
	policy, err := modes.New(modes.Config{Modes: modes.Builtin(modes.Options{Tools: names}), Tools: names, Registered: names})
	if err != nil {
		t.Fatal(err)
	}
	w := world{store: runstore.Memory()}
	w.cfg = replay.Config{NewStore: func() agent.Store { return runstore.Memory() }, Tools: all, Modes: []agent.ModePolicy{policy}}
	w.Agent, err = agent.New(agent.Config{Model: model, Tools: all, Modes: policy, Permission: askShell{}, Store: w.store, Retry: agent.Retry{MaxElapsed: -1}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// whole is the journal of a run that was asked, rejected, approved and built.
func whole(t *testing.T) (world, []agent.Event) {
	t.Helper()
	w := newWorld(t, turns)
	s := w.StreamTask(t.Context(), agent.Task{Prompt: "Make it", Workspace: t.TempDir(), Limits: agent.Limits{Timeout: agent.Duration(1e12)}, By: "ann"})
	drain(t, s)
	for _, answer := range []any{
		"Red", agent.PlanDecision{Action: "rejected", Feedback: "shorter"}, agent.PlanDecision{Action: "approved"},
		agent.ApprovalDecision{Action: "approved", Scope: "run"},
	} {
		drain(t, w.ResumeStream(t.Context(), answer, agent.Resume{RunID: s.RunID(), By: "ann", Via: "flag"}))
	}
	events := w.journal(t, s.RunID())
	if last := events[len(events)-1]; last.Type != agent.Finish {
		t.Fatalf("the run ended with %s %s", last.Type, last.Payload)
	}
	return w, events
}

func drain(t *testing.T, s *agent.Stream) {
	t.Helper()
	for _, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (w world) journal(t *testing.T, runID string) []agent.Event {
	t.Helper()
	snap, err := w.store.Load(context.Background(), runID)
	if err != nil {
		t.Fatal(err)
	}
	return snap.Events
}

func TestRun_Same(t *testing.T) {
	t.Parallel()
	w, events := whole(t)
	res, err := replay.Run(t.Context(), w.cfg, events)
	if err != nil || res.Difference != nil {
		t.Fatalf("difference %+v, %v", res.Difference, err)
	}
	if res.Records != len(events) || res.Inputs != 5 || res.Skipped != 0 {
		t.Fatalf("%+v", res)
	}
}

// A journal today's loop would not write is noticed where it first differs.
func TestRun_ChangedRecord(t *testing.T) {
	t.Parallel()
	w, events := whole(t)
	ours := map[agent.EventType][2]string{ // what the loop alone makes of its inputs
		agent.StepStart:         {`"mode":"`, `"mode":"x`},
		agent.ToolCallRequested: {`"toolName":"`, `"toolName":"x`},
		agent.ToolCallStarted:   {`}`, `,"more":1}`},
		agent.ToolCallSuspended: {`"resumeSchema":"`, `"resumeSchema":" `},
		agent.ToolCallApproval:  {`"digest":"`, `"digest":"x`},
		agent.ModeChanged:       {`"previousModeId":"`, `"previousModeId":"x`},
		agent.StepFinish:        {`"finishReason":"`, `"finishReason":"x`},
		agent.Grant:             {`"rule":"`, `"rule":"x`},
		agent.Finish:            {`"inputTokens":1`, `"inputTokens":2`},
	}
	met := map[agent.EventType]bool{}
	for i, e := range events {
		change, ok := ours[e.Type]
		if !ok {
			continue
		}
		met[e.Type] = true
		t.Run(fmt.Sprintf("%d %s", i+1, e.Type), func(t *testing.T) {
			t.Parallel()
			changed := append([]agent.Event{}, events...)
			changed[i].Payload = json.RawMessage(strings.Replace(string(e.Payload), change[0], change[1], 1))
			if string(changed[i].Payload) == string(e.Payload) {
				t.Fatalf("nothing was changed in %s", e.Payload)
			}
			res, err := replay.Run(t.Context(), w.cfg, changed)
			if e.Type == agent.StepStart && err != nil {
				return // the journal itself names a mode there is not
			}
			d := res.Difference
			if err != nil || d == nil || d.Seq > e.Seq || e.Type != agent.StepStart && d.Seq != e.Seq {
				t.Fatalf("difference %+v, %v; want one at record %d", d, err, e.Seq)
			}
		})
	}
	if len(met) != len(ours) {
		t.Fatalf("only met %v", met)
	}
}

// A loop that writes less or more than the journal holds is noticed.
func TestRun_MissingAndFurtherRecords(t *testing.T) {
	t.Parallel()
	w, events := whole(t)
	last := len(events) - 1
	short := events[:last] // without finish the run counts as killed
	if res, err := replay.Run(t.Context(), w.cfg, short); err != nil || res.Difference != nil {
		t.Fatalf("a killed run differs: %+v, %v", res.Difference, err)
	}
	further := append([]agent.Event{}, events...)
	further = append(further, agent.Event{Seq: int64(last + 2), Type: agent.Grant, RunID: events[0].RunID, Payload: json.RawMessage(`{"rule":"x","by":"b","via":"v"}`)})
	res, err := replay.Run(t.Context(), w.cfg, further)
	if d := res.Difference; err != nil || d == nil || d.Seq != int64(last+2) || d.Expected == nil || d.Got != nil {
		t.Fatalf("difference %+v, %v", d, err)
	}
	for i, e := range events { // an end where a question stands
		if e.Type != agent.ToolCallSuspended {
			continue
		}
		cut := append(append([]agent.Event{}, events[:i]...), agent.Event{Seq: int64(i + 1), Type: agent.Finish, RunID: e.RunID, Payload: json.RawMessage(`{}`)})
		res, err := replay.Run(t.Context(), w.cfg, cut)
		if d := res.Difference; err != nil || d == nil || d.Seq != int64(i+1) || d.Got == nil || d.Got.Type == agent.Finish {
			t.Fatalf("difference %+v, %v", d, err)
		}
		return
	}
}

// What agent undo did is no doing of the loop.
func TestRun_UndoIsSkipped(t *testing.T) {
	t.Parallel()
	w, events := whole(t)
	run := events[0].RunID
	for _, typ := range []agent.EventType{agent.UndoStarted, agent.UndoFinished} {
		events = append(events, agent.Event{Seq: int64(len(events) + 1), Type: typ, RunID: run, Payload: json.RawMessage(`{"files":[]}`)})
	}
	res, err := replay.Run(t.Context(), w.cfg, events)
	if err != nil || res.Difference != nil || res.Skipped != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
}

// A mode or tool that is gone is told as what it makes of the run.
func TestRun_WithoutATool(t *testing.T) {
	t.Parallel()
	w, events := whole(t)
	w.cfg.Tools = w.cfg.Tools[1:]
	res, err := replay.Run(t.Context(), w.cfg, events)
	if err != nil || res.Difference == nil || !strings.Contains(string(res.Difference.Got.Payload), "not available") {
		t.Fatalf("%+v, %v", res, err)
	}
}

func TestRun_Refusals(t *testing.T) {
	t.Parallel()
	w, events := whole(t)
	if _, err := replay.Run(t.Context(), w.cfg, nil); err == nil {
		t.Error("an empty journal was replayed")
	}
	if _, err := replay.Run(t.Context(), w.cfg, events[1:]); err == nil {
		t.Error("a journal without its start was replayed")
	}
	gap := append(append([]agent.Event{}, events[:3]...), events[4:]...)
	if _, err := replay.Run(t.Context(), w.cfg, gap); err == nil {
		t.Error("a journal with a gap was replayed")
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := replay.Run(ctx, w.cfg, events); !errors.Is(err, cause) {
		t.Errorf("after its context ended: %v", err)
	}
}
