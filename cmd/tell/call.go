package tell

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Args is all arguments of a call, in the model's order. Further lines
// of a value are indented, so that it cannot pass for another argument.
func Args(args json.RawMessage) string {
	dec := json.NewDecoder(strings.NewReader(string(args)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return string(args)
	}
	var b strings.Builder
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return string(args)
		}
		fmt.Fprintf(&b, "%v: %s\n", key, strings.ReplaceAll(plainValue(value), "\n", "\n    "))
	}
	return b.String()
}

// plainValue is a JSON value as a person reads it: strings without quotes.
func plainValue(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// callLine names a call on one line by its most telling argument.
func callLine(p agent.CallPayload) string {
	name := text.Field(p.ToolName, 40)
	var args map[string]json.RawMessage
	if json.Unmarshal(p.Args, &args) != nil {
		return name
	}
	for _, key := range []string{"command", "path", "pattern", "question"} {
		if v, ok := args[key]; ok {
			return name + " " + text.Field(plainValue(v), 100)
		}
	}
	return name
}

// callFacts is what a line about a finished call adds: how a command exited,
// what an edit changed or how big the result is, and how long it took.
func callFacts(p agent.ResultPayload, diff *editDiff, took string) string {
	var facts []string
	switch code, exited := p.Result.Details["exitCode"].(float64); {
	case exited && code < 0:
		facts = append(facts, "killed")
	case exited:
		facts = append(facts, fmt.Sprintf("exit %d", int(code)))
	case diff != nil:
		facts = append(facts, diff.count())
	case took != "" && !p.Result.IsError: // not of what a person gave
		facts = append(facts, text.Size(len(p.Result.Content)))
	}
	if took != "" {
		facts = append(facts, took)
	}
	if len(facts) == 0 {
		return ""
	}
	return " · " + strings.Join(facts, " · ")
}

// faultRows is how many lines of a fault are shown on a terminal.
const faultRows = 6

// faultText is the telling part of what a failed call gave: the end of a
// command's output, the beginning of anything else.
func faultText(p agent.ResultPayload) string {
	lines := strings.Split(strings.TrimSpace(p.Result.Content), "\n")
	if len(lines) > faultRows {
		if p.ToolName == "shell" {
			lines = append([]string{"…"}, lines[len(lines)-faultRows:]...)
		} else {
			lines = append(lines[:faultRows:faultRows], "…")
		}
	}
	for i, l := range lines {
		lines[i] = text.Truncate(l, 400)
	}
	return strings.Join(lines, "\n")
}
