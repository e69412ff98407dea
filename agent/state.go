package agent

import (
	"encoding/json"
	"time"
)

// State is a journal folded: where a run stands. It is a pure function of the
// journal. It is not safe for concurrent use while its owner drives the run.
type State struct {
	Run Run

	step       *step // the open step; nil between steps
	calls      map[string]*call
	messages   []Message
	queued     []Message // messages of the person that came during the open step
	plans      []*Plan
	seen       map[string]string
	edits      edits
	surveys    surveys
	grants     []string
	denied     []DeniedCall
	unanswered []UnansweredCall
	spent      []ModeUsage
	turns      map[string]int // replies by model ID
	faults     int            // provider faults that paused the run since the last reply
	empties    int            // empty replies in a row
	cuts       int            // replies in a row that were cut
	last       time.Time      // time of the newest record

	// What the records applied since the last commit made or altered.
	touchedSuspensions []*Suspension
	touchedPlans       []*Plan
}

// step is one model reply and its calls.
type step struct {
	mode, model  string
	replied      bool
	text         string
	finishReason string
	usage        Usage
	cut          bool // the reply, without calls, ended before its end
	calls        []*call
}

// call is one tool call and what became of it.
type call struct {
	ToolCall
	place       int  // among the calls of the run, from 1
	inFlight    bool // started, and nothing recorded since
	happened    bool // a person said that the last start took effect
	startedAt   time.Time
	intended    []FileChange // what the last start that said so was about to change
	output      *ToolOutput  // set once the call is settled
	suspensions []*Suspension
}

func newState() *State {
	return &State{calls: map[string]*call{}, seen: map[string]string{}, turns: map[string]int{}}
}

func (c *call) settled() bool { return c.output != nil }

// newest returns the newest suspension of one of the kinds, nil if none.
func (c *call) newest(kinds ...Kind) *Suspension {
	for i := len(c.suspensions) - 1; i >= 0; i-- {
		for _, k := range kinds {
			if c.suspensions[i].Kind == k {
				return c.suspensions[i]
			}
		}
	}
	return nil
}

func (c *call) suspension(n int) *Suspension {
	if n < 1 || n > len(c.suspensions) {
		return nil
	}
	return c.suspensions[n-1]
}

// own returns the suspensions the tool made itself, with their answers.
func (c *call) own() []Suspension {
	var own []Suspension
	for _, s := range c.suspensions {
		if s.Kind != KindApproval && s.Kind != KindInDoubt {
			own = append(own, *s)
		}
	}
	return own
}

// Open returns what waits for a person, in call order.
func (st *State) Open() []Suspension {
	var open []Suspension
	if st.step == nil {
		return open
	}
	for _, c := range st.step.calls {
		for _, s := range c.suspensions {
			if s.State == SuspensionOpen {
				open = append(open, *s)
			}
		}
	}
	return open
}

// Undecided returns the suspension of the run's last plan if nobody could be
// asked about it and nobody decided since.
func (st *State) Undecided() (Suspension, bool) {
	if !st.Run.Undecided {
		return Suspension{}, false
	}
	p := st.plans[len(st.plans)-1]
	if s := st.calls[p.ToolCallID].suspension(p.N); s != nil {
		return *s, true
	}
	return Suspension{}, false
}

// Suspension returns suspension n of a call. n 0 means the open one, else the
// newest.
func (st *State) Suspension(toolCallID string, n int) (Suspension, bool) {
	c, ok := st.calls[toolCallID]
	if !ok || len(c.suspensions) == 0 {
		return Suspension{}, false
	}
	if n == 0 {
		n = len(c.suspensions) // an open one is always the newest
	}
	if s := c.suspension(n); s != nil {
		return *s, true
	}
	return Suspension{}, false
}

// lastAnswered returns the request that was answered last, nil if none was.
func (st *State) lastAnswered() *Suspension {
	var last *Suspension
	for _, c := range st.calls {
		for _, s := range c.suspensions {
			if s.Answer != nil && (last == nil || s.Answer.At.After(last.Answer.At)) {
				last = s
			}
		}
	}
	return last
}

// Plans returns every revision of every plan of the run, oldest first.
func (st *State) Plans() []Plan {
	plans := make([]Plan, len(st.plans))
	for i, p := range st.plans {
		plans[i] = *p
	}
	return plans
}

// UsageByMode returns what each mode used, in the order of their first use.
func (st *State) UsageByMode() []ModeUsage { return append([]ModeUsage(nil), st.spent...) }

// Grants returns the rules granted for this run.
func (st *State) Grants() []string { return append([]string(nil), st.grants...) }

// Denied returns the calls that were denied, oldest first.
func (st *State) Denied() []DeniedCall { return append([]DeniedCall(nil), st.denied...) }

// Unanswered returns the questions that met nobody, oldest first.
func (st *State) Unanswered() []UnansweredCall {
	return append([]UnansweredCall(nil), st.unanswered...)
}

// GiveOut returns a record as readers get it: with the arguments of its call.
func (st *State) GiveOut(e Event) Event {
	switch e.Type {
	case ToolCallRequested, ToolResult, ToolCallSuspended, ToolCallApproval, ToolOutputDenied:
		var p CallPayload
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			return e
		}
		if c, ok := st.calls[p.ToolCallID]; ok && p.Args == nil {
			e.Payload = withArgs(e.Payload, c.Args)
		}
	}
	return e
}

// doubtful returns the calls that started and of which nothing was recorded
// since.
func (st *State) doubtful() []*call {
	var calls []*call
	if st.step == nil {
		return nil
	}
	for _, c := range st.step.calls {
		if c.inFlight && !c.settled() {
			calls = append(calls, c)
		}
	}
	return calls
}

// approvedPlan returns the plan approved in the open step, nil if none. The
// decision is the recorded answer of a person, not what the result says.
func (st *State) approvedPlan() *Plan { return st.decidedPlan(PlanApproved) }

// rejectedSilently reports whether a plan of the open step was rejected
// without a word about what to change.
func (st *State) rejectedSilently() bool {
	p := st.decidedPlan(PlanRejected)
	return p != nil && p.Feedback == ""
}

func (st *State) decidedPlan(decision string) *Plan {
	if st.step == nil {
		return nil
	}
	for _, c := range st.step.calls {
		s := c.newest(KindPlan)
		if s == nil {
			continue
		}
		if p := st.plan(c.ID, s.N); p != nil && p.Decision == decision {
			return p
		}
	}
	return nil
}

// revision is the number the next submission of a path gets.
func (st *State) revision(path string) int {
	n := 1
	for _, p := range st.plans {
		if p.Path == path {
			n = p.Revision + 1
		}
	}
	return n
}

func (st *State) plan(toolCallID string, n int) *Plan {
	for _, p := range st.plans {
		if p.ToolCallID == toolCallID && p.N == n {
			return p
		}
	}
	return nil
}

func (st *State) touch(s *Suspension) { st.touchedSuspensions = append(st.touchedSuspensions, s) }

func (st *State) touchPlan(p *Plan) { st.touchedPlans = append(st.touchedPlans, p) }

// touched returns, once each, the suspensions and plans altered since the last
// call.
func (st *State) touched() (suspensions []Suspension, plans []Plan) {
	suspensions, plans = onceEach(st.touchedSuspensions), onceEach(st.touchedPlans)
	st.touchedSuspensions, st.touchedPlans = nil, nil
	return suspensions, plans
}

func onceEach[T any](pointers []*T) []T {
	var values []T
	seen := map[*T]bool{}
	for _, p := range pointers {
		if !seen[p] {
			seen[p] = true
			values = append(values, *p)
		}
	}
	return values
}
