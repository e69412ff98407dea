package agent

import (
	"fmt"
	"strconv"
)

// Limits bound a run over all its resumptions. Zero means the default: 100
// steps, and no limit of the others. As an override a negative value lifts a
// limit.
type Limits struct {
	MaxSteps  int      `json:"maxSteps,omitempty"`
	MaxTokens int64    `json:"maxTokens,omitempty"` // in and out, cached ones too
	MaxCost   float64  `json:"maxCost,omitempty"`   // US dollars
	Timeout   Duration `json:"timeout,omitempty"`   // of driven time
}

// DefaultMaxSteps is the limit of steps where none is set.
const DefaultMaxSteps = 100

func (l Limits) maxSteps() int {
	if l.MaxSteps > 0 {
		return l.MaxSteps
	}
	return DefaultMaxSteps
}

// override returns l with the fields o sets.
func (l Limits) override(o *Limits) Limits {
	if o == nil {
		return l
	}
	if o.MaxSteps != 0 {
		l.MaxSteps = o.MaxSteps
	}
	if o.MaxTokens != 0 {
		l.MaxTokens = o.MaxTokens
	}
	if o.MaxCost != 0 {
		l.MaxCost = o.MaxCost
	}
	if o.Timeout != 0 {
		l.Timeout = o.Timeout
	}
	return l
}

// reached returns the pause a run's limits demand before a model is asked that
// costs prices. Time is watched elsewhere: it runs out in the middle of things.
func (l Limits) reached(u Usage, model string, prices *Prices) (PausePayload, bool) {
	pause := func(finish, format string, args ...any) (PausePayload, bool) {
		return PausePayload{Reason: PauseLimit, FinishReason: finish, Message: fmt.Sprintf(format, args...)}, true
	}
	switch {
	case u.Steps >= int64(l.maxSteps()):
		return pause(FinishMaxSteps, "the run's limit of %d steps was reached", l.maxSteps())
	case l.MaxTokens > 0 && u.Tokens() >= l.MaxTokens:
		return pause(FinishMaxTokens, "the run's limit of %d tokens was reached: it used %d", l.MaxTokens, u.Tokens())
	case l.MaxCost <= 0:
		return PausePayload{}, false
	case u.Cost == nil && u.Tokens() > 0:
		return pause(FinishMaxCost, "the run's limit of %s cannot be kept: what it has cost so far is not known", dollars(l.MaxCost))
	case u.Cost != nil && *u.Cost >= l.MaxCost:
		return pause(FinishMaxCost, "the run's limit of %s was reached: it cost $%.4f", dollars(l.MaxCost), *u.Cost)
	case prices == nil:
		return pause(FinishMaxCost, "the run's limit of %s cannot be kept: the prices of %s are not known", dollars(l.MaxCost), model)
	}
	return PausePayload{}, false
}

// dollars is an amount in cents or, where these would round it, in full.
func dollars(amount float64) string {
	cents := strconv.FormatFloat(amount, 'f', 2, 64)
	if rounded, err := strconv.ParseFloat(cents, 64); err == nil && rounded == amount {
		return "$" + cents
	}
	return "$" + strconv.FormatFloat(amount, 'g', -1, 64)
}
