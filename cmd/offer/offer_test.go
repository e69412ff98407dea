package offer

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/agent/model"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]agent.ModelFacts{
		"":                                   {},
		"8192 tokens":                        {ContextWindow: 8192},
		"131k tokens":                        {ContextWindow: 131072},
		"1.05M tokens, $3.00 in, $0.125 out": {ContextWindow: 1_048_576, Prices: &agent.Prices{Input: 3, Output: 0.125}},
		"$1.50 in, $0.00 out":                {Prices: &agent.Prices{Input: 1.5}},
	} {
		if got := Facts(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// saying is a model that streams one chunk.
type saying struct {
	chunk agent.Chunk
	err   error
}

func (s saying) ID() string { return "saying" }

func (s saying) Stream(context.Context, agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) { yield(s.chunk, s.err) }
}

func TestTry(t *testing.T) {
	t.Parallel()
	call := func(name, args string) saying {
		return saying{chunk: agent.Chunk{Reply: &agent.Reply{ToolCalls: []agent.ToolCall{{ID: "c", Name: name, Args: json.RawMessage(args)}}}}}
	}
	for _, tt := range []struct {
		name  string
		model saying
		want  string // of the error, "" for none
	}{
		{"calls", call(TrialTool, `{"word":"ready"}`), ""},
		{"another tool", call("other", `{}`), "called no tool"},
		{"no arguments", call(TrialTool, `{"word`), "called no tool"},
		{"words", saying{chunk: agent.Chunk{Reply: &agent.Reply{Text: "I cannot."}}}, "called no tool"},
		{"fault", saying{err: errors.New("no such model")}, "no such model"},
		{"nothing", saying{}, "without a reply"},
	} {
		err := Try(t.Context(), tt.model)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	known := model.Options{
		Getenv: func(name string) string { // nobody listens there
			return map[string]string{"OLLAMA_HOST": "127.0.0.1:1"}[name]
		},
		Providers: []model.Endpoint{{Name: "own", BaseURL: "http://h.invalid", APIKeyEnv: "OWN_KEY", Models: []model.Entry{{Name: "small"}, {Name: "large"}}}},
	}
	list, err := List(t.Context(), known, "own", "larg")
	if err != nil || len(list) != 1 || list[0].ID != "own/large" || list[0].keyWords() != "OWN_KEY is not set" {
		t.Errorf("got %+v, %v", list, err)
	}
	if _, err := List(t.Context(), known, "nobody", ""); exit.ErrorCode(err) != exit.CodeUsage || !strings.Contains(exit.Hint(err), "own") {
		t.Errorf("an unknown provider: %v, hint %q", err, exit.Hint(err))
	}
	f := Find(t.Context(), known)
	if len(f.Keys) != 0 || strings.Join(f.Words(), "\n") != "no keys of model providers are set" {
		t.Errorf("found %+v", f)
	}
}
