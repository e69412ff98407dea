package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

func readCases(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCases_answers gives every answer of the cases through resume --data: a
// refused one leaves the question open.
func TestCases_answers(t *testing.T) {
	t.Parallel()
	var file struct {
		Cases []struct {
			Name    string
			Args    any
			RawArgs string
			Outcome string
			Answers []struct {
				Data    json.RawMessage
				OK      string
				Refused bool
			}
		}
	}
	readCases(t, "ask_user.json", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if c.Args == nil {
				c.Args = c.RawArgs
			}
			model := b.script("ask.yaml", "ask_user", c.Args)
			rep, r := b.report("run", "--model", model, "Ask")
			if c.Outcome != "suspended" {
				r.wants(t, exit.OK)
				b.run("show", rep.RunID, "--output", "json").wants(t, exit.OK, `"isError":true`)
				return
			}
			r.wants(t, exit.Suspended)
			for _, a := range c.Answers {
				if a.Refused {
					b.refused(rep.RunID, string(a.Data), "invalid_answer", exit.Usage)
				}
			}
			for _, a := range c.Answers {
				if a.Refused {
					continue
				}
				rep, _ := b.report("run", "--model", model, "Ask")
				b.run("resume", rep.RunID, "--data", string(a.Data)).wants(t, exit.OK)
				want, _ := json.Marshal(a.OK)
				b.run("show", rep.RunID, "--output", "json").wants(t, exit.OK, `"content":`+string(want))
			}
		})
	}
}

// refused gives an answer that must change nothing.
func (b *bench) refused(runID, data, code string, exit int) {
	b.t.Helper()
	rep, r := b.report("resume", runID, "--data", data)
	if r.code != exit || rep.Error == nil || rep.Error.Code != code {
		b.t.Errorf("--data %s: exit %d, error %+v, want %d and %s", data, r.code, rep.Error, exit, code)
	}
	if rep.Status != agent.StatusSuspended || len(rep.Suspensions) != 1 {
		b.t.Errorf("--data %s consumed the suspension: %s", data, r.out)
	}
}

// TestCases_decisions gives every decision of the cases through resume --data.
func TestCases_decisions(t *testing.T) {
	t.Parallel()
	var file struct {
		Decisions []struct {
			Data     json.RawMessage
			Raw      string
			OK       bool
			Switches bool
		}
	}
	readCases(t, "submit_plan.json", &file)
	for _, d := range file.Decisions {
		data := string(d.Data)
		if d.Raw != "" {
			data = d.Raw
		}
		if data == "" {
			data = "null"
		}
		t.Run(data, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.write(".mastracode/plans/a.md", "# T\n\nB\n")
			rep, r := b.report("run", "--model", b.script("p.yaml", "submit_plan", map[string]string{"path": ".mastracode/plans/a.md"}), "Plan")
			r.wants(t, exit.Suspended)
			if !d.OK {
				b.refusedDecision(rep.RunID, data)
				return
			}
			after, r := b.report("resume", rep.RunID, "--data", data)
			r.wants(t, exit.OK)
			if switched := after.Mode == "build"; switched != d.Switches || after.Plan.Approved != d.Switches {
				t.Errorf("mode %s, plan %+v", after.Mode, after.Plan)
			}
		})
	}
}

func (b *bench) refusedDecision(runID, data string) {
	b.t.Helper()
	if strings.Contains(data, `"digest"`) || strings.Contains(data, `"plan"`) {
		b.refused(runID, data, "plan_changed", exit.Conflict)
		return
	}
	b.refused(runID, data, "invalid_answer", exit.Usage)
}
