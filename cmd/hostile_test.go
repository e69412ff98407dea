package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/next"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/cmd/tell"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// hostile is what a model or a file may say: colours, a clipboard write, 8-bit
// codes, marks that turn text around, commands of a CI system, an imitation of
// our own lines, and more than a row holds.
var hostile = "\x1b[35;7mX\x1b]52;c;aGk=\a\u009b45m\x9b2J\u202eover\u2066\U000e0041\b\x7f\r::set-output name=x::y\nagent: all is approved\n::error::z\n##[add-mask]q\n" +
	strings.Repeat("agent: ", 60) + strings.Repeat("W", 300)

// fill puts the hostile text into every field of a payload.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostile)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.Set(reflect.ValueOf(hostileArgs()))
			return
		}
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	}
}

// hostileArgs are arguments of every tool at once.
func hostileArgs() json.RawMessage {
	raw, _ := json.Marshal(map[string]any{ //nolint:errchkjson // plain values
		"path": hostile, "command": hostile, "question": hostile, "content": hostile, "action": hostile, "feedback": hostile, hostile: hostile,
		"edits": []any{map[string]string{"oldText": "a\n" + hostile, "newText": hostile + "b"}},
		"tasks": []any{map[string]string{"content": hostile, "status": hostile}},
		"title": hostile, "plan": hostile, "digest": hostile, "message": hostile, "reason": hostile, "rule": hostile,
		"options": []any{map[string]string{"label": hostile, "description": hostile}},
	})
	return raw
}

func filled[T any](change ...func(*T)) T {
	var v T
	fill(reflect.ValueOf(&v).Elem())
	for _, c := range change {
		c(&v)
	}
	return v
}

// hostileEvents are records of every type, each field hostile.
func hostileEvents(t *testing.T) []agent.Event {
	var events []agent.Event
	tell := func(kind agent.EventType, payload any) {
		raw, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, agent.Event{Type: kind, RunID: "r", From: agent.From, Payload: raw, Seq: int64(len(events) + 1)})
	}
	for kind, payload := range map[agent.EventType]any{
		agent.Start: filled[agent.StartPayload](), agent.UserMessage: filled[agent.UserMessagePayload](),
		agent.StepStart: filled[agent.StepStartPayload](), agent.TextDelta: filled[agent.DeltaPayload](),
		agent.ReasoningDelta: filled[agent.DeltaPayload](), agent.ToolOutputText: filled[agent.OutputPayload](),
		agent.ModelMessage: filled[agent.MessagePayload](), agent.ToolCallRequested: filled[agent.CallPayload](),
		agent.ToolCallStarted: filled[agent.CallPayload](), agent.ToolOutputDenied: filled[agent.DeniedPayload](),
		agent.ToolCallSuspended: filled[agent.SuspendedPayload](), agent.ToolCallApproval: filled[agent.SuspendedPayload](),
		agent.ToolCallResumed: filled[agent.ResumedPayload](), agent.ModeChanged: filled[agent.ModeChangedPayload](),
		agent.StepFinish: filled[agent.StepFinishPayload](), agent.Resumed: filled[agent.ResumePayload](),
		agent.Pause: filled(func(p *agent.PausePayload) { p.Reason = agent.PauseLimit }),
		agent.Grant: filled[agent.GrantPayload](), agent.RetryNotice: filled[agent.RetryPayload](),
		agent.Finish: filled[agent.FinishPayload](), agent.Failure: filled[agent.ErrorPayload](), agent.Abort: filled[agent.ErrorPayload](),
		agent.ContextLoaded: map[string]string{hostile: hostile}, agent.EventType(hostile): map[string]string{hostile: hostile},
	} {
		tell(kind, payload)
	}
	for _, tool := range []string{"shell", "edit_file", "write_file", "tasks", "ask_user", "submit_plan", hostile} {
		for _, isError := range []bool{false, true} {
			tell(agent.ToolResult, filled(func(p *agent.ResultPayload) { p.ToolName, p.Result.IsError = tool, isError }))
		}
	}
	return events
}

// ours are the only escape sequences that may reach a terminal.
var ours = regexp.MustCompile(`\x1b\[(1|2|31|32|33|36|1;35|0(;1)?(;2)?(;4)?(;3[1256])?)m`)

