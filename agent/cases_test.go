package agent_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// caseFile is the shape of testdata/cases: what a model sends, and what must
// come of it.
type caseFile struct {
	Cases []struct {
		Name    string
		Args    json.RawMessage
		RawArgs string
		Files   map[string]json.RawMessage
		Outcome string
		Payload json.RawMessage
		Says    []string
		Title   string
		Plan    *string
		Answers []struct {
			Data    json.RawMessage
			OK      string
			Refused bool
		}
	}
	Decisions []struct {
		Data     json.RawMessage
		Raw      string
		OK       bool
		Starts   string
		Contains string
		Switches bool
	}
}

func readCases(t *testing.T, name string) caseFile {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	var f caseFile
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// layFile makes a file of a case: text, link, directory, bytes or repetition.
func (r *rig) layFile(path string, spec json.RawMessage) {
	r.t.Helper()
	var text string
	if json.Unmarshal(spec, &text) == nil {
		r.write(path, text)
		return
	}
	var o struct {
		Link, Base64, Repeat string
		Dir                  bool
		Times                int
	}
	if err := json.Unmarshal(spec, &o); err != nil {
		r.t.Fatal(err)
	}
	full := filepath.Join(r.workspace, path)
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	switch {
	case o.Link != "":
		err = errors.Join(err, os.Symlink(o.Link, full))
	case o.Dir:
		err = errors.Join(err, os.Mkdir(full, 0o755))
	case o.Base64 != "":
		var raw []byte
		raw, err = base64.StdEncoding.DecodeString(o.Base64)
		r.write(path, string(raw))
	default:
		r.write(path, strings.Repeat(o.Repeat, o.Times))
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func equalJSON(t *testing.T, got, want json.RawMessage) {
	t.Helper()
	var g, w any
	if err := errors.Join(json.Unmarshal(got, &g), json.Unmarshal(want, &w)); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(g)
	b, _ := json.Marshal(w)
	if string(a) != string(b) {
		t.Fatalf("got %s, want %s", a, b)
	}
}

func TestCases_AskUser(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t, "ask_user.json").Cases {
		args := string(c.Args)
		if c.RawArgs != "" {
			args = c.RawArgs
		}
		begin := func(t *testing.T) (*rig, drained) {
			r := newRig(t, []any{calls(call("q", "ask_user", args)), says("done")})
			return r, r.start(agent.Task{})
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r, d := begin(t)
			if c.Outcome == "error" {
				d.wantStatus(agent.StatusFinished)
				res := payload[agent.ResultPayload](t, d.events, agent.ToolResult).Result
				for _, word := range c.Says {
					wantContains(t, strings.ToLower(res.Content), strings.ToLower(word))
				}
				if !res.IsError {
					t.Fatalf("result %+v is no error", res)
				}
				return
			}
			d.wantStatus(agent.StatusSuspended)
			p := payload[agent.SuspendedPayload](t, d.events, agent.ToolCallSuspended)
			equalJSON(t, p.Payload, c.Payload)
			if !json.Valid([]byte(p.Schema)) || p.Kind != agent.KindQuestion {
				t.Fatalf("payload %+v", p)
			}
			for _, a := range c.Answers {
				if a.Refused { // the same suspension stays open
					r.resume(a.Data, agent.Resume{RunID: d.runID}).wantErr(agent.ErrInvalidAnswer)
					continue
				}
				fresh, d := begin(t)
				d = fresh.resume(a.Data, agent.Resume{RunID: d.runID}).wantStatus(agent.StatusFinished)
				raw, _ := json.Marshal(payload[agent.ResultPayload](t, d.events, agent.ToolResult).Result)
				want, _ := json.Marshal(map[string]any{"content": a.OK, "isError": false})
				equalJSON(t, raw, want)
			}
			if open, err := r.Open(t.Context(), d.runID); err != nil || len(open) != 1 {
				t.Fatalf("open %v, %v", open, err)
			}
		})
	}
}

func TestCases_SubmitPlan(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t, "submit_plan.json").Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, []any{calls(call("p", "submit_plan", string(c.Args))), says("done")})
			for path, spec := range c.Files {
				r.layFile(path, spec)
			}
			d := r.start(agent.Task{})
			if c.Outcome == "error" {
				d.wantStatus(agent.StatusFinished)
				res := payload[agent.ResultPayload](t, d.events, agent.ToolResult).Result
				for _, word := range c.Says {
					wantContains(t, strings.ToLower(res.Content), strings.ToLower(word))
				}
				if !res.IsError || len(d.state.Plans()) != 0 {
					t.Fatalf("result %+v", res)
				}
				return
			}
			d.wantStatus(agent.StatusSuspended)
			var sub agent.PlanSubmission
			if err := json.Unmarshal(payload[agent.SuspendedPayload](t, d.events, agent.ToolCallSuspended).Payload, &sub); err != nil {
				t.Fatal(err)
			}
			var keys map[string]any
			if err := json.Unmarshal(payload[agent.SuspendedPayload](t, d.events, agent.ToolCallSuspended).Payload, &keys); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"path", "title", "plan", "digest", "revision"} {
				if _, ok := keys[key]; !ok || len(keys) != 5 {
					t.Fatalf("keys %v, want %q among five", keys, key)
				}
			}
			var args struct{ Path string }
			_ = json.Unmarshal(c.Args, &args)
			source, err := r.cfg.Store.Blob(t.Context(), sub.Digest)
			if err != nil || agent.Digest(source) != sub.Digest {
				t.Fatalf("blob: %v", err)
			}
			if sub.Title != c.Title || sub.Plan != *c.Plan || sub.Path != args.Path || sub.Revision != 1 {
				t.Fatalf("submission %+v", sub)
			}
		})
	}
}

func TestCases_PlanDecisions(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t, "submit_plan.json").Decisions {
		data := c.Data
		if c.Raw != "" {
			data = json.RawMessage(c.Raw)
		}
		t.Run(string(data), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, []any{calls(submit("p", planPath)), says("done")})
			r.write(planPath, "# T\n\nB\n")
			d := r.start(agent.Task{}).wantStatus(agent.StatusSuspended)
			d = r.resume(data, agent.Resume{RunID: d.runID})
			if !c.OK {
				if !errors.Is(d.err, agent.ErrInvalidAnswer) && !errors.Is(d.err, agent.ErrPlanChanged) {
					t.Fatalf("error %v", d.err)
				}
				if snap := r.load(d.runID); len(snap.Open) != 1 || snap.Mode != "plan" {
					t.Fatalf("run %+v", snap.Run)
				}
				return
			}
			d.wantStatus(agent.StatusFinished)
			content := payload[agent.ResultPayload](t, d.events, agent.ToolResult).Result.Content
			wantContains(t, content, c.Contains)
			if !strings.HasPrefix(content, c.Starts) || (d.state.Run.Mode == "build") != c.Switches {
				t.Fatalf("content %q, mode %s", content, d.state.Run.Mode)
			}
		})
	}
}
