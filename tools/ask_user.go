package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed ask_user.md
var askUserDescription string

const askUserSchema = `{"type":"object","properties":{` +
	`"question":{"type":"string","description":"The question. Not blank."},` +
	`"options":{"type":"array","description":"The choices; leave out for free text.","items":{"type":"object","properties":{` +
	`"label":{"type":"string","description":"Short text of the choice; this is what comes back."},` +
	`"description":{"type":"string","description":"What the choice means."}},"required":["label"]}},` +
	`"selectionMode":{"type":"string","enum":["single_select","multi_select"],"description":"How many may be chosen; needs options. Default single_select."}},` +
	`"required":["question"]}`

const skippedContent = "The user skipped this question."

type askUser struct{}

// AskUser returns the tool ask_user: it puts a question to the person and
// suspends until it is answered. Where nobody can be asked it returns the
// question as a readable string.
//
// The suspend payload is {"question"} for free text, and {"question",
// "options", "selectionMode"} otherwise. Answers are a JSON string (free text,
// single select), an array of strings (multi select), {"custom":"…"} for own
// words instead of a choice, or {"skipped":true}.
func AskUser() agent.Tool { return askUser{} }

// Definition implements agent.Tool.
func (askUser) Definition() agent.Definition {
	return agent.Definition{
		Name: "ask_user", Description: askUserDescription, InputSchema: json.RawMessage(askUserSchema),
		Effect: agent.EffectReadOnly, Category: agent.CategoryInteract, Asks: agent.KindQuestion,
	}
}

// Call implements agent.Tool.
func (askUser) Call(_ context.Context, call agent.Call) (agent.Result, error) {
	q, err := parseQuestion(call.Args)
	if err != nil {
		return refuse("ask_user", err)
	}
	if answer := lastAnswer(call); answer != nil {
		return answered(q, answer.Data), nil
	}
	if call.Suspend == nil {
		return agent.Result{Content: q.String()}, nil
	}
	return call.Suspend(q)
}

// lastAnswer is the answer to the newest suspension of the call, nil if there
// is none.
func lastAnswer(call agent.Call) *agent.Answer {
	if len(call.Suspensions) == 0 {
		return nil
	}
	return call.Suspensions[len(call.Suspensions)-1].Answer
}

func answered(q question, data json.RawMessage) agent.Result {
	a, err := q.check(data)
	switch {
	case err != nil: // an answer recorded by something that did not ask CheckAnswer
		return agent.ErrorResult("ask_user: the recorded answer does not fit the question: " + err.Error())
	case a.skipped:
		return agent.Result{Content: skippedContent}
	}
	return agent.Result{Content: "User answered: " + strings.Join(a.texts, ", ")}
}

// CheckAnswer implements agent.AnswerChecker: labels come back in their
// canonical spelling.
func (askUser) CheckAnswer(s agent.Suspension, answer json.RawMessage) (json.RawMessage, error) {
	q, err := payloadQuestion(s.Payload)
	if err != nil {
		return nil, err
	}
	a, err := q.check(answer)
	if err != nil {
		return nil, err
	}
	return json.Marshal(a)
}

// ResumeSchema implements agent.ResumeSchemer.
func (askUser) ResumeSchema(payload json.RawMessage) json.RawMessage {
	q, err := payloadQuestion(payload)
	if err != nil {
		return nil
	}
	text := map[string]any{"type": "string", "pattern": `\S`}
	skip := exactly("skipped", map[string]any{"const": true})
	if len(q.Options) == 0 {
		return schemaOf(text, skip)
	}
	choice := map[string]any{"enum": q.labels()}
	if q.SelectionMode == multiSelect {
		choice = map[string]any{"type": "array", "items": choice, "minItems": 1, "uniqueItems": true}
	}
	return schemaOf(choice, exactly("custom", text), skip)
}

func exactly(name string, value map[string]any) map[string]any {
	return map[string]any{
		"type": "object", "properties": map[string]any{name: value},
		"required": []string{name}, "additionalProperties": false,
	}
}

