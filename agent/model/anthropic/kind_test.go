package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]kind{
		"claude-opus-5-5":                             {"opus", 505},
		"claude-sonnet-5":                             {"sonnet", 500},
		"claude-sonnet-4-20250514":                    {"sonnet", 400},
		"claude-opus-4-5-20251101":                    {"opus", 405},
		"claude-3-5-sonnet-20241022":                  {"sonnet", 305},
		"claude-3-haiku-20240307":                     {"haiku", 300},
		"claude-sonnet-4.6":                           {"sonnet", 406},
		"us.anthropic.claude-haiku-4-5-20251001-v1:0": {"haiku", 405},
		"claude-opus-4-1@20250805":                    {"opus", 401},
		"claude-mythos-preview":                       {"mythos", 0},
		"claude-2.1":                                  {"", 201},
		"my-own-model":                                {"", 0},
		"":                                            {"", 0},
	} {
		if got := kindOf(name); got != want {
			t.Errorf("kindOf(%q) = %+v, want %+v", name, got, want)
		}
	}
}

func TestKind_Think(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, level, want string }{
		{"claude-opus-5-5", "", `{}`},
		{"claude-opus-5-5", "off", `{"effort":"low"}`},
		{"claude-fable-5", "off", `{"effort":"low"}`},
		{"claude-sonnet-5-5", "off", `{"thinking":{"type":"between_tools"}}`},
		{"claude-opus-5", "off", `{"thinking":{"type":"disabled"}}`},
		{"claude-haiku-5-5", "off", `{"thinking":{"type":"disabled"}}`},
		{"claude-opus-4-8", "off", `{}`},
		{"claude-3-haiku-20240307", "off", `{}`},
		{"my-own-model", "off", `{}`},
		{"claude-haiku-4-5", "low", `{"thinking":{"budget_tokens":4096,"type":"enabled"}}`},
		{"claude-haiku-4-5", "medium", `{"thinking":{"budget_tokens":10240,"type":"enabled"}}`},
		{"claude-3-7-sonnet-latest", "high", `{"thinking":{"budget_tokens":24576,"type":"enabled"}}`},
		{"claude-opus-4-6", "medium", `{"thinking":{"display":"summarized","type":"adaptive"},"effort":"medium"}`},
		{"claude-sonnet-5-5", "high", `{"thinking":{"display":"summarized","type":"adaptive"},"effort":"high"}`},
		{"my-own-model", "low", `{"thinking":{"display":"summarized","type":"adaptive"},"effort":"low"}`},
	} {
		k := kindOf(tc.name)
		p := sdk.MessageNewParams{MaxTokens: k.maxTokens()}
		k.think(tc.level, &p)
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Thinking json.RawMessage `json:"thinking,omitempty"`
			Output   *struct {
				Effort json.RawMessage `json:"effort,omitempty"`
			} `json:"output_config,omitempty"`
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		var want struct{ Thinking, Effort json.RawMessage }
		if err := json.Unmarshal([]byte(tc.want), &want); err != nil {
			t.Fatal(err)
		}
		effort := ""
		if got.Output != nil {
			effort = string(got.Output.Effort)
		}
		if string(got.Thinking) != string(want.Thinking) || effort != string(want.Effort) {
			t.Errorf("%s, %q: %s, want %s", tc.name, tc.level, data, tc.want)
		}
	}
	if got := budget("high", 4000); got != 2000 {
		t.Errorf("budget of a short reply is %d, want less than it", got)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for _, tc := range []struct {
		name, model string
		opts        Options
		want        access
		err         string
	}{
		{"key", "x", Options{Getenv: env(KeyEnv, " k \n")}, access{key: "k", keyName: KeyEnv, baseName: BaseURLEnv}, ""},
		{"token", "x", Options{Getenv: env(TokenEnv, "t")}, access{token: "t", keyName: TokenEnv, baseName: BaseURLEnv}, ""},
		{"key before token", "x", Options{Getenv: env(KeyEnv, "k", TokenEnv, "t")}, access{key: "k", keyName: KeyEnv, baseName: BaseURLEnv}, ""},
		{"given before found", "x", Options{APIKey: "a", AuthToken: "b", Getenv: env(KeyEnv, "k")}, access{key: "a", keyName: KeyEnv, baseName: BaseURLEnv}, ""},
		{"address", "x", Options{Getenv: env(KeyEnv, "k", BaseURLEnv, "http://h:1/p/v1/")}, access{key: "k", keyName: KeyEnv, base: "http://h:1/p", baseName: BaseURLEnv}, ""},
		{"another provider", "x", Options{Provider: "acme", KeyEnv: "ACME", BaseURL: "https://acme", Getenv: env("ACME", "k", BaseURLEnv, "http://other")}, access{key: "k", keyName: "ACME", base: "https://acme", baseName: "the base URL"}, ""},
		{"another provider takes no key of Anthropic", "x", Options{Provider: "acme", KeyEnv: "ACME", Getenv: env(KeyEnv, "k", TokenEnv, "t")}, access{}, "open acme/x: ACME is not set"},
		{"no key", "x", Options{}, access{}, "open anthropic/x: ANTHROPIC_API_KEY is not set"},
		{"a server that wants no key", "x", Options{Provider: "acme", Keyless: true, BaseURL: "http://h", Getenv: env(KeyEnv, "k", TokenEnv, "t")}, access{keyName: KeyEnv, base: "http://h", baseName: "the base URL"}, ""},
		{"no name", " ", Options{APIKey: "k"}, access{}, "no model is named"},
		{"no address", "x", Options{APIKey: "k", BaseURL: "file:///" + marker}, access{}, "the base URL is not an http"},
		{"no host", "x", Options{APIKey: "k", Getenv: env(BaseURLEnv, "https://")}, access{}, "ANTHROPIC_BASE_URL is not an http"},
		{"no level", "x", Options{APIKey: "k", Thinking: "much"}, access{}, `thinking "much"`},
		{"cannot think", "claude-3-haiku-20240307", Options{APIKey: "k", Thinking: "low"}, access{}, "cannot think"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m, err := Open(tc.model, tc.opts)
			switch {
			case tc.err != "":
				if err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), marker) {
					t.Errorf("error %v, want %q", err, tc.err)
				}
			case err != nil:
				t.Error(err)
			case m.(*Model).access != tc.want:
				t.Errorf("access %+v, want %+v", m.(*Model).access, tc.want)
			}
		})
	}
}

