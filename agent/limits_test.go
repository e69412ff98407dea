package agent

import (
	"strings"
	"testing"
)

func TestLimits_reached(t *testing.T) {
	t.Parallel()
	cost := func(c float64) *float64 { return &c }
	priced := &Prices{Input: 3, Output: 15}
	tests := map[string]struct {
		limits Limits
		usage  Usage
		prices *Prices
		want   string // finish reason; "" for going on
		says   string
	}{
		"nothing set, nothing used":             {},
		"99 of the default 100 steps":           {usage: Usage{Steps: 99}},
		"the default of 100 steps":              {usage: Usage{Steps: 100}, want: FinishMaxSteps, says: "100 steps"},
		"a lifted limit is the default again":   {limits: Limits{MaxSteps: -1}, usage: Usage{Steps: 100}, want: FinishMaxSteps},
		"tokens below":                          {limits: Limits{MaxTokens: 10}, usage: Usage{InputTokens: 4, OutputTokens: 5}},
		"tokens reached, cached ones count":     {limits: Limits{MaxTokens: 10}, usage: Usage{CacheReadTokens: 4, CacheWriteTokens: 1, OutputTokens: 5}, want: FinishMaxTokens, says: "used 10"},
		"reasoning is part of the output":       {limits: Limits{MaxTokens: 10}, usage: Usage{OutputTokens: 9, ReasoningTokens: 8}},
		"cost below":                            {limits: Limits{MaxCost: 1}, usage: Usage{Steps: 1, InputTokens: 1, Cost: cost(0.99)}, prices: priced},
		"cost reached":                          {limits: Limits{MaxCost: 1}, usage: Usage{Steps: 1, InputTokens: 1, Cost: cost(1)}, prices: priced, want: FinishMaxCost, says: "it cost $1.0000"},
		"cost limit, first step, prices known":  {limits: Limits{MaxCost: 1}, prices: priced},
		"cost limit, prices unknown":            {limits: Limits{MaxCost: 1}, want: FinishMaxCost, says: "prices of m are not known"},
		"cost limit, past cost unknown":         {limits: Limits{MaxCost: 1}, usage: Usage{Steps: 1, InputTokens: 1}, prices: priced, want: FinishMaxCost, says: "so far is not known"},
		"cost unknown and no limit":             {usage: Usage{Steps: 1, InputTokens: 1}},
		"a negative cost is no limit":           {limits: Limits{MaxCost: -1}, usage: Usage{Steps: 1, InputTokens: 1}},
		"steps are named before tokens":         {limits: Limits{MaxSteps: 1, MaxTokens: 1}, usage: Usage{Steps: 1, InputTokens: 9}, want: FinishMaxSteps},
		"a run over its token limit by an inch": {limits: Limits{MaxTokens: 10}, usage: Usage{InputTokens: 11}, want: FinishMaxTokens},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, reached := tt.limits.reached(tt.usage, "m", tt.prices)
			if p.FinishReason != tt.want || reached != (tt.want != "") {
				t.Errorf("reached = %q, %v, want %q", p.FinishReason, reached, tt.want)
			}
			if !strings.Contains(p.Message, tt.says) {
				t.Errorf("message %q does not say %q", p.Message, tt.says)
			}
		})
	}
}

func TestPrices_of(t *testing.T) {
	t.Parallel()
	p := Prices{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
	u := Usage{InputTokens: 1000, OutputTokens: 200, CacheReadTokens: 10_000, CacheWriteTokens: 4000, ReasoningTokens: 100}
	if got, want := p.of(u), 0.003+0.003+0.003+0.015; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("cost = %v, want %v", got, want)
	}
}