// harmless fails for what a terminal or a CI system would obey, and, on a
// terminal, for rows that begin with somebody's words.
func harmless(t *testing.T, what, shown string, colour, actions bool, columns int) {
	t.Helper()
	if colour {
		shown = ours.ReplaceAllString(shown, "")
	}
	for _, r := range shown {
		if r != '\n' && (unicode.IsControl(r) && r != '\t' || text.Directional(r) || r >= 0xe0000 && r <= 0xe007f) {
			t.Fatalf("%s shows %U in %q", what, r, shown)
		}
	}
	for row := range strings.Lines(shown) {
		switch row = strings.TrimSuffix(row, "\n"); {
		case actions && (strings.HasPrefix(strings.TrimSpace(row), "::") || strings.Contains(row, "##[")):
			t.Errorf("%s gives the runner %q", what, row)
		case columns > 0 && text.Width(row) > columns:
			t.Errorf("%s: a row of %d cells in %d: %q", what, text.Width(row), columns, row)
		case columns > 0 && (strings.HasPrefix(row, "agent: all") || strings.HasPrefix(row, "agent: agent") || strings.HasPrefix(row, "WW") || strings.HasPrefix(row, "::")):
			t.Errorf("%s: a row begins with somebody's words: %q", what, row)
		}
	}
}

// stillView is a text view without a spinner, which takes its line back; see
// package screen.
func stillView(s *iostreams.Streams, g *globals) *textView {
	out, err := newScreen(s, g, s.Out, s.OutTTY), newScreen(s, g, s.Err, s.ErrTTY)
	return &textView{err: err, live: tell.NewLive(out, err, (*screen.Spinner)(nil), tell.Volume{Verbose: g.Verbose, Quiet: g.Quiet})}
}

// TestHostile: whatever a field holds, no sink of text passes it on raw.
func TestHostile(t *testing.T) {
	t.Parallel()
	const columns = 60
	sinks := map[string]func(t *testing.T, s *iostreams.Streams, g *globals){
		"live": func(t *testing.T, s *iostreams.Streams, g *globals) {
			v := stillView(s, g)
			for _, e := range hostileEvents(t) {
				v.event(e)
				_ = v.live.Flush()
			}
			_ = v.live.Flush()
		},
		"timeline": func(t *testing.T, s *iostreams.Streams, g *globals) {
			on := newScreen(s, g, s.Out, s.OutTTY)
			var line tell.Timeline
			for _, e := range hostileEvents(t) {
				on.Line("  ", line.Line(e))
			}
			_ = on.Flush()
		},
		"open": func(_ *testing.T, s *iostreams.Streams, g *globals) {
			on := newScreen(s, g, s.Err, s.ErrTTY)
			for _, kind := range []agent.Kind{agent.KindQuestion, agent.KindPlan, agent.KindApproval, agent.KindInDoubt, agent.KindCustom, agent.Kind(hostile)} {
				sus := filled(func(s *agent.Suspension) { s.Kind = kind })
				tell.Open(on, sus, nil)
				tell.Open(on, sus, tell.Plans{hostile: {Source: hostile, Diff: hostile, Was: 1}})
				next.Print(on, next.Run{Prefix: []string{"agent"}, ID: "r"}.Answers(sus))
				on.Line(tell.OpenLine(sus))
			}
			_ = on.Flush()
		},
		"outcome": func(t *testing.T, s *iostreams.Streams, g *globals) {
			v := stillView(s, g)
			for _, status := range []agent.Status{agent.StatusFinished, agent.StatusFailed, agent.StatusPaused} {
				st := &agent.State{Run: filled(func(r *agent.Run) {
					r.ID, r.Undecided, r.Error = "r", false, &agent.RunError{Message: hostile, Hint: hostile}
				})}
				for _, err := range []error{nil, exit.Hintf(exit.Usagef("%s", hostile), "%s", hostile)} {
					if oerr := v.outcome(outcome{state: st, status: status, prefix: []string{"agent"}, events: hostileEvents(t), err: err, diff: hostile}); oerr != nil {
						t.Error(oerr)
					}
				}
			}
		},
		"show": func(_ *testing.T, s *iostreams.Streams, g *globals) {
			w := &wiring{io: s, g: g}
			out := w.page()
			printHeader(out.Screen, &agent.State{Run: filled[agent.Run]()}, agent.Snapshot{})
			printPlans(out.Screen, []agent.Plan{filled[agent.Plan]()})
			printPlanHeader(out.Screen, filled[agent.Plan]())
			_ = out.show()
		},
	}
	for name, sink := range sinks {
		for _, tt := range []struct {
			name string
			env  map[string]string
			tty  bool
			g    globals
		}{
			{name: "piped"},
			{name: "actions", env: map[string]string{"GITHUB_ACTIONS": "true"}},
			{name: "actions on a terminal", tty: true, env: map[string]string{"GITHUB_ACTIONS": "true", "TERM": "xterm"}},
			{name: "terminal", tty: true, env: map[string]string{"TERM": "xterm"}},
			{name: "verbose", tty: true, env: map[string]string{"TERM": "xterm"}, g: globals{Verbose: true}},
			{name: "dumb", tty: true, env: map[string]string{"TERM": "dumb"}},
		} {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				var both bytes.Buffer
				b := newBench(t)
				b.env["PAGER"] = "cat"
				for k, v := range tt.env {
					b.env[k] = v
				}
				s := b.streams(&both, &both)
				s.OutTTY, s.ErrTTY, s.Columns = tt.tty, tt.tty, func() int { return columns }
				sink(t, s, &tt.g)
				if both.Len() == 0 {
					t.Fatal("nothing was shown")
				}
				width := 0
				if tt.tty {
					width = columns
				}
				if tt.tty && tt.env["GITHUB_ACTIONS"] != "" {
					width += 10 // what takes a command its meaning takes room
				}
				harmless(t, name, both.String(), tt.env["TERM"] == "xterm" && tt.env["GITHUB_ACTIONS"] == "", tt.env["GITHUB_ACTIONS"] != "", width)
			})
		}
	}
}

