package model

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

const hostileKey = "sk-marker-5f1c8a77e2"

// hostile are servers that do not keep to any format, or mean harm. What they
// say is a fault of one line, whatever the format that was asked for.
func hostile(elsewhere string) map[string]http.HandlerFunc {
	says := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		}
	}
	return map[string]http.HandlerFunc{
		"a web page":             says("text/html", "<html><title>Log in</title>"+strings.Repeat("<p>x", 1000)),
		"a web page as a stream": says("text/event-stream", "\r\n <html><title>Log in</title></html>\n\n"),
		"a web page as text":     says("text/plain", "<!DOCTYPE html>\n<title>Log in</title>\n\n"),
		"a web page of no type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "\n<!doctype html><title>Log in</title>\n\n")
		},
		"a web page that breaks off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<html>")
		},
		"a web page that does not end": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"nothing":                 says("text/event-stream", ""),
		"truncated JSON":          says("application/json", `{"choices":[{"message":{"content":"He`),
		"JSON of another API":     says("application/json", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`),
		"events of another API":   says("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"result\":[]}\n\n"),
		"events that are no JSON": says("text/event-stream", "data: {\"choices\":[{\n\n"),
		"the key in an error": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"type":"invalid_request_error","message":"bad key %s %s,\n\u001b[2Jteam %s"}}`, r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), r.Header.Get("X-Team"))
		},
		"an endless error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			flood(w, strings.Repeat("x", 64<<10))
		},
		"a redirection to itself": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		},
		"a redirection elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusPermanentRedirect)
		},
		"a status that is no success": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"an endless line": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: ")
			flood(w, strings.Repeat("x", 256<<10))
		},
		"endless events": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			flood(w, ": keep alive "+strings.Repeat("x", 256<<10)+"\n\n")
		},
		"a gzip bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			flood(z, ":"+strings.Repeat("\x00", 1<<20)+"\n")
		},
	}
}

// flood writes until the other side has had enough, or 10 GB.
func flood(w io.Writer, piece string) {
	for range (10 << 30) / len(piece) {
		if _, err := io.WriteString(w, piece); err != nil {
			return
		}
	}
}

// hostileModels open a model of each format at an address.
func hostileModels(t *testing.T, url string) map[string]agent.Model {
	t.Helper()
	models := map[string]agent.Model{}
	for _, api := range []string{"chat", "responses", "anthropic"} {
		e := Endpoint{Name: "mine", BaseURL: url, API: api, APIKeyEnv: "MY_KEY", Headers: map[string]string{"X-Team": "marker-of-a-header"}}
		m, err := Open("mine/claude-x", Options{Getenv: func(name string) string {
			if name == "MY_KEY" {
				return hostileKey
			}
			return ""
		}, Providers: []Endpoint{e}})
		if err != nil {
			t.Fatal(err)
		}
		models[api] = m
	}
	return models
}

// faultOf asks and returns the one error there has to be.
func faultOf(t *testing.T, m agent.Model) *agent.ProviderError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for c, err := range m.Stream(ctx, agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "hi"}}}) {
		var fault *agent.ProviderError
		switch {
		case err == nil && c.Reply == nil:
		case !errors.As(err, &fault):
			t.Errorf("gave %+v, %v, want a fault of the provider", c.Reply, err)
			return nil
		default:
			return fault
		}
	}
	t.Error("gave nothing")
	return nil
}

func checkFault(t *testing.T, f *agent.ProviderError) {
	t.Helper()
	if f == nil {
		return
	}
	text := fmt.Sprintf("%s %s %v %+v", f.Message, f.Hint, f.Unwrap(), f)
	if f.Message == "" || len(f.Message) > 1000 || strings.ContainsAny(f.Message+f.Hint, "\n\r\x1b") {
		t.Errorf("message %q, hint %q", f.Message, f.Hint)
	}
	for _, secret := range []string{hostileKey, "marker-of-a-header"} {
		if strings.Contains(text, secret) {
			t.Errorf("it holds a secret: %s", text)
		}
	}
}

// What servers say out of turn, net/http writes to the standard log as it is.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