func schemaOf(alternatives ...map[string]any) json.RawMessage {
	raw, err := json.Marshal(map[string]any{"anyOf": alternatives})
	if err != nil { // strings and maps always marshal
		return nil
	}
	return raw
}

// questionAnswer is an answer that fits its question: canonical labels or the
// person's own words.
type questionAnswer struct {
	texts           []string
	list            bool
	custom, skipped bool
}

// MarshalJSON gives the canonical form of the answer.
func (a questionAnswer) MarshalJSON() ([]byte, error) {
	switch {
	case a.skipped:
		return []byte(`{"skipped":true}`), nil
	case a.custom:
		return json.Marshal(map[string]string{"custom": a.texts[0]})
	case a.list:
		return json.Marshal(a.texts)
	}
	return json.Marshal(a.texts[0])
}

// check reads an answer; the error says what is allowed.
func (q question) check(data json.RawMessage) (questionAnswer, error) {
	if kindOf(data) == "an object" {
		return q.checkObject(data)
	}
	switch {
	case q.SelectionMode == multiSelect:
		return q.checkList(data)
	case kindOf(data) != "a string":
		return questionAnswer{}, q.refuse("got " + kindOf(data))
	}
	text, ok := asString(data)
	if !ok {
		return questionAnswer{}, q.refuse("the text is not valid JSON")
	}
	if len(q.Options) == 0 {
		if strings.TrimSpace(text) == "" {
			return questionAnswer{}, q.refuse("the text is blank")
		}
		return questionAnswer{texts: []string{text}}, nil
	}
	label, ok := q.label(text)
	if !ok {
		return questionAnswer{}, q.refuse(fmt.Sprintf("%q is not a choice", text))
	}
	return questionAnswer{texts: []string{label}}, nil
}

func (q question) checkList(data json.RawMessage) (questionAnswer, error) {
	var items []json.RawMessage
	if kindOf(data) != "an array" || json.Unmarshal(data, &items) != nil {
		return questionAnswer{}, q.refuse("got " + kindOf(data))
	}
	if len(items) == 0 {
		return questionAnswer{}, q.refuse("the list is empty")
	}
	a := questionAnswer{list: true}
	for _, item := range items {
		text, ok := asString(item)
		if !ok {
			return questionAnswer{}, q.refuse("the list holds " + kindOf(item))
		}
		label, ok := q.label(text)
		if !ok {
			return questionAnswer{}, q.refuse(fmt.Sprintf("%q is not a choice", text))
		}
		if slices.Contains(a.texts, label) {
			return questionAnswer{}, q.refuse(fmt.Sprintf("%q is chosen twice", label))
		}
		a.texts = append(a.texts, label)
	}
	return a, nil
}

func (q question) checkObject(data json.RawMessage) (questionAnswer, error) {
	fields, err := exactObject(data, "custom", "skipped")
	if err != nil {
		return questionAnswer{}, q.refuse(err.Error())
	}
	if len(fields) != 1 {
		return questionAnswer{}, q.refuse("the object must have one key")
	}
	if raw, ok := fields["skipped"]; ok {
		if string(raw) != "true" {
			return questionAnswer{}, q.refuse("skipped must be true")
		}
		return questionAnswer{skipped: true}, nil
	}
	text, ok := asString(fields["custom"])
	if !ok || strings.TrimSpace(text) == "" || len(q.Options) == 0 {
		return questionAnswer{}, q.refuse("custom takes own words instead of a choice, not blank")
	}
	return questionAnswer{texts: []string{text}, custom: true}, nil
}

func (q question) refuse(why string) error {
	skip := `, or {"skipped":true}`
	if len(q.Options) == 0 {
		return fmt.Errorf("%s; allowed: a string that is not blank%s", why, skip)
	}
	quoted := make([]string, len(q.Options))
	for i, label := range q.labels() {
		quoted[i] = fmt.Sprintf("%q", label)
	}
	form := "one of "
	if q.SelectionMode == multiSelect {
		form = "an array, each item once, of "
	}
	return fmt.Errorf(`%s; allowed: %s%s, or {"custom":"own words"}%s`, why, form, strings.Join(quoted, ", "), skip)
}
