package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

var update = flag.Bool("update", false, "write the golden screens anew")

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
	d.tell(0, agent.ToolOutputText, agent.DeltaPayload{ToolCallID: "s", Text: "--- FAIL: TestHello\n    greet_test.go:7: got こんにちは\n"})
	d.call(2500*time.Millisecond, sh, agent.Result{IsError: true, Content: "--- FAIL: TestHello\n    greet_test.go:7: got こんにちは\nFAIL\n[exit code 1]", Details: map[string]any{"exitCode": 1, "durationMs": 2500}})
	d.tell(0, agent.RetryNotice, agent.RetryPayload{Attempt: 2, Wait: agent.Duration(3 * time.Second), Cause: "529 overloaded"})
	d.tell(0, agent.ToolOutputDenied, agent.DeniedPayload{CallPayload: callOf("d", "shell", `{"command":"git push --force origin main"}`), Reason: "a rule denies it"})
	return d.events
}

// screenOf is what a terminal shows of a view: both streams, colours readable.
func screenOf(t *testing.T, columns int, g globals, show func(v *textView)) string {
	t.Helper()
	var both bytes.Buffer
	s := newBench(t).streams(&both, &both)
	s.OutTTY, s.ErrTTY, s.Columns = true, true, func() int { return columns }
	v := newTextView(s, &g)
	show(v)
	return both.String()
}

func wantScreen(t *testing.T, name string, columns int, got string) {
	t.Helper()
	for i, row := range strings.Split(got, "\n") {
		if text.Width(row) > columns && !strings.HasPrefix(row, "  agent resume ") && !strings.HasPrefix(strings.TrimSpace(row), "sha256:") {
			t.Errorf("row %d takes %d cells of %d: %s", i+1, text.Width(row), columns, row)
		}
	}
	wantGolden(t, fmt.Sprintf("%s.%d", name, columns), got)
}

func wantGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "live", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// TestScreens compares what a person sees of a run at work.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{60, 80, 160} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			live := func(v *textView) {
				for _, e := range liveRun(t) {
					v.event(e)
				}
				v.endLine()
			}
			wantScreen(t, "live", columns, screenOf(t, columns, globals{}, live))
			wantScreen(t, "verbose", columns, screenOf(t, columns, globals{Verbose: true}, live))
			wantScreen(t, "quiet", columns, screenOf(t, columns, globals{Quiet: true}, live))
			wantScreen(t, "open", columns, screenOf(t, columns, globals{}, func(v *textView) { openItems(t, v.err) }))
		})
	}
}

// TestScreens_colour compares the colours of the same screens.
func TestScreens_colour(t *testing.T) {
	t.Parallel()
	var both bytes.Buffer
	b := newBench(t)
	b.env["TERM"] = "xterm"
	s := b.streams(&both, &both)
	s.OutTTY, s.ErrTTY, s.Columns = true, true, func() int { return 80 }
	v := newTextView(s, &globals{})
	v.spin, v.out.Before, v.err.Before = (*screen.Spinner)(nil), nil, nil // it turns by the clock
	for _, e := range liveRun(t) {
		v.event(e)
	}
	v.endLine()
	openItems(t, v.err)
	wantGolden(t, "colour.80", strings.ReplaceAll(both.String(), "\x1b", "␛"))
}