func TestModel_Stream_Token(t *testing.T) {
	t.Parallel()
	s := serve(t, plays(begins(), ends("end_turn")))
	m := s.open("x", func(o *Options) { o.APIKey, o.AuthToken, o.Provider = "", marker, "acme" })
	if h := listen(t, m, says("x")); h.err != nil || m.ID() != "acme/x" {
		t.Fatalf("%s: %v", m.ID(), h.err)
	}
	if shown := fmt.Sprintf("%v %+v %#v %s", m, m, m, agent.Model(m)); strings.Contains(shown, marker) {
		t.Errorf("the key is in %s", shown)
	}
	if h := s.heads[0]; h.Get("Authorization") != "Bearer "+marker || h.Get("X-Api-Key") != "" {
		t.Errorf("headers %v", h)
	}
}

// The SDK reads nothing of the environment that we do not give it.
func TestModel_Stream_Environment(t *testing.T) {
	s := serve(t, plays(begins(), ends("end_turn")))
	for name, value := range map[string]string{
		KeyEnv: "other", TokenEnv: "other", BaseURLEnv: "http://127.0.0.1:1", "ANTHROPIC_PROFILE": "none", "ANTHROPIC_CUSTOM_HEADERS": "X-Evil: 1",
	} {
		t.Setenv(name, value)
	}
	if h := listen(t, s.open("x"), says("x")); h.err != nil {
		t.Fatal(h.err)
	}
	if h := s.heads[0]; h.Get("X-Api-Key") != marker || h.Get("Authorization") != "" || h.Get("X-Evil") != "" {
		t.Errorf("headers %v", h)
	}
}

var _ agent.Model = (*Model)(nil)
