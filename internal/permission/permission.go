// Package permission decides which calls may run unasked. Policy is the
// agent.Permissions of the command line.
package permission

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Policy decides by the category of the tool: reading, editing within what the
// mode may write, and asking are allowed, commands are asked about. A tool of
// no known category is asked about too. The zero value is useful, and safe for
// concurrent use.
type Policy struct {
	// Yolo allows every call.
	Yolo bool
	// Read, Edit and Execute decide on calls of these categories; "": the
	// above. What asks a person is never gated.
	Read, Edit, Execute agent.Action
}

var _ agent.Permissions = Policy{}

// Decide returns the verdict on one call. Where it asks, the verdict offers
// the rule that would allow exactly this call for the rest of the run.
func (p Policy) Decide(r agent.PermissionRequest) agent.Verdict {
	if p.Yolo {
		return agent.Verdict{Action: agent.ActionAllow, Reason: "everything is allowed (yolo)"}
	}
	switch p.category(r.Tool.Category) {
	case agent.ActionAllow:
		return agent.Verdict{Action: agent.ActionAllow}
	case agent.ActionDeny:
		return agent.Verdict{Action: agent.ActionDeny, Reason: fmt.Sprintf("calls of category %q are denied by configuration", r.Tool.Category)}
	}
	rule := Exact(r.Tool.Name, r.Args)
	if rule != "" && slices.Contains(r.Grants, rule) {
		return agent.Verdict{Action: agent.ActionAllow, Reason: "granted for this run"}
	}
	return agent.Verdict{Action: agent.ActionAsk, Reason: reason(r.Tool), Rule: rule}
}

// category is what becomes of calls of a category where nothing else decides.
func (p Policy) category(c agent.Category) agent.Action {
	switch c {
	case agent.CategoryInteract:
		return agent.ActionAllow
	case agent.CategoryRead:
		return cmp.Or(p.Read, agent.ActionAllow)
	case agent.CategoryEdit:
		return cmp.Or(p.Edit, agent.ActionAllow)
	case agent.CategoryExecute:
		return cmp.Or(p.Execute, agent.ActionAsk)
	}
	return agent.ActionAsk
}

func reason(t agent.Definition) string {
	switch t.Category {
	case agent.CategoryExecute:
		return t.Name + " runs commands"
	case agent.CategoryRead, agent.CategoryEdit:
		return fmt.Sprintf("calls of category %q are asked about by configuration", t.Category)
	}
	return fmt.Sprintf("%s is of no category that runs unasked", t.Name)
}

// Exact returns the rule that allows one call and no other: NAME(WHAT), which
// ends at its last parenthesis. For shell WHAT is the command, with a
// backslash before each backslash and star, so that no reader of patterns
// takes it for one; for other tools it is the digest of the arguments without
// insignificant white space. It is "" where the arguments name no single
// command.
func Exact(tool string, args json.RawMessage) string {
	if tool != "shell" {
		var compact bytes.Buffer
		if json.Compact(&compact, args) != nil {
			return ""
		}
		return fmt.Sprintf("%s(%s)", tool, agent.Digest(compact.Bytes()))
	}
	command, ok := soleCommand(args)
	if !ok {
		return ""
	}
	return "shell(" + strings.NewReplacer(`\`, `\\`, `*`, `\*`).Replace(command) + ")"
}

// soleCommand reads "command". Decoders differ on keys given twice or in
// another case; such arguments must not be granted for one reading and run in
// another.
func soleCommand(args json.RawMessage) (command string, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(args))
	if t, err := dec.Token(); !json.Valid(args) || err != nil || t != json.Delim('{') {
		return "", false
	}
	seen := 0
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return "", false
		}
		var value any
		if dec.Decode(&value) != nil {
			return "", false
		}
		if name, _ := key.(string); strings.EqualFold(name, "command") {
			seen++
			command, ok = value.(string)
			ok = ok && name == "command"
		}
	}
	return command, ok && seen == 1 && command != ""
}