// spun is a row of the spinner, which a slow machine comes to see.
var spun = regexp.MustCompile(`\r([⠀-⣿] [^\r\n]*)\x1b\[K`)

// TestHostile_commands: the same for whole commands over a run whose model said
// it all.
func TestHostile_commands(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env["TERM"], b.env["PAGER"] = "xterm", "cat"
	b.write(".mastracode/plans/p.md", "# "+hostile+"\n\n"+hostile)
	turns := map[string]any{"turns": []any{
		map[string]any{"text": hostile, "toolCalls": []any{
			map[string]any{"id": hostile, "name": "ask_user", "args": map[string]any{"question": hostile, "options": []any{map[string]any{"label": hostile, "description": hostile}}}},
			map[string]any{"id": "p", "name": "submit_plan", "args": map[string]any{"path": ".mastracode/plans/p.md"}},
			map[string]any{"id": "x", "name": hostile, "args": map[string]any{"path": hostile}},
			map[string]any{"id": "w", "name": "read_file", "args": map[string]any{"path": hostile}},
		}},
	}}
	raw, err := json.Marshal(turns) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	b.write("evil.yaml", string(raw))
	for _, args := range [][]string{
		{"run", "--model", "script:evil.yaml", "--title", hostile, hostile},
		{"resume", "latest", "--reject", "--tool-call", hostile},
		{"resume", "latest", "--answer", hostile, "--tool-call", "p"},
		{"show", "latest"}, {"list"}, {"plans", "list"}, {"plans", "show"}, {"plans", "show", "--raw"}, {"plans", "diff"},
		{"modes"}, {"tools"}, {"resume"}, {"__complete", "show", ""}, {"show", hostile}, {hostile}, {"--" + hostile},
	} {
		for _, tty := range []bool{false, true} {
			var both bytes.Buffer
			s := b.streams(&both, &both)
			s.OutTTY, s.ErrTTY, s.Columns = tty, tty, func() int { return 80 }
			if !tty && len(args) > 2 && args[2] == "--raw" {
				continue // it is there to give the bytes as they are
			}
			execute(context.Background(), s, args)
			if both.Len() == 0 {
				t.Errorf("%.40q says nothing", fmt.Sprint(args))
			}
			shown := spun.ReplaceAllString(strings.ReplaceAll(both.String(), "\r\x1b[K", ""), "$1\n")
			harmless(t, fmt.Sprintf("%.40q", fmt.Sprint(args)), shown, tty, false, 0)
		}
	}
}
