package tools

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

type planCases struct {
	Cases []struct {
		Name    string                     `json:"name"`
		Files   map[string]json.RawMessage `json:"files"`
		Args    json.RawMessage            `json:"args"`
		Outcome string                     `json:"outcome"`
		Title   string                     `json:"title"`
		Plan    string                     `json:"plan"`
		Says    []string                   `json:"says"`
	} `json:"cases"`
	Decisions []struct {
		Data     json.RawMessage `json:"data"`
		Raw      string          `json:"raw"`
		OK       bool            `json:"ok"`
		Starts   string          `json:"starts"`
		Contains string          `json:"contains"`
		Switches bool            `json:"switches"`
	} `json:"decisions"`
}

// place makes a file as the cases describe it: its text, or a link, a
// directory, bytes, or a text repeated.
func (h *host) place(name string, raw json.RawMessage) {
	h.t.Helper()
	if text, ok := asString(raw); ok {
		h.write(name, text)
		return
	}
	var f struct {
		Link   string `json:"link"`
		Dir    bool   `json:"dir"`
		Base64 string `json:"base64"`
		Repeat string `json:"repeat"`
		Times  int    `json:"times"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		h.t.Fatal(err)
	}
	switch {
	case f.Link != "":
		h.link(f.Link, name)
	case f.Dir:
		if err := os.MkdirAll(filepath.Join(h.dir, name), 0o755); err != nil {
			h.t.Fatal(err)
		}
	case f.Base64 != "":
		data, err := base64.StdEncoding.DecodeString(f.Base64)
		if err != nil {
			h.t.Fatal(err)
		}
		h.write(name, string(data))
	default:
		h.write(name, strings.Repeat(f.Repeat, f.Times))
	}
}

func TestSubmitPlan_Cases(t *testing.T) {
	t.Parallel()
	file := loadCases[planCases](t, "submit_plan.json")
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, SubmitPlan(PlanDir{}))
			for name, raw := range c.Files {
				h.place(name, raw)
			}
			if c.Outcome == "error" {
				h.refused(h.tool, string(c.Args), c.Says...)
				if len(h.suspensions) != 0 {
					t.Error("a refused plan was put to the person")
				}
				return
			}
			h.ok(h.tool, string(c.Args))
			checkSubmission(t, h, c.Args, c.Title, c.Plan)
		})
	}
}

func checkSubmission(t *testing.T, h *host, rawArgs json.RawMessage, title, plan string) {
	t.Helper()
	if len(h.suspensions) != 1 {
		t.Fatalf("%d suspensions, want 1", len(h.suspensions))
	}
	got, err := submissionOf(h.suspensions[0])
	if err != nil {
		t.Fatal(err)
	}
	var in struct{ Path string }
	if err := json.Unmarshal(rawArgs, &in); err != nil {
		t.Fatal(err)
	}
	want := agent.PlanSubmission{Path: in.Path, Title: title, Plan: plan, Digest: agent.Digest([]byte(h.read(in.Path)))}
	if jsonOf(t, got) != jsonOf(t, want) {
		t.Errorf("payload %+v, want %+v", got, want)
	}
	if string(h.blobs[got.Digest]) != h.read(in.Path) {
		t.Error("the submission does not carry the file's bytes")
	}
}

const planPath = ".mastracode/plans/a.md"

// submitted is a host with one open plan.
func submitted(t *testing.T) *host {
	t.Helper()
	h := newHost(t, SubmitPlan(PlanDir{}))
	h.write(planPath, "# Add dark mode\n\n1. Tokens\n2. Toggle\n")
	h.submit()
	return h
}

func (h *host) submit() {
	h.t.Helper()
	args := fmt.Sprintf(`{"path":%q}`, planPath)
	h.ok(h.tool, args)
	h.suspensions[len(h.suspensions)-1].Args = json.RawMessage(args)
}

func TestSubmitPlan_Decisions(t *testing.T) {
	t.Parallel()
	file := loadCases[planCases](t, "submit_plan.json")
	if len(file.Decisions) == 0 {
		t.Fatal("no decisions")
	}
	for i, d := range file.Decisions {
		data := d.Raw
		if data == "" {
			data = string(d.Data)
		}
		if data == "" {
			data = "null"
		}
		t.Run(fmt.Sprintf("%d %s", i, data), func(t *testing.T) {
			t.Parallel()
			h := submitted(t)
			r, err := h.answer(data)
			if strings.Contains(data, `"digest"`) || strings.Contains(data, `"plan"`) {
				checkEcho(t, h, data, err)
				return
			}
			if !d.OK {
				if err == nil {
					t.Fatalf("decided: %+v", r)
				}
				mustSay(t, err.Error(), "allowed", "approved", "rejected")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(r.Content, d.Starts) || !strings.Contains(r.Content, d.Contains) {
				t.Errorf("content %q, want it to start %q and contain %q", r.Content, d.Starts, d.Contains)
			}
			if got := r.SubmittedPlan.Decision == agent.PlanApproved; got != d.Switches {
				t.Errorf("approved %v, want %v", got, d.Switches)
			}
		})
	}
}

// Whether an echo differs from what is open is the loop's to see, so the echo
// must reach it unchanged.
func checkEcho(t *testing.T, h *host, data string, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var want, got agent.PlanDecision
	if err := json.Unmarshal([]byte(data), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(h.suspensions[0].Answer.Data, &got); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("canonical %+v, want %+v", got, want)
	}
}

func TestSubmitPlan_RefusesLooseDecisions(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		`{"action":"approved","acti\u006fn":"approved"}`, `{"action":"approved"} {"action":"approved"}`,
		`{"action":"approved"`, `{"action":["approved"]}`, `{"action":" approved"}`, `{"action":"approved","feedback":7}`,
		`{"action":"approved","Feedback":"x"}`, `{"action":"approved","feedbak":"x"}`, `[{"action":"approved"}]`, ``,
		`{"ſ":1,"action":"approved"}`, `{"action":"approved","feedbacK":"Kelvin sign"}`,
	} {
		if got, err := (submitPlan{}).CheckAnswer(agent.Suspension{}, json.RawMessage(data)); err == nil {
			t.Errorf("%s was taken as %s", data, got)
		}
	}
}

func TestSubmitPlan_ApprovedGivesStoredBytes(t *testing.T) {
	t.Parallel()
	h := submitted(t)
	h.write(planPath, "# Something else\n\nrm -rf\n")
	r, err := h.answer(`{"action":"approved","feedback":"Keep the toggle"}`)
	if err != nil {
		t.Fatal(err)
	}
	plan := r.SubmittedPlan
	want := approvedContent + "\n\nNotes from the user:\nKeep the toggle\n\n" +
		"This is the plan as it was approved. It counts, whatever the file says now.\n" +
		"===== approved plan " + planPath + ", revision 0, " + plan.Digest + " =====\n" +
		"# Add dark mode\n\n1. Tokens\n2. Toggle\n===== end of approved plan " + plan.Digest + " ====="
	if r.Content != want {
		t.Errorf("content %q\nwant %q", r.Content, want)
	}
	if plan.Decision != agent.PlanApproved || plan.Feedback != "Keep the toggle" || plan.Title != "Add dark mode" {
		t.Errorf("submitted plan %+v", plan)
	}
}

func TestSubmitPlan_ApprovedAfterEditShowsDiff(t *testing.T) {
	t.Parallel()
	h := submitted(t)
	h.write(planPath, "# Add dark mode\n\n1. Tokens\n2. No toggle\n")
	h.submit() // as the loop does when the file changed: the next n of the same call
	h.suspensions[0].State = agent.SuspensionReplaced
	r, err := h.answer(`{"action":"approved"}`)
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, r.Content, "edited during the review", "-2. Toggle", "+2. No toggle", "1. Tokens\n2. No toggle\n=====")
	if !strings.HasPrefix(r.Content, approvedContent) {
		t.Errorf("content %q", r.Content)
	}
	if r.SubmittedPlan.Digest != agent.Digest([]byte(h.read(planPath))) {
		t.Error("the approved digest is not that of the edited plan")
	}
}

func TestSubmitPlan_ApprovedWithoutStore(t *testing.T) {
	t.Parallel()
	h := submitted(t)
	clear(h.blobs)
	r, err := h.answer(`{"action":"approved"}`)
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, r.Content, approvedContent, "# Add dark mode\n\n1. Tokens\n2. Toggle")
	if r.SubmittedPlan.Decision != agent.PlanApproved {
		t.Error("the approval was lost")
	}
}

func TestSubmitPlan_ApprovedWhileInterrupted(t *testing.T) {
	t.Parallel()
	h := submitted(t)
	h.suspensions[0].Answer = &agent.Answer{Data: json.RawMessage(`{"action":"approved"}`)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	call := h.call(fmt.Sprintf(`{"path":%q}`, planPath))
	blob := call.Blob
	call.Blob = func(ctx context.Context, digest string) ([]byte, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return blob(ctx, digest)
	}
	r, err := h.tool.Call(ctx, call)
	if err != nil || r.SubmittedPlan == nil || r.SubmittedPlan.Decision != agent.PlanApproved {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSubmitPlan_Rejected(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"action":"rejected","feedback":"Add error handling steps"}`: rejectedContent + "\n\nFeedback from the user:\nAdd error handling steps",
		`{"action":"rejected","feedback":" \n"}`:                      waitContent,
		`{"action":"rejected","feedback":null}`:                       waitContent,
	} {
		h := submitted(t)
		r, err := h.answer(data)
		if err != nil {
			t.Fatal(err)
		}
		if r.Content != want || r.SubmittedPlan.Decision != agent.PlanRejected {
			t.Errorf("%s: %q (%s)", data, r.Content, r.SubmittedPlan.Decision)
		}
	}
}

func TestSubmitPlan_EchoOfThePayload(t *testing.T) {
	t.Parallel()
	h := submitted(t)
	var payload map[string]any
	if err := json.Unmarshal(h.suspensions[0].Payload, &payload); err != nil {
		t.Fatal(err)
	}
	payload["action"], payload["revision"] = "approved", 1
	if r, err := h.answer(jsonOf(t, payload)); err != nil || r.SubmittedPlan.Decision != agent.PlanApproved {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSubmitPlan_Fallback(t *testing.T) {
	t.Parallel()
	h := newHost(t, SubmitPlan(PlanDir{}))
	h.write(planPath, "# T\n\nB\n")
	call := h.call(fmt.Sprintf(`{"path":%q}`, planPath))
	call.Suspend = nil
	r, err := h.tool.Call(t.Context(), call)
	if err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	mustSay(t, r.Content, planPath, "nobody can approve it now")
	p := r.SubmittedPlan
	if p == nil || p.Decision != agent.PlanUndecided || string(p.Source) != "# T\n\nB\n" || p.Digest != agent.Digest(p.Source) {
		t.Errorf("submitted plan %+v", p)
	}
}

func TestSubmitPlan_Bare(t *testing.T) {
	t.Parallel()
	h := newHost(t, SubmitPlan(nil))
	h.dir = filepath.Join(h.dir, "gone") // touches no disk
	h.submit()
	if got := string(h.suspensions[0].Payload); got != `{"path":"`+planPath+`"}` {
		t.Errorf("payload %s", got)
	}
	r, err := h.answer(`{"action":"approved"}`)
	if err != nil || r.Content != approvedContent {
		t.Errorf("%+v, %v", r, err)
	}
	call := h.call(`{"path":"x.md"}`)
	call.Suspend, call.Suspensions = nil, nil
	r, err = h.tool.Call(t.Context(), call)
	if err != nil || r.IsError || r.SubmittedPlan != nil {
		t.Errorf("fallback %+v, %v", r, err)
	}
	mustSay(t, r.Content, "x.md")
}

func TestSubmitPlan_ReaderErrorIsAResult(t *testing.T) {
	t.Parallel()
	reader := PlanDir{OpenElsewhere: func(context.Context, string, string, string) (string, error) {
		return "", errors.New("database is gone")
	}}
	h := newHost(t, SubmitPlan(reader))
	h.write(planPath, "# T\n")
	h.refused(h.tool, fmt.Sprintf(`{"path":%q}`, planPath), "database is gone")
}

// Only an object with exactly the action "approved" is ever an approval.
func FuzzSubmitPlan_OnlyApprovedApproves(f *testing.F) {
	for _, s := range []string{`{"action":"approved"}`, `{"Action":"approved"}`, `{"action":"rejected","action":"approved"}`, `{"action":"approved","x":1}`, `"approved"`, `{"action":"approved"}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		canonical, err := submitPlan{}.CheckAnswer(agent.Suspension{}, json.RawMessage(data))
		if err != nil {
			return
		}
		var loose map[string]any
		if err := json.Unmarshal([]byte(data), &loose); err != nil {
			t.Fatalf("%q was taken, but is not JSON: %v", data, err)
		}
		var got agent.PlanDecision
		if err := json.Unmarshal(canonical, &got); err != nil {
			t.Fatal(err)
		}
		if got.Action != loose["action"] || strings.Count(strings.ToLower(data), `"action"`) > 1 && !strings.Contains(data, `\`) && strings.Count(data, `"action":`) > 1 {
			t.Errorf("%s became %s", data, canonical)
		}
	})
}
