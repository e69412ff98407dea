package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	haiku := agent.Prices{Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25}
	own := agent.Prices{Input: 2, Output: 3, CacheRead: 2, CacheWrite: 2}
	opts := Options{Providers: []Endpoint{
		{Name: "local", Models: []Entry{{Name: "org/small", ModelFacts: agent.ModelFacts{ContextWindow: 8192}}, {Name: "large"}}},
		{Name: "anthropic", Models: []Entry{{Name: "claude-haiku-4-5", ModelFacts: agent.ModelFacts{Prices: &own}}}},
	}}
	for _, tt := range []struct {
		id   string
		opts Options
		want agent.ModelFacts
	}{
		{"anthropic/claude-haiku-4-5", Options{}, agent.ModelFacts{ContextWindow: 200000, MaxOutput: 64000, Prices: &haiku}},
		{"anthropic/claude-haiku-4-5", opts, agent.ModelFacts{ContextWindow: 200000, MaxOutput: 64000, Prices: &own}},
		{"local/org/small", opts, agent.ModelFacts{ContextWindow: 8192}},
		{"local/large", opts, agent.ModelFacts{}},
		{"local/claude-haiku-4-5", opts, agent.ModelFacts{}},
		{"anthropic/claude-99", Options{}, agent.ModelFacts{}},
		{"ollama/qwen3:8b", Options{}, agent.ModelFacts{}},
		{"demo", Options{}, agent.ModelFacts{}},
		{"script:anthropic/claude-haiku-4-5", Options{}, agent.ModelFacts{}},
		{"", Options{}, agent.ModelFacts{}},
	} {
		if diff := cmp.Diff(tt.want, Facts(tt.id, tt.opts)); diff != "" {
			t.Errorf("Facts(%s): %s", tt.id, diff)
		}
	}
}