// TestScreens_piped: without a terminal nothing is laid out or coloured.
func TestScreens_piped(t *testing.T) {
	t.Parallel()
	var out, errw bytes.Buffer
	b := newBench(t)
	b.env["TERM"] = "xterm"
	v := newTextView(b.streams(&out, &errw), &globals{})
	for _, e := range liveRun(t) {
		v.event(e)
	}
	v.endLine()
	openItems(t, v.err)
	wantGolden(t, "piped.out", out.String())
	wantGolden(t, "piped.err", errw.String())
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
	was := agent.PlanSubmission{Path: plan.Path, Digest: agent.Digest([]byte(old)), Revision: 1}
	diff, err := planDiff(context.Background(), texts{plan.Digest: screenPlan, was.Digest: old}, was, plan)
	if err != nil {
		t.Fatal(err)
	}
	sources := planSources{plan.Digest: {source: screenPlan, diff: diff, was: 1}}
	for _, s := range []agent.Suspension{
		{ToolCallID: "call_1", N: 1, Kind: agent.KindQuestion, ToolName: "ask_user", Payload: json.RawMessage(`{"question":"どの言語で挨拶しますか？ The greeting can be said in several languages, and this question is longer than a row.","options":[{"label":"日本語","description":"こんにちは"},{"label":"Français","description":"« Bonjour », poli et court, mais avec une description qui dépasse la ligne"}],"selectionMode":"multi_select"}`)},
		{ToolCallID: "call_2", N: 2, Kind: agent.KindPlan, ToolName: "submit_plan", Payload: payload(plan)},
		{ToolCallID: "call_3", N: 1, Kind: agent.KindApproval, ToolName: "shell", Args: json.RawMessage(`{"command":"go test ./... &&\ngo vet ./...","description":"run the tests"}`), Payload: payload(agent.ApprovalRequest{Reason: "commands are asked about"})},
		{ToolCallID: "call_6", N: 1, Kind: agent.KindApproval, ToolName: "edit_file", Args: json.RawMessage(`{"path":"main.go","edits":[{"oldText":"a := 1\nb := 2","newText":"a := 1\nb := 3","all":true}]}`), Payload: payload(agent.ApprovalRequest{})},
		{ToolCallID: "call_4", N: 1, Kind: agent.KindInDoubt, ToolName: "shell", Args: json.RawMessage(`{"command":"make deploy"}`), Payload: payload(agent.Doubt{Message: "It started, and nothing was recorded since."})},
		{ToolCallID: "call_5", N: 1, Kind: agent.KindCustom, ToolName: "weigh", Payload: json.RawMessage(`{"kilograms":null}`)},
	} {
		printSuspension(on, s, sources)
	}
	printNext(on, []nextCommand{nexter{prefix: []string{"agent"}, runID: "019f0000-0000-7000-8000-00000000000a"}.resume("--tool-call", "call_1", "--answer", answerHere)})
}

// texts are blobs in memory.
type texts map[string]string

func (t texts) Blob(_ context.Context, digest string) ([]byte, error) {
	source, ok := t[digest]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(source), nil
}

// TestScreens_flow compares a whole run of the demo, each command on a terminal
// where nobody is asked.
func TestScreens_flow(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{60, 160} {
		b := newBench(t)
		b.write("README.md", "# Demo\n")
		var all strings.Builder
		for _, args := range [][]string{
			{"run", "--model", "demo", "Add a greeting"}, {"resume", "latest", "--answer", "Short note"},
			{"resume", "latest", "--reject", "--feedback", "shorter"}, {"resume", "latest", "--approve"},
			{"show", "latest"}, {"plans", "show"}, {"plans", "diff"},
		} {
			var both bytes.Buffer
			s := b.streams(&both, &both)
			s.OutTTY, s.ErrTTY, s.Columns = true, true, func() int { return columns }
			s.Now = func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local) }
			execute(context.Background(), s, args)
			fmt.Fprintf(&all, "$ agent %s\n%s\n", strings.Join(args, " "), both.String())
		}
		wantScreen(t, "flow", columns, steady(all.String(), b.dir))
	}
}

// steady replaces what differs from run to run by something as wide.
func steady(screen, dir string) string {
	for _, r := range []struct{ old, new string }{
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "019f0000-0000-7000-8000-00000000000a"},
		{regexp.QuoteMeta(dir) + `|Workspace: .*`, "Workspace: <dir>"},
	} {
		screen = regexp.MustCompile(r.old).ReplaceAllString(screen, r.new)
	}
	return screen
}
