package model

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// lister is a server that lists models and counts who asked with which key.
func lister(t *testing.T, status int, body string) (url string, keys chan string) {
	t.Helper()
	keys = make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		keys <- r.Header.Get("Authorization") + r.Header.Get("X-Team")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, keys
}

func TestServed(t *testing.T) {
	t.Parallel()
	url, keys := lister(t, http.StatusOK, `{"object":"list","data":[{"id":"qwen3:8b","object":"model"},{"id":""},{"id":"org/large"}]}`)
	opts := Options{
		Getenv: func(name string) string { return map[string]string{"OLLAMA_HOST": url, "MY_KEY": "sk-mine"}[name] },
		Providers: []Endpoint{{
			Name: "mine", BaseURL: url + "/v1/", APIKeyEnv: "MY_KEY", Headers: map[string]string{"X-Team": "blue"},
			Models: []Entry{{Name: "org/large", ModelFacts: agent.ModelFacts{ContextWindow: 9}}},
		}},
	}
	for _, tt := range []struct{ name, key, first string }{{"ollama", "", "ollama/qwen3:8b"}, {"mine", "Bearer sk-mineblue", "mine/qwen3:8b"}} {
		s, _ := opts.serviceOf(tt.name + "/x")
		list, err := Served(t.Context(), s, opts)
		if err != nil || len(list) != 2 || list[0].ID != tt.first {
			t.Errorf("%s serves %+v, %v", tt.name, list, err)
			continue
		}
		if key := <-keys; key != tt.key {
			t.Errorf("%s was asked with %q, want %q", tt.name, key, tt.key)
		}
		if tt.name == "mine" && list[1].ContextWindow != 9 {
			t.Errorf("what is configured of a model is left out: %+v", list[1])
		}
	}
}

// Errors say what to look at, and nothing secret.
func TestServed_Faults(t *testing.T) {
	t.Parallel()
	moved, _ := lister(t, http.StatusFound, "")
	broken, _ := lister(t, http.StatusOK, "<html>")
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	late, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	for _, tt := range []struct {
		name, url, words string
		ctx              context.Context
	}{
		{"elsewhere", moved, "status 302", t.Context()},
		{"no list", broken, "is no list of models", t.Context()},
		{"closed", closed.URL, "nothing answers at 127.0.0.1", t.Context()},
		{"late", moved, "in time", late},
	} {
		opts := Options{
			Getenv:    func(string) string { return "sk-planted" },
			Providers: []Endpoint{{Name: "mine", BaseURL: strings.Replace(tt.url, "http://", "http://user:hidden@", 1) + "/v1", APIKeyEnv: "K"}},
		}
		s, _ := opts.serviceOf("mine/x")
		_, err := Served(tt.ctx, s, opts)
		if err == nil || !strings.Contains(err.Error(), tt.words) || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "sk-planted") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := Served(t.Context(), Service{Name: "a", API: "anthropic", BaseURL: "http://h"}, Options{}); err == nil {
		t.Error("Anthropic was asked in a format it does not speak")
	}
}

func TestServices(t *testing.T) {
	t.Parallel()
	env := map[string]string{"ANTHROPIC_AUTH_TOKEN": "t", "GOOGLE_API_KEY": "g", "MINE": "m"}
	opts := Options{
		Getenv: func(name string) string { return env[name] },
		Providers: []Endpoint{
			{Name: "mine", BaseURL: "http://h/v1", APIKeyEnv: "MINE"}, {Name: "keyless", BaseURL: "http://h/v1"},
			{Name: "unset", BaseURL: "http://h/v1", APIKeyEnv: "UNSET"}, {Name: "claude", BaseURL: "http://h", API: "anthropic"},
			{Name: "openai", BaseURL: "http://proxy/v1"},
		},
	}
	got := map[string]string{}
	var names []string
	for _, s := range Services(opts) {
		names = append(names, s.Name)
		got[s.Name] = fmt.Sprintf("%s %s %s set=%v missing=%v own=%v", s.API, s.BaseURL, s.KeyEnv, s.KeySet, s.KeyMissing, s.Own)
	}
	for name, want := range map[string]string{
		"mine":       "chat http://h/v1 MINE set=true missing=false own=true",
		"keyless":    "chat http://h/v1  set=false missing=false own=true",
		"unset":      "chat http://h/v1 UNSET set=false missing=true own=true",
		"claude":     "anthropic http://h  set=false missing=false own=true",
		"anthropic":  "anthropic  ANTHROPIC_AUTH_TOKEN set=true missing=false own=false",
		"openai":     "responses http://proxy/v1 OPENAI_API_KEY set=false missing=false own=false",
		"openrouter": "chat https://openrouter.ai/api/v1 OPENROUTER_API_KEY set=false missing=true own=false",
	} {
		if got[name] != want {
			t.Errorf("%s: %s\nwant %s", name, got[name], want)
		}
	}
	if want := "mine keyless unset claude anthropic openai gemini openrouter ollama"; strings.Join(names, " ") != want {
		t.Errorf("services %v, want %s", names, want)
	}
	if _, err := Open("unset/m", opts); err == nil || !strings.Contains(err.Error(), "UNSET is not set") || !strings.Contains(err.Error(), "agent run --model anthropic/claude-") {
		t.Errorf("Open without a key: %v", err)
	}
	if _, err := Open("claude-sonnet-5", opts); err == nil || !strings.Contains(err.Error(), "did you mean anthropic/claude-sonnet-5?") {
		t.Errorf("Open without a provider: %v", err)
	}
}
