package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// mark begins every recording.
const mark = "# agent recording of run "

// IsRecording reports whether data, or the beginning of it, is what Record
// wrote.
func IsRecording(data []byte) bool { return bytes.HasPrefix(data, []byte(mark)) }

// Record writes the replies a journal holds as a script that plays them: text,
// tool calls with their IDs and arguments, tokens, finish reason, all literally.
// What else a provider kept of a reply (thinking) and its faults are left out.
// A journal without a reply gives nil.
func Record(events []agent.Event) ([]byte, error) {
	var b bytes.Buffer
	for _, e := range events {
		if e.Type != agent.ModelMessage {
			continue
		}
		p, err := agent.Decode[agent.MessagePayload](e)
		if err != nil {
			return nil, err
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "%s%s. Play it with --model script:FILE.\nplaceholders: false\nturns:\n", mark, word(e.RunID))
		}
		turn, err := recordTurn(p)
		if err != nil {
			return nil, fmt.Errorf("record reply %d of run %s: %w", e.Seq, e.RunID, err)
		}
		b.Write(turn)
	}
	return b.Bytes(), nil
}

// word is s as far as a comment can hold it.
func word(s string) string {
	q := quote(s)
	return string(q[1 : len(q)-1])
}

// recordTurn writes one turn as people read and edit it; where that would not
// play as it was said, arguments are text and all text is quoted.
func recordTurn(p agent.MessagePayload) ([]byte, error) {
	for _, s := range []scribe{{}, {textArgs: true}, {textArgs: true, plain: true}} {
		written := s.turn(p)
		if read, err := parse("recording", append([]byte("placeholders: false\nturns:\n"), written...)); err == nil && len(read) == 1 && plays(read[0], p) {
			return written, nil
		}
	}
	return nil, errors.New("a script cannot hold it")
}

// plays reports whether a turn gives the reply that was recorded.
func plays(t turn, p agent.MessagePayload) bool {
	r := t.reply(fill{})
	if r.Text != p.Text || r.FinishReason != p.FinishReason || r.End != p.End || r.Usage != tokens(p.Usage) || len(r.ToolCalls) != len(p.ToolCalls) {
		return false
	}
	for i, c := range p.ToolCalls {
		got := r.ToolCalls[i]
		if got.ID != c.ID || got.Name != c.Name || !bytes.Equal(compact(got.Args), compact(given(c.Args))) {
			return false
		}
	}
	return true
}

// tokens is what a script says of usage.
func tokens(u agent.Usage) agent.Usage {
	u.Steps, u.Cost = 0, nil
	return u
}

// given is how a script gives arguments on: what is no object is a string.
func given(args json.RawMessage) json.RawMessage {
	return call{args: argsText(args), raw: true}.filled(fill{literal: true})
}

// argsText is arguments as the text of a script.
func argsText(args json.RawMessage) string {
	var s string
	if json.Unmarshal(args, &s) == nil && bytes.HasPrefix(bytes.TrimSpace(args), []byte(`"`)) {
		return s
	}
	return strings.ToValidUTF8(string(args), "\uFFFD") // bytes that are no text are no YAML either
}

// compact is JSON as the journal holds it.
func compact(raw json.RawMessage) []byte {
	out, err := json.Marshal(raw)
	if err != nil {
		return raw
	}
	return out
}

// turn writes a reply as an entry of turns.
func (s scribe) turn(p agent.MessagePayload) []byte {
	var b strings.Builder
	b.WriteString("  - text: " + s.text(p.Text, "      ") + "\n")
	if len(p.ToolCalls) > 0 {
		b.WriteString("    toolCalls:\n")
	}
	finish := "stop"
	for _, c := range p.ToolCalls {
		finish = "tool_calls"
		fmt.Fprintf(&b, "      - id: %s\n        name: %s\n        args:%s\n", quote(c.ID), quote(c.Name), s.args(c.Args, "          "))
	}
	if p.FinishReason != finish {
		fmt.Fprintf(&b, "    finishReason: %s\n", quote(p.FinishReason))
	}
	if p.End != "" {
		fmt.Fprintf(&b, "    end: %s\n", quote(string(p.End)))
	}
	if u := usageText(p.Usage); u != "" {
		fmt.Fprintf(&b, "    usage: {%s}\n", u)
	}
	return []byte(b.String())
}

func usageText(u agent.Usage) string {
	var parts []string
	for _, f := range []struct {
		name string
		n    int64
	}{
		{"inputTokens", u.InputTokens}, {"outputTokens", u.OutputTokens}, {"cacheReadTokens", u.CacheReadTokens},
		{"cacheWriteTokens", u.CacheWriteTokens}, {"reasoningTokens", u.ReasoningTokens},
	} {
		if f.n != 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", f.name, f.n))
		}
	}
	return strings.Join(parts, ", ")
}
