package openai

import (
	"strings"
	"testing"
)

func TestOllamaURL(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"":                       "http://127.0.0.1:11434/v1",
		"127.0.0.1":              "http://127.0.0.1:11434/v1",
		"0.0.0.0":                "http://127.0.0.1:11434/v1",
		"0.0.0.0:8080":           "http://127.0.0.1:8080/v1",
		":8080":                  "http://127.0.0.1:8080/v1",
		" box:8080 ":             "http://box:8080/v1",
		"[::1]":                  "http://[::1]:11434/v1",
		"[::1]:8080":             "http://[::1]:8080/v1",
		"http://box":             "http://box:80/v1",
		"http://box:11434/":      "http://box:11434/v1",
		"http://box:11434/v1":    "http://box:11434/v1",
		"https://box.test":       "https://box.test:443/v1",
		"https://box.test/api":   "https://box.test:443/api/v1",
		"https://box.test/a/v1/": "https://box.test:443/a/v1",
	} {
		if got := ollamaURL(host); got != want {
			t.Errorf("ollamaURL(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestVendors(t *testing.T) {
	t.Parallel()
	env := func(vars ...string) func(string) string {
		return func(name string) string {
			for _, v := range vars {
				if key, value, _ := strings.Cut(v, "="); key == name {
					return value
				}
			}
			return ""
		}
	}
	tests := []struct {
		name               string
		p                  Provider
		base, key, keyFrom string
	}{
		{"openai", OpenAI(env("OPENAI_API_KEY=k")), "https://api.openai.com/v1", "k", "OPENAI_API_KEY"},
		{"openai elsewhere", OpenAI(env("OPENAI_BASE_URL=http://127.0.0.1:8000/v1/")), "http://127.0.0.1:8000/v1/", "", "OPENAI_API_KEY"},
		{"ollama", Ollama(env("OLLAMA_HOST=box:1", "OPENAI_API_KEY=k")), "http://box:1/v1", "", ""},
		{"openrouter", OpenRouter(env("OPENROUTER_API_KEY=k")), "https://openrouter.ai/api/v1", "k", "OPENROUTER_API_KEY"},
		{"gemini", Gemini(env("GEMINI_API_KEY=k", "GOOGLE_API_KEY=l")), "https://generativelanguage.googleapis.com/v1beta/openai", "k", "GEMINI_API_KEY"},
		{"gemini by Google's variable", Gemini(env("GOOGLE_API_KEY=l")), "https://generativelanguage.googleapis.com/v1beta/openai", "l", "GOOGLE_API_KEY"},
	}
	for _, tc := range tests {
		if tc.p.BaseURL != tc.base || tc.p.APIKey != tc.key || tc.p.KeyEnv != tc.keyFrom {
			t.Errorf("%s: %s, key %q of %q", tc.name, tc.p, tc.p.APIKey, tc.p.KeyEnv)
		}
		m := open(t, tc.p, "vendor/m", Options{})
		if want := tc.p.Name + "/vendor/m"; m.ID() != want {
			t.Errorf("ID %q, want %q", m.ID(), want)
		}
	}
}

func TestModel_Effort(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	tests := []struct {
		p                     Provider
		model, thinking, want string
	}{
		{OpenAI(none), "gpt-5.1", "", ""},
		{OpenAI(none), "gpt-5.1", "high", "high"},
		{OpenAI(none), "gpt-5.1", "off", "none"},
		{OpenAI(none), "gpt-5", "off", "minimal"},
		{OpenAI(none), "gpt-5-mini", "off", "minimal"},
		{OpenAI(none), "gpt-5.1-codex", "off", "low"},
		{OpenAI(none), "o4-mini", "off", "low"},
		{OpenAI(none), "gpt-4.1", "high", ""},
		{OpenAI(none), "gpt-5-chat-latest", "high", ""},
		{Gemini(none), "gemini-2.5-flash", "off", "none"},
		{Gemini(none), "gemini-3-pro", "off", "low"},
		{Gemini(none), "gemini-3-pro", "medium", "medium"},
		{OpenRouter(none), "x/y", "off", "none"},
		{Ollama(none), "qwen3", "low", "low"},
	}
	for _, tc := range tests {
		if got := open(t, tc.p, tc.model, Options{Thinking: tc.thinking}).effort(); got != tc.want {
			t.Errorf("%s/%s, thinking %q: effort %q, want %q", tc.p.Name, tc.model, tc.thinking, got, tc.want)
		}
	}
}

func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	const url = "http://127.0.0.1/v1"
	tests := []struct {
		name string
		p    Provider
		m    string
		opts Options
		want string
	}{
		{"no model", Provider{Name: "p", BaseURL: url}, "", Options{}, "p/NAME"},
		{"no address", Provider{Name: "p"}, "m", Options{}, "address"},
		{"a file", Provider{Name: "p", BaseURL: "file:///etc"}, "m", Options{}, "address"},
		{"no URL", Provider{Name: "p", BaseURL: "http://[x"}, "m", Options{}, "address"},
		{"another API", Provider{Name: "p", BaseURL: url, API: "soap"}, "m", Options{}, `"soap"`},
		{"another effort", Provider{Name: "p", BaseURL: url}, "m", Options{Thinking: "hard"}, `"hard"`},
	}
	for _, tc := range tests {
		if m, err := New(tc.p, tc.m, tc.opts); m != nil || err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, %v; want an error with %q", tc.name, m, err, tc.want)
		}
	}
}
