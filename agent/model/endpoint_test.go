package model

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// greeter is a server of chat completions that tells what it was asked.
func greeter(t *testing.T) (url string, asked chan *http.Request) {
	t.Helper()
	asked = make(chan *http.Request, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	return srv.URL, asked
}

func reply(t *testing.T, m agent.Model) string {
	t.Helper()
	text := ""
	for c, err := range m.Stream(t.Context(), agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "hi"}}}) {
		if err != nil {
			t.Fatal(err)
		}
		text += c.Text
	}
	return text
}

func TestOpen_Compatible(t *testing.T) {
	t.Parallel()
	url, asked := greeter(t)
	env := func(name string) string {
		return map[string]string{"OLLAMA_HOST": url, "MY_KEY": "sk-mine", "OPENAI_API_KEY": "sk-other"}[name]
	}
	mine := Endpoint{Name: "mine", BaseURL: url + "/v1", API: "chat", APIKeyEnv: "MY_KEY", Headers: map[string]string{"X-Team": "blue"}}
	changed := Endpoint{Name: "openai", BaseURL: url + "/v1", API: "chat"}
	tests := []struct{ id, authorization, team string }{
		{"ollama/qwen3:8b", "", ""},
		{"mine/org/model", "Bearer sk-mine", "blue"},
		{"openai/gpt", "Bearer sk-other", ""}, // its key stays as it is built in
	}
	for _, tc := range tests {
		m, err := Open(tc.id, Options{Getenv: env, Providers: []Endpoint{mine, changed}})
		if err != nil {
			t.Fatal(err)
		}
		if m.ID() != tc.id {
			t.Errorf("ID %q, want %q", m.ID(), tc.id)
		}
		if got := reply(t, m); got != "Hello" {
			t.Errorf("%s said %q", tc.id, got)
		}
		r := <-asked
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != tc.authorization || r.Header.Get("X-Team") != tc.team {
			t.Errorf("%s: %s with %q, %q", tc.id, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("X-Team"))
		}
	}
}

func TestOpen_CompatibleRefused(t *testing.T) {
	t.Parallel()
	opts := Options{Getenv: environment, Providers: []Endpoint{{Name: "mine", BaseURL: "ftp://x"}, {Name: "odd", BaseURL: "http://x", API: "soap"}}}
	for id, want := range map[string]string{"openai/": "no model is named", "mine/m": "base URL", "odd/m": `"soap"`, "minee/m": "unknown model"} {
		if m, err := Open(id, opts); m != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q) = %v, %v; want an error with %q", id, m, err, want)
		}
	}
}
