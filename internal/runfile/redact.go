package runfile

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Redact takes what people, models, tools and files said out of a run: every
// text becomes its length. What is left tells how the run went: types, times,
// names of tools and modes, statuses, numbers, digests.
func Redact(r Run) (Run, error) {
	out := r
	out.Redacted, out.Blobs, out.Events = true, nil, nil
	for _, e := range r.Events {
		var payload any
		if err := json.Unmarshal(e.Payload, &payload); err != nil {
			return Run{}, fmt.Errorf("redact record %d: %w", e.Seq, err)
		}
		raw, err := json.Marshal(redacted("", payload))
		if err != nil {
			return Run{}, fmt.Errorf("redact record %d: %w", e.Seq, err)
		}
		e.Payload = raw
		out.Events = append(out.Events, e)
	}
	return out, nil
}

// told are the keys whose values say how a run went, not what it was about.
func told(key string) bool {
	switch key {
	case "mode", "modeId", "previousModeId", "model", "pinnedModel", "agentId", "via", "code", "kind", "cause", "decision",
		"toolCallId", "toolName", "finishReason", "action", "scope", "selectionMode", "status", "digest", "before", "after",
		"wait", "timeout", "id", "name":
		return true
	}
	return false
}

// word reports whether s is what a value of such a key looks like.
func word(s string) bool {
	other := func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("_.:/#@+-", r)
	}
	return s != "" && len(s) <= 120 && !strings.ContainsFunc(s, other)
}

// redacted is a value without its texts. Nothing below arguments, answers and
// details is told: their keys are not ours.
func redacted(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			if key == "args" || key == "details" || key == "blocks" {
				out[k] = length(item)
				continue
			}
			out[k] = redacted(k, item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = redacted(key, item)
		}
		return out
	case string:
		if told(key) && word(v) && !strings.Contains(v, agentPath) {
			return v
		}
		return length(v)
	}
	return v
}

// agentPath begins the IDs of models that are files.
const agentPath = "script:"

// length stands for a value whose text is taken out.
func length(v any) any {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("[%d characters]", utf8.RuneCountInString(v))
	case map[string]any, []any:
		raw, err := json.Marshal(v)
		if err != nil {
			return nil
		}
		return fmt.Sprintf("[%d bytes of JSON]", len(raw))
	}
	return v
}
