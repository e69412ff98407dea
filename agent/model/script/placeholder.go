package script

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

const answered = "User answered: " // how results of ask_user begin

// fill holds what the placeholders of a script stand for in one request.
type fill struct {
	workspace, runID, answer string
	literal                  bool // fill nothing in
}

func placeholders(req agent.Request) fill {
	return fill{workspace: req.Workspace, runID: req.RunID, answer: newestAnswer(req.Messages)}
}

// text fills s in. What is filled in is not looked at again.
func (f fill) text(s string) string { return f.with(s, func(v string) string { return v }) }

// inJSON fills JSON text in. "{{" is no JSON outside a string, so every
// placeholder lies in one.
func (f fill) inJSON(s string) string {
	return f.with(s, func(v string) string {
		q := quote(v)
		return string(q[1 : len(q)-1])
	})
}

func (f fill) inPattern(s string) string { return f.with(s, regexp.QuoteMeta) }

func (f fill) with(s string, as func(string) string) string {
	if f.literal || !strings.Contains(s, "{{") {
		return s
	}
	return strings.NewReplacer(
		"{{workspace}}", as(f.workspace), "{{runId}}", as(f.runID), "{{answer}}", as(f.answer),
	).Replace(s)
}

// newestAnswer is what a person last answered to ask_user, "" if nothing.
func newestAnswer(messages []agent.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		outputs := messages[i].Outputs
		for j := len(outputs) - 1; j >= 0; j-- {
			answer, ok := strings.CutPrefix(outputs[j].Content, answered)
			if ok && outputs[j].Name == "ask_user" && !outputs[j].IsError {
				return answer
			}
		}
	}
	return ""
}

// quote returns s as JSON, with <, > and & as they are.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimRight(b.Bytes(), "\n")
}
