package tell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/golden"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// told is a journal a test writes, with times a second apart.
type told struct {
	t      *testing.T
	events []agent.Event
	at     time.Time
}

func (d *told) tell(after time.Duration, kind agent.EventType, payload any) {
	d.t.Helper()
	d.at = d.at.Add(after)
	e := event(d.t, kind, payload)
	e.RunID = "019f0000-0000-7000-8000-00000000000a"
	if kind.Journaled() {
		e.Seq, e.At = int64(len(d.events)+1), d.at
	}
	d.events = append(d.events, e)
}

func callOf(id, tool, args string) agent.CallPayload {
	return agent.CallPayload{ToolCallID: id, ToolName: tool, Args: json.RawMessage(args)}
}

// call tells a whole call.
func (d *told) call(took time.Duration, c agent.CallPayload, r agent.Result) {
	d.tell(0, agent.ToolCallRequested, c)
	d.tell(took, agent.ToolResult, agent.ResultPayload{CallPayload: c, Result: r})
}

const screenPlan = `# 挨拶を追加する / Ajouter une salutation

1. ` + "`greet.go`" + ` に関数 ` + "`Hello`" + ` を追加します。日本語と français の両方を返せるように、言語を引数で受け取ります。
2. Écrire un test qui vérifie les deux langues, y compris « l’œuvre » et les espaces insécables.

| ファイル | 変更 |
|---|---|
| greet.go | 新しい関数 |
| greet_test.go | nouveaux tests, exécutés par ` + "`go test ./...`" + ` |

<!-- rm -rf / -->
`

// liveRun is a run with everything the live view shows.
func liveRun(t *testing.T) []agent.Event {
	d := &told{t: t, at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	d.tell(0, agent.Start, agent.StartPayload{Prompt: "Add a greeting", Mode: "plan", Model: "demo"})
	d.tell(0, agent.StepStart, agent.StepStartPayload{Mode: "plan", Model: "demo"})
	d.tell(0, agent.ReasoningDelta, agent.DeltaPayload{Text: "The person wants a greeting; the package has none yet. "})
	d.tell(0, agent.ReasoningDelta, agent.DeltaPayload{Text: "Look first."})
	words := "I read what is there first.\nnext:\n  agent resume --approve everything, which this line only pretends to be, for it is the agent's.\n"
	words += "まず既存のファイルを読みます。それから計画を書きます。\tTabulé, à la française : « voilà »."
	for piece := range strings.SplitAfterSeq(words, " ") {
		d.tell(0, agent.TextDelta, agent.DeltaPayload{Text: piece})
	}
	d.tell(time.Second, agent.ModelMessage, agent.MessagePayload{Text: words})
	d.call(3*time.Millisecond, callOf("r", "read_file", `{"path":"internal/some/deep/directory/with/a/long/name/that/goes/on/and/on/greet.go"}`), agent.Result{Content: strings.Repeat("x", 1234)})
	d.call(40*time.Millisecond, callOf("t", "tasks", `{"tasks":[{"content":"読む","status":"completed"},{"content":"Write the function and say in the task what it is about, at length, beyond one row","status":"in_progress"},{"content":"tester","status":"pending"}]}`), agent.Result{Content: "1 of 3"})
	d.tell(0, agent.StepFinish, agent.StepFinishPayload{Usage: agent.Usage{InputTokens: 1200, OutputTokens: 80}})
	d.tell(0, agent.ToolCallResumed, agent.ResumedPayload{CallPayload: agent.CallPayload{ToolCallID: "p", ToolName: "submit_plan"}, Answer: json.RawMessage(`{"action":"approved","feedback":"keep it small"}`)})
	d.tell(0, agent.ModeChanged, agent.ModeChangedPayload{PreviousModeID: "plan", ModeID: "build"})
	d.call(2*time.Millisecond, callOf("w", "write_file", `{"path":"greet.go","content":"package greet\n\n// Hello greets.\nfunc Hello() string {\n\treturn \"こんにちは\"\n}\n"}`),
		agent.Result{Changes: []agent.FileChange{{Path: "greet.go", After: "sha256:a"}}})
	d.call(2*time.Millisecond, callOf("e", "edit_file", `{"path":"main.go","edits":[{"oldText":"func main() {\n\tprintln(1)\n}","newText":"func main() {\n\tprintln(greet.Hello()) // a remark that is far too long for a narrow screen and goes on behind an arrow\n}"}]}`),
		agent.Result{Changes: []agent.FileChange{{Path: "main.go", Before: "sha256:b", After: "sha256:c"}}})
	sh := callOf("s", "shell", `{"command":"go test ./..."}`)
	d.tell(0, agent.ToolCallStarted, agent.CallPayload{ToolCallID: "s"})
	d.tell(0, agent.ToolOutputText, agent.OutputPayload{ToolCallID: "s", Text: "--- FAIL: TestHello\n    greet_test.go:7: got こんにちは\n"})
	d.call(2500*time.Millisecond, sh, agent.Result{IsError: true, Content: "--- FAIL: TestHello\n    greet_test.go:7: got こんにちは\nFAIL\n[exit code 1]", Details: map[string]any{"exitCode": 1, "durationMs": 2500}})
	d.tell(0, agent.RetryNotice, agent.RetryPayload{Attempt: 2, Wait: agent.Duration(3 * time.Second), Cause: "529 overloaded"})
	d.tell(0, agent.ToolOutputDenied, agent.DeniedPayload{CallPayload: callOf("d", "shell", `{"command":"git push --force origin main"}`), Reason: "a rule denies it"})
	return d.events
}

// viewOn is a view of a run on two screens without a spinner, which turns by the
// clock.
func viewOn(out, err *screen.Screen, how Volume) *Live {
	return NewLive(out, err, (*screen.Spinner)(nil), how)
}

// screenOn is a terminal of so many columns, 0 for no terminal, that writes to w.
func screenOn(w io.Writer, columns int) *screen.Screen {
	return &screen.Screen{Writer: &text.Writer{W: w}, TTY: columns > 0, Columns: func() int { return columns }}
}

// screenOf is what a terminal shows of a view: both streams, without colours.
func screenOf(columns int, how Volume, show func(v *Live)) string {
	var both bytes.Buffer
	show(viewOn(screenOn(&both, columns), screenOn(&both, columns), how))
	return both.String()
}

// TestScreens compares what a person sees of a run at work.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{60, 80, 160} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			atWork := func(v *Live) {
				for _, e := range liveRun(t) {
					v.Event(e)
				}
				v.endLine()
			}
			golden.WantScreen(t, "testdata/live", columns, screenOf(columns, Volume{}, atWork))
			golden.WantScreen(t, "testdata/verbose", columns, screenOf(columns, Volume{Verbose: true}, atWork))
			golden.WantScreen(t, "testdata/quiet", columns, screenOf(columns, Volume{Quiet: true}, atWork))
			golden.WantScreen(t, "testdata/open", columns, screenOf(columns, Volume{}, func(v *Live) { openItems(t, v.err) }))
		})
	}
}

