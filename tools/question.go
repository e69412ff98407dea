package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

const (
	singleSelect = "single_select"
	multiSelect  = "multi_select"
)

// question is a checked question, and the suspend payload of ask_user.
type question struct {
	Question      string   `json:"question"`
	Options       []choice `json:"options,omitempty"`
	SelectionMode string   `json:"selectionMode,omitempty"` // set exactly when there are options
}

type choice struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// parseQuestion reads the arguments of ask_user. Only the three known names
// are looked at, so nothing a model sends can stand for an answer.
func parseQuestion(raw json.RawMessage) (question, error) {
	a, err := decodeArgs(raw)
	if err != nil {
		return question{}, err
	}
	asked, err := a.required("question")
	if err != nil {
		return question{}, err
	}
	if seenKey(asked) == "" {
		return question{}, errors.New("the question is blank: it has only characters that show nothing")
	}
	options, err := parseOptions(a["options"])
	if err != nil {
		return question{}, err
	}
	mode, err := a.text("selectionMode")
	if err != nil {
		return question{}, err
	}
	if mode, err = resolveMode(mode, a, options); err != nil {
		return question{}, err
	}
	return question{Question: asked, Options: options, SelectionMode: mode}, nil
}

func resolveMode(mode string, a args, options []choice) (string, error) {
	_, given := a["selectionMode"]
	switch {
	case given && mode != singleSelect && mode != multiSelect:
		return "", fmt.Errorf("selectionMode %q is unknown: use %s or %s", mode, singleSelect, multiSelect)
	case given && len(options) == 0:
		return "", errors.New("selectionMode needs options: give some, or leave it out for a free-text answer")
	case !given && len(options) > 0:
		return singleSelect, nil
	}
	return mode, nil
}

func parseOptions(raw json.RawMessage) ([]choice, error) {
	// Some models send the array as a string that holds it.
	if inside, ok := asString(raw); ok {
		raw = json.RawMessage(inside)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, errors.New("options must be an array of objects with a label")
	}
	var options []choice
	taken := make(map[string]string, len(items))
	for i, item := range items {
		c, err := parseOption(item)
		if err != nil {
			return nil, fmt.Errorf("option %d: %w", i+1, err)
		}
		key := seenKey(c.Label)
		if other, twice := taken[key]; twice {
			return nil, fmt.Errorf("option %d: label %q equals label %q; labels must differ in more than case and what shows nothing", i+1, c.Label, other)
		}
		taken[key] = c.Label
		options = append(options, c)
	}
	return options, nil
}

func parseOption(item json.RawMessage) (choice, error) {
	var c choice
	switch kindOf(item) {
	case "a string":
		c.Label, _ = asString(item)
	case "an object":
		a, err := decodeArgs(item)
		if err != nil {
			return c, err
		}
		if c.Label, err = a.text("label"); err != nil {
			return c, err
		}
		if c.Description, err = a.text("description"); err != nil {
			return c, err
		}
	default:
		return c, fmt.Errorf("an option is an object with a label, or a string; got %s", kindOf(item))
	}
	c.Label, c.Description = strings.TrimSpace(c.Label), strings.TrimSpace(c.Description)
	if seenKey(c.Label) == "" {
		return c, errors.New("the label is blank")
	}
	return c, nil
}

// seenKey is what a person sees of s, whatever its case: texts with one key
// cannot be told apart where they are shown.
func seenKey(s string) string {
	seen := strings.Map(func(r rune) rune {
		if text.Unseen(r) {
			return -1
		}
		return r
	}, text.Line(s))
	return foldKey(strings.Join(strings.Fields(seen), " "))
}

// foldKey maps texts that strings.EqualFold holds equal to one key.
func foldKey(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

func payloadQuestion(payload json.RawMessage) (question, error) {
	var q question
	if err := json.Unmarshal(payload, &q); err != nil {
		return q, fmt.Errorf("read question: %w", err)
	}
	return q, nil
}

func (q question) labels() []string {
	labels := make([]string, len(q.Options))
	for i, o := range q.Options {
		labels[i] = o.Label
	}
	return labels
}

// label returns the canonical label for what a person typed: the label itself,
// failing that the only one that is shown so, whatever its case.
func (q question) label(typed string) (string, bool) {
	typed = strings.TrimSpace(typed)
	labels := q.labels()
	if slices.Contains(labels, typed) {
		return typed, true
	}
	key := seenKey(typed)
	alike := slices.DeleteFunc(labels, func(l string) bool { return seenKey(l) != key })
	if key == "" || len(alike) != 1 {
		return "", false
	}
	return alike[0], true
}

// String is what the model reads where nobody can be asked.
func (q question) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Question for user]: %s", q.Question)
	if len(q.Options) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "\nChoices (%s):", q.SelectionMode)
	for _, o := range q.Options {
		fmt.Fprintf(&b, "\n- %s", o.Label)
		if o.Description != "" {
			fmt.Fprintf(&b, ": %s", o.Description)
		}
	}
	return b.String()
}
