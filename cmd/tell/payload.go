package tell

import (
	"encoding/json"

	"github.com/seed-3e5a1d81/agent/agent"
)

// Question is what a question asks: the payload of its suspension.
type Question struct {
	Question string `json:"question"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
	SelectionMode string `json:"selectionMode"` // Several: any number of the options
}

// Several is the SelectionMode of a question that takes any number of its options.
const Several = "multi_select"

// QuestionOf reads the question of a suspension of KindQuestion. One of another
// shape has no words.
func QuestionOf(s agent.Suspension) Question {
	var q Question
	_ = json.Unmarshal(s.Payload, &q)
	return q
}

// PlanOf reads what a suspension of KindPlan submits. A payload of another shape is
// an empty plan.
func PlanOf(s agent.Suspension) agent.PlanSubmission {
	var p agent.PlanSubmission
	_ = json.Unmarshal(s.Payload, &p)
	return p
}