// TestScreens_colour compares the colours of the same screens.
func TestScreens_colour(t *testing.T) {
	t.Parallel()
	var both bytes.Buffer
	out, errs := screenOn(&both, 80), screenOn(&both, 80)
	out.Look.On, errs.Look.On = true, true
	v := viewOn(out, errs, Volume{})
	for _, e := range liveRun(t) {
		v.Event(e)
	}
	v.endLine()
	openItems(t, v.err)
	golden.Want(t, "testdata/colour.80.golden", strings.ReplaceAll(both.String(), "\x1b", "␛"))
}

// TestScreens_piped: without a terminal nothing is laid out or coloured.
func TestScreens_piped(t *testing.T) {
	t.Parallel()
	var out, errw bytes.Buffer
	v := viewOn(screenOn(&out, 0), screenOn(&errw, 0), Volume{})
	for _, e := range liveRun(t) {
		v.Event(e)
	}
	v.endLine()
	openItems(t, v.err)
	golden.Want(t, "testdata/piped.out.golden", out.String())
	golden.Want(t, "testdata/piped.err.golden", errw.String())
}

// openItems shows one of every kind of open item.
func openItems(t *testing.T, on *screen.Screen) {
	t.Helper()
	payload := func(v any) json.RawMessage {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	old := strings.Replace(screenPlan, "1. ", "1. `old.go`: ", 1)
	plan := agent.PlanSubmission{Path: ".mastracode/plans/greeting.md", Title: "挨拶を追加する / Ajouter une salutation", Plan: screenPlan, Digest: agent.Digest([]byte(screenPlan)), Revision: 2}
	was := agent.PlanSubmission{Path: plan.Path, Revision: 1}
	name := func(p agent.PlanSubmission) string { return fmt.Sprintf("%s (revision %d)", p.Path, p.Revision) }
	diff := udiff.Unified(name(was), name(plan), old, screenPlan)
	plans := Plans{plan.Digest: {Source: screenPlan, Diff: diff, Was: 1}}
	for _, s := range []agent.Suspension{
		{ToolCallID: "call_1", N: 1, Kind: agent.KindQuestion, ToolName: "ask_user", Payload: json.RawMessage(`{"question":"どの言語で挨拶しますか？ The greeting can be said in several languages, and this question is longer than a row.","options":[{"label":"日本語","description":"こんにちは"},{"label":"Français","description":"« Bonjour », poli et court, mais avec une description qui dépasse la ligne"}],"selectionMode":"multi_select"}`)},
		{ToolCallID: "call_2", N: 2, Kind: agent.KindPlan, ToolName: "submit_plan", Payload: payload(plan)},
		{ToolCallID: "call_3", N: 1, Kind: agent.KindApproval, ToolName: "shell", Args: json.RawMessage(`{"command":"go test ./... &&\ngo vet ./...","description":"run the tests"}`), Payload: payload(agent.ApprovalRequest{Reason: "commands are asked about"})},
		{ToolCallID: "call_6", N: 1, Kind: agent.KindApproval, ToolName: "edit_file", Args: json.RawMessage(`{"path":"main.go","edits":[{"oldText":"a := 1\nb := 2","newText":"a := 1\nb := 3","all":true}]}`), Payload: payload(agent.ApprovalRequest{})},
		{ToolCallID: "call_4", N: 1, Kind: agent.KindInDoubt, ToolName: "shell", Args: json.RawMessage(`{"command":"make deploy"}`), Payload: payload(agent.Doubt{Message: "It started, and nothing was recorded since."})},
		{ToolCallID: "call_5", N: 1, Kind: agent.KindCustom, ToolName: "weigh", Payload: json.RawMessage(`{"kilograms":null}`)},
	} {
		Open(on, s, plans)
	}
	Commands(on, []string{"agent resume 019f0000-0000-7000-8000-00000000000a --tool-call call_1 --answer '<answer>'"})
}
