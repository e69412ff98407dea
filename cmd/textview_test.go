package cmd

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

func event(t *testing.T, kind agent.EventType, payload any) agent.Event {
	t.Helper()
	raw, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	return agent.Event{Type: kind, RunID: "r", From: agent.From, Payload: raw}
}

func TestTextView_words(t *testing.T) {
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
			s := newBench(t).streams(&out, &errw)
			s.OutTTY = name == "terminal"
			v := newTextView(s, &globals{})
			for _, e := range events {
				v.event(e)
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
