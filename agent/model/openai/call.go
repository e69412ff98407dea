package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// partialCall is a call of which the pieces come one by one.
type partialCall struct {
	id, name string
	args     strings.Builder
	extra    json.RawMessage // extra_content, as Gemini has it
}

// call is the call when nothing more comes. When the reply was cut, one whose
// arguments never began is none: it must not count as a call without any.
func (p *partialCall) call(cut bool) (c agent.ToolCall, ok bool) {
	args := strings.TrimSpace(p.args.String())
	if args == "" && cut {
		return agent.ToolCall{}, false
	}
	return agent.ToolCall{ID: p.id, Name: p.name, Args: json.RawMessage(args)}, true
}

// sentArgs are the arguments of an earlier call as the model sent them: what
// was no JSON is kept as a JSON string and goes back as its text. Servers that
// read arguments get an object around it.
func (m *Model) sentArgs(c agent.ToolCall) string {
	raw := string(c.Args)
	text := ""
	if json.Unmarshal(c.Args, &text) == nil && strings.HasPrefix(raw, `"`) {
		raw = text
	}
	if !m.provider.vendor.objectArgs || isObject(raw) {
		return raw
	}
	wrapped, _ := json.Marshal(map[string]string{"notAnObject": raw}) // strings always encode
	return string(wrapped)
}

func isObject(raw string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(raw), &object) == nil && object != nil
}

// maxID is how long the ID of a call may be.
const maxID = 64

// wireID is an ID that fits: other vendors' may be longer.
func wireID(id string) string {
	if len(id) <= maxID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:16])
}

// schema is what a tool takes, as an object even where it says nothing.
func schema(d agent.Definition) json.RawMessage {
	if isObject(string(d.InputSchema)) {
		return d.InputSchema
	}
	return json.RawMessage(`{"type":"object","properties":{}}`)
}

// output is what a tool gave. Some servers refuse an empty one.
func output(o agent.ToolOutput) string {
	if o.Content == "" {
		return "(no output)"
	}
	return o.Content
}

// endOf is how the loop understands a reason to finish, of either API.
func endOf(reason string) agent.End {
	switch reason {
	case "length", "max_output_tokens":
		return agent.EndCut
	case "content_filter", "refusal":
		return agent.EndRefused
	}
	return ""
}