func TestModels_hostileServers(t *testing.T) {
	t.Parallel()
	var followed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	t.Cleanup(elsewhere.Close)
	for name, handler := range hostile(elsewhere.URL) {
		srv := httptest.NewServer(handler)
		t.Cleanup(srv.Close)
		for api, m := range hostileModels(t, srv.URL) {
			t.Run(name+", "+api, func(t *testing.T) {
				if testing.Short() && name == "a gzip bomb" {
					t.Skip("a reply of 128 MiB")
				}
				f := faultOf(t, m)
				checkFault(t, f)
				if f != nil && f.Retryable && strings.Contains("a redirection to itself, a redirection elsewhere, an endless line, endless events, a gzip bomb, an endless error, a web page", name) {
					t.Errorf("%s is retried: %s", name, f.Message)
				}
				if page := strings.HasPrefix(name, "a web page"); page && f != nil && (f.Retryable || !strings.Contains(f.Message, srv.URL) || !strings.Contains(f.Message, "content")) {
					t.Errorf("%s, retryable %v: %s", name, f.Retryable, f.Message)
				}
			})
		}
	}
	if n := followed.Load(); n > 0 {
		t.Errorf("%d redirections were followed", n)
	}
}

// A server that speaks no HTTP, or whose headers do not end.
func TestModels_hostileHeaders(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"no HTTP": "SSH-2.0-OpenSSH_9\r\n", "endless headers": "HTTP/1.1 200 OK\r\n", "an endless status": "HTTP/1.1 200 "} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close() //nolint:errcheck // nobody is there to hear of it
					_, _ = io.WriteString(c, first)
					if first[:3] == "SSH" {
						return
					}
					flood(c, "X-Filler: "+strings.Repeat("x", 32<<10)+"\r\n")
				}()
			}
		}()
		for api, m := range hostileModels(t, "http://"+l.Addr().String()) {
			t.Run(name+", "+api, func(t *testing.T) { checkFault(t, faultOf(t, m)) })
		}
	}
}

// A list of models of wrong types is none, or has what there is of it.
func TestServed_hostileServers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`<html>`: "is no list of models", `{"data":{"id":"x"}}`: "is no list of models", `{"data":[{"id":7},{"id":"ok"}]}`: "is no list of models",
		`[]`: "is no list of models", `{"data":`: "is no list of models", `{}`: "", `{"data":[{"id":"a\u001b[2Jb"},{"id":"good"},{"id":"` + strings.Repeat("y", 3000) + `"},{"id":" "}]}`: "",
		`{"data":[{"id":"` + strings.Repeat("x", 5<<20) + `"}]}`: "is no list of models",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
		t.Cleanup(srv.Close)
		e := Endpoint{Name: "mine", BaseURL: srv.URL, API: "chat"}
		list, err := Served(t.Context(), Service{Name: "mine", BaseURL: srv.URL, API: "chat"}, Options{Providers: []Endpoint{e}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%.60s: %v, want %q", body, err, want)
		}
		for _, l := range list {
			if l.ID != "mine/good" {
				t.Errorf("%.60s: lists %q", body, l.ID)
			}
		}
	}
}

// A configuration that contradicts itself is an error, and no reason to ask
// somebody else's server.
func TestOpen_contradictoryProviders(t *testing.T) {
	t.Parallel()
	getenv := func(string) string { return hostileKey }
	for _, e := range []Endpoint{
		{Name: "ollama", API: "anthropic"}, {Name: "openai", API: "anthropic"}, {Name: "gemini", API: "anthropic", APIKeyEnv: "K"},
		{Name: "anthropic", API: "chat"}, {Name: "anthropic", API: "responses"},
	} {
		_, err := Open(e.Name+"/m", Options{Getenv: getenv, Providers: []Endpoint{e}})
		if err == nil || !strings.Contains(err.Error(), "set baseUrl of [providers."+e.Name+"]") {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

// Counts of tokens that are no counts are unknown; what the model said stands.
func TestModels_oddUsage(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{`"NaN"`, `-5`, `1e400`, `9223372036854775807`, `{}`, `null`, `1.5`} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			events := []string{`{"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":COUNT,"completion_tokens":COUNT,"cost":COUNT,"prompt_tokens_details":{"cached_tokens":COUNT}}}`, `[DONE]`}
			switch {
			case strings.HasSuffix(r.URL.Path, "/responses"):
				events = []string{`{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":COUNT,"output_tokens":COUNT,"input_tokens_details":{"cached_tokens":COUNT}}}}`}
			case strings.HasSuffix(r.URL.Path, "/messages"):
				events = []string{
					`{"type":"message_start","message":{"usage":{"input_tokens":COUNT,"cache_read_input_tokens":COUNT}}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
					`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":COUNT}}`, `{"type":"message_stop"}`,
				}
			}
			for _, e := range events {
				fmt.Fprintf(w, "data: %s\n\n", strings.ReplaceAll(e, "COUNT", odd))
			}
		}))
		t.Cleanup(srv.Close)
		for api, m := range hostileModels(t, srv.URL) {
			if got := reply(t, m); got != "Hello" {
				t.Errorf("%s, %s: said %q", odd, api, got)
			}
		}
	}
}
