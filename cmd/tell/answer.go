package tell

import (
	"encoding/json"
	"strings"
)

// answerText is a recorded answer as a person reads it.
func answerText(answer json.RawMessage) string {
	var list []string
	if json.Unmarshal(answer, &list) == nil {
		return strings.Join(list, ", ")
	}
	var d struct {
		Action, Feedback, Custom string
		Skipped                  bool
	}
	switch err := json.Unmarshal(answer, &d); {
	case err == nil && d.Action+d.Custom != "":
		return strings.TrimSuffix(d.Action+d.Custom+": "+d.Feedback, ": ")
	case err == nil && d.Skipped:
		return "skipped"
	}
	return plainValue(answer)
}

// decisionOf is the word of an answer that decides; ok is false for another.
func decisionOf(answer json.RawMessage) (action string, ok bool) {
	var d struct{ Action string }
	err := json.Unmarshal(answer, &d)
	return d.Action, err == nil && d.Action != ""
}
