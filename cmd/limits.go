package cmd

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/internal/config"
)

// limitFlags bound a run over all its resumptions. They are recorded with it.
type limitFlags struct {
	MaxSteps  int
	MaxTokens int64
	MaxCost   usd
	Timeout   time.Duration
}

// usd is the value of a flag. An amount too small for a number is not 0,
// which would lift the limit.
type usd float64

func (d *usd) String() string { return strconv.FormatFloat(float64(*d), 'g', -1, 64) }

func (d *usd) Type() string { return "USD" }

func (d *usd) Set(s string) error {
	amount, err := strconv.ParseFloat(s, 64)
	digits, _, _ := strings.Cut(strings.ToLower(s), "e")
	lost := amount == 0 && strings.ContainsAny(digits, "123456789x")
	if err != nil || lost || !(amount >= 0 && amount < 1e9) { // NaN too
		return errors.New("give dollars above 0, such as 2.50, or 0 to lift the limit")
	}
	*d = usd(amount)
	return nil
}

func (l *limitFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.IntVar(&l.MaxSteps, "max-steps", 0, "most steps of the run, over all resumptions (default 100)")
	f.Int64Var(&l.MaxTokens, "max-tokens", 0, "most tokens of the run, in and out, over all resumptions; 0 lifts the limit (default none)")
	f.Var(&l.MaxCost, "max-cost", "most the run may cost in US dollars, over all resumptions; 0 lifts the limit (default none)")
	f.DurationVar(&l.Timeout, "timeout", 0, "most driven time of the run, such as 10m; waiting does not count (default none)")
}

// limits returns what the flags set, nil if nothing.
func (l *limitFlags) limits(c *cobra.Command) (*agent.Limits, error) {
	given := c.Flags().Changed
	steps, tokens, cost, timeout := given("max-steps"), given("max-tokens"), given("max-cost"), given("timeout")
	switch {
	case steps && l.MaxSteps <= 0:
		return nil, exit.Usagef("--max-steps %d: give a number above 0", l.MaxSteps)
	case l.MaxTokens < 0:
		return nil, exit.Usagef("--max-tokens %d: give a number above 0, or 0 to lift the limit", l.MaxTokens)
	case timeout && l.Timeout <= 0:
		return nil, exit.Usagef("--timeout %s: give a duration above 0, such as 10m", l.Timeout)
	case !steps && !tokens && !cost && !timeout:
		return nil, nil
	}
	set := agent.Limits{MaxSteps: l.MaxSteps, MaxTokens: l.MaxTokens, MaxCost: float64(l.MaxCost), Timeout: agent.Duration(l.Timeout)}
	if tokens && set.MaxTokens == 0 {
		set.MaxTokens = -1
	}
	if cost && set.MaxCost == 0 {
		set.MaxCost = -1
	}
	return &set, nil
}

// limitsOf bounds runs that set no limits of their own.
func limitsOf(cfg *config.Config) agent.Limits {
	l := cfg.Limits
	return agent.Limits{
		MaxSteps: l.MaxSteps.Value, MaxTokens: int64(l.MaxTokens.Value), MaxCost: l.MaxCost.Value,
		Timeout: agent.Duration(l.Timeout.Value),
	}
}
