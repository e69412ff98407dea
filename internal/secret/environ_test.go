package secret

import (
	"slices"
	"testing"
)

func TestChildEnviron(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pair       string
		pass, drop []string
		want       bool
	}{
		{"HOME=/home/ann", nil, nil, true},
		{"EMPTY=", nil, nil, true},
		{"NOTHING", nil, nil, true},
		{`=C:=C:\work`, nil, nil, true}, // Windows keeps directories so
		{"OPENAI_API_KEY=x", nil, nil, false},
		{"openai_api_key=x", nil, nil, false},
		{"GitHub_Token=x", nil, nil, false},
		{"XSECRETX=x", nil, nil, false},
		{"PGPASSWORD=x", nil, nil, false},
		{"PLAIN=KEY", nil, nil, true},
		{"OPENAI_API_KEY=x", []string{"openai_api_key"}, nil, true},
		{"OPENAI_API_KEY=x", []string{"OPENAI_API_KEY"}, []string{"OPENAI_API_KEY"}, true},
		{"OPENAI_API_KEY=x", []string{"OPENAI"}, nil, false},
		{"MY_LLM=x", nil, []string{"my_llm"}, false},
		{"AGENT_DB=x", nil, nil, false},
		{"AGENT_DB=x", []string{"AGENT_DB"}, nil, false},
		{"agent_run_id=x", nil, nil, false},
		{"AGENTS=x", nil, nil, true},
		{"ACTIONS_RUNTIME_URL=x", nil, nil, false},
		{"ACTIONS_RUNTIME_URL=x", []string{"ACTIONS_RUNTIME_URL"}, nil, true},
		{"GITHUB_ENV=x", nil, nil, false},
		{"GITHUB_PATH=x", nil, nil, false},
		{"github_output=x", nil, nil, false},
		{"GITHUB_OUTPUT=x", []string{"GITHUB_OUTPUT"}, nil, true},
		{"GITHUB_SHA=x", nil, nil, true},
	} {
		environ := []string{"A=1", c.pair, "Z=2"}
		want := slices.Clone(environ)
		if !c.want {
			want = []string{"A=1", "Z=2"}
		}
		if got := ChildEnviron(environ, c.pass, c.drop); !slices.Equal(got, want) {
			t.Errorf("%q, pass %q, drop %q: %q", c.pair, c.pass, c.drop, got)
		}
	}
}
