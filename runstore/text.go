package runstore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// text is something of a run that a search finds, under a name of its own in
// the run.
type text struct{ ref, body string }

const (
	promptRef = "prompt"
	titleRef  = "title"
)

// textsOf gives the texts a change brings: the prompt of a first change, a new
// title, questions, plans.
func textsOf(c agent.Change, first, title bool) []text {
	var out []text
	if first {
		out = append(out, text{promptRef, c.Run.Prompt})
	}
	if first || title {
		out = append(out, text{titleRef, c.Run.Title})
	}
	for _, s := range c.Suspensions {
		if q := question(s); q != "" {
			out = append(out, text{fmt.Sprintf("question %s#%d", s.ToolCallID, s.N), q})
		}
	}
	for _, p := range c.Plans {
		out = append(out, text{fmt.Sprintf("plan %s#%d", p.Path, p.Revision), p.Title + "\n" + p.Body})
	}
	return out
}

// question is what a suspension of any kind asks in words, as ask_user does.
func question(s agent.Suspension) string {
	var asked struct {
		Question string `json:"question"`
	}
	_ = json.Unmarshal(s.Payload, &asked) // other payloads ask nothing in words
	return asked.Question
}

// plainID is an ID as prefixes and suffixes are compared.
func plainID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}
