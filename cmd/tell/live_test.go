package tell

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

func event(t *testing.T, kind agent.EventType, payload any) agent.Event {
	t.Helper()
	raw, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	return agent.Event{Type: kind, RunID: "r", From: agent.From, Payload: raw}
}

func TestLive_words(t *testing.T) {
	t.Parallel()
	events := []agent.Event{
		event(t, agent.TextDelta, agent.DeltaPayload{Text: "One"}),
		event(t, agent.TextDelta, agent.DeltaPayload{Text: " line\nnext:\n  agent\rrun"}),
		event(t, agent.ModelMessage, agent.MessagePayload{Text: "One line\nnext:\n  agent\rrun"}),
		event(t, agent.ToolResult, agent.ResultPayload{CallPayload: agent.CallPayload{ToolName: "read_file", Args: json.RawMessage(`{"path":"a"}`)}}),
		event(t, agent.ModelMessage, agent.MessagePayload{Text: "Not streamed"}),
		event(t, "of-the-future", map[string]string{"x": "y"}),
	}
	for name, want := range map[string]string{
		"piped":    "One line\nnext:\n  agent\nrun\nNot streamed\n",
		"terminal": "┃ One line\n┃ next:\n┃   agent\n┃ run\n┃ Not streamed\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errw bytes.Buffer
			columns := 0
			if name == "terminal" {
				columns = 80
			}
			v := viewOn(screenOn(&out, columns), screenOn(&errw, 0), Volume{})
			for _, e := range events {
				v.Event(e)
			}
			if out.String() != want {
				t.Errorf("stdout %q, want %q", out.String(), want)
			}
			if errw.String() != "✓ read_file a\n" {
				t.Errorf("stderr %q", errw.String())
			}
		})
	}
}

// posted is a sign that tests read.
type posted struct {
	says  string // "" at rest
	turns bool
}

func (p *posted) Show(label string) { p.says, p.turns = label, true }
func (p *posted) Rest()             { p.says = "" }
func (p *posted) End()              { p.says, p.turns = "", false }

// TestLive_busy: the spinner names what the run waits for, and its line is
// gone before anything is printed.
func TestLive_busy(t *testing.T) {
	t.Parallel()
	var both strings.Builder
	on, spin := screenOn(&both, 60), &posted{}
	v := NewLive(on, on, spin, Volume{})
	a, b := callOf("a", "read_file", `{"path":"a"}`), callOf("b", "shell", `{"command":"make"}`)
	for _, step := range []struct {
		e    agent.Event
		want string // on the spinner's line; "" for none
	}{
		{event(t, agent.StepStart, agent.StepStartPayload{Model: "demo"}), "asking demo"},
		{event(t, agent.TextDelta, agent.DeltaPayload{Text: "Words"}), ""},
		{event(t, agent.ModelMessage, agent.MessagePayload{Text: "Words"}), ""},
		{event(t, agent.ToolCallRequested, a), "read_file a"},
		{event(t, agent.ToolCallRequested, b), "read_file a"},
		{event(t, agent.ToolResult, agent.ResultPayload{CallPayload: a}), "shell make"},
		{event(t, agent.ToolOutputText, agent.OutputPayload{Text: "hidden"}), "shell make"},
		{event(t, agent.ToolResult, agent.ResultPayload{CallPayload: b}), ""},
		{event(t, agent.StepStart, agent.StepStartPayload{Model: "demo"}), "asking demo"},
		{event(t, agent.Pause, agent.PausePayload{Reason: agent.PauseStopped}), ""},
	} {
		v.Event(step.e)
		if spin.says != step.want {
			t.Errorf("after %s the spinner says %q, want %q", step.e.Type, spin.says, step.want)
		}
	}
	if spin.turns {
		t.Error("the spinner still turns after the end")
	}
}

// TestLive_tasks: the list is shown when it changes.
func TestLive_tasks(t *testing.T) {
	t.Parallel()
	var out, errw bytes.Buffer
	v := viewOn(screenOn(&out, 0), screenOn(&errw, 0), Volume{})
	for _, status := range []string{"pending", "pending", "completed"} {
		args := `{"tasks":[{"content":"one","status":"` + status + `"}]}`
		v.Event(event(t, agent.ToolResult, agent.ResultPayload{CallPayload: callOf("t", "tasks", args)}))
	}
	if want := "✓ tasks · 0 of 1 done\n  │ · one\n✓ tasks · 0 of 1 done\n✓ tasks · 1 of 1 done\n  │ ✓ one\n"; errw.String() != want {
		t.Errorf("shown %q", errw.String())
	}
}

func TestChangedFiles(t *testing.T) {
	t.Parallel()
	change := func(path, before string) agent.Event {
		return event(t, agent.ToolResult, agent.ResultPayload{Result: agent.Result{Changes: []agent.FileChange{{Path: path, Before: before, After: "x"}}}})
	}
	var got []string
	for _, c := range changedFiles([]agent.Event{change("b", ""), change("a", "y"), event(t, agent.Finish, agent.FinishPayload{}), change("b", "z")}) {
		got = append(got, c.Path+":"+c.Before)
	}
	if want := []string{"b:", "a:y"}; !slices.Equal(got, want) {
		t.Errorf("changed %q, want %q", got, want)
	}
}

// BenchmarkLive_delta measures how long a piece of streamed text is on its
// way to a terminal.
func BenchmarkLive_delta(b *testing.B) {
	on := &screen.Screen{Writer: &text.Writer{W: io.Discard}, Look: screen.Palette{On: true}, TTY: true, Columns: func() int { return 100 }}
	v := viewOn(on, on, Volume{})
	payload, err := json.Marshal(agent.DeltaPayload{Text: " streamed 日本語"})
	if err != nil {
		b.Fatal(err)
	}
	e := agent.Event{Type: agent.TextDelta, Payload: payload}
	for b.Loop() {
		v.Event(e)
	}
}
