package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// JSON Schemas of the answers the loop checks itself.
var (
	approvalSchema = json.RawMessage(`{"type":"object","properties":{"action":{"enum":["approved","rejected"]},"feedback":{"type":"string"},"scope":{"enum":["once","run"]}},"required":["action"],"additionalProperties":false}`)
	doubtSchema    = json.RawMessage(`{"type":"object","properties":{"action":{"enum":["happened","again","stop"]}},"required":["action"],"additionalProperties":false}`)
)

// decisionForm is what a decision may look like.
type decisionForm struct {
	actions []string
	texts   []string // further keys, all strings
	scopes  []string // values of "scope"; nil: there is none
	echo    []string // keys that may be there and are not read
}

// formOf gives the form of the decisions of a kind; none for other kinds.
func formOf(k Kind) (decisionForm, bool) {
	switch k {
	case KindPlan:
		return decisionForm{
			actions: []string{Approved, Rejected},
			texts:   []string{"feedback", "path", "title", "plan", "digest"},
			echo:    []string{"revision"},
		}, true
	case KindApproval:
		return decisionForm{
			actions: []string{Approved, Rejected}, texts: []string{"feedback"}, scopes: []string{ScopeOnce, ScopeRun},
		}, true
	case KindInDoubt:
		return decisionForm{actions: []string{Happened, Again, Stop}}, true
	}
	return decisionForm{}, false
}

// check returns the decision's strings by key. encoding/json would fold case
// and take the last of doubled keys; here a key occurs exactly, and once, so
// that nothing but an exact "approved" approves.
func (f decisionForm) check(raw json.RawMessage) (map[string]string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("want a JSON object with %s", f.wants())
	}
	got, met := map[string]string{}, map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("read decision: %w", err)
		}
		name, _ := key.(string)
		var value any
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("read %q: %w", name, err)
		}
		text, isText := value.(string)
		twice := met[name]
		met[name] = true
		switch {
		case twice:
			return nil, fmt.Errorf("key %q occurs twice", name)
		case slices.Contains(f.echo, name) || value == nil && f.knows(name) && name != "action":
			continue
		case !f.knows(name):
			return nil, fmt.Errorf("unknown key %q; want %s", name, f.wants())
		case !isText:
			return nil, fmt.Errorf("%q is not a string", name)
		}
		got[name] = text
	}
	if !slices.Contains(f.actions, got["action"]) {
		return nil, fmt.Errorf("action is %q; want %s", got["action"], f.wants())
	}
	if s, ok := got["scope"]; ok && !slices.Contains(f.scopes, s) {
		return nil, fmt.Errorf("scope is %q; want one of %s", s, strings.Join(f.scopes, ", "))
	}
	return got, nil
}

func (f decisionForm) knows(key string) bool {
	return key == "action" || slices.Contains(f.texts, key) || f.scopes != nil && key == "scope"
}

func (f decisionForm) wants() string {
	return `"action": "` + strings.Join(f.actions, `" or "`) + `"`
}
