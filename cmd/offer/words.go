package offer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

// dollars is a price with as many digits as it needs, two at least.
func dollars(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	_, cents, _ := strings.Cut(s, ".")
	if len(cents) < 2 {
		s = strconv.FormatFloat(v, 'f', 2, 64)
	}
	return "$" + s
}

// windowWords is a number of tokens as people say it.
func windowWords(tokens *int64) string {
	switch {
	case tokens == nil:
		return "unknown"
	case *tokens >= 1e6:
		digits := strconv.FormatFloat(float64(*tokens)/1e6, 'f', 2, 64)
		return strings.TrimRight(strings.TrimRight(digits, "0"), ".") + "M"
	case *tokens >= 1e4:
		return fmt.Sprintf("%dk", *tokens/1000)
	}
	return strconv.FormatInt(*tokens, 10)
}

// Facts say on one line what a model holds and costs.
func Facts(f agent.ModelFacts) string {
	var words []string
	if f.ContextWindow > 0 {
		words = append(words, windowWords(&f.ContextWindow)+" tokens")
	}
	if f.Prices != nil {
		words = append(words, dollars(f.Prices.Input)+" in, "+dollars(f.Prices.Output)+" out")
	}
	return strings.Join(words, ", ")
}
