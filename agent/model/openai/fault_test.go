package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// both runs a test in each wire format.
func both(t *testing.T, test func(t *testing.T, w wire)) {
	t.Helper()
	for _, w := range wires() {
		t.Run(w.api, func(t *testing.T) {
			t.Parallel()
			test(t, w)
		})
	}
}

// answer is an answer that is no success.
func answer(status int, contentType, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func problem(message string) string {
	quoted, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"error":{"message":%s,"type":"some_error","param":null,"code":null}}`, quoted)
}

const page = "<!DOCTYPE html>\n<html><head><title>502</title></head><body>nginx</body></html>"

func TestModel_Status(t *testing.T) {
	t.Parallel()
	const js = "application/json"
	tests := []struct {
		name      string
		handler   http.HandlerFunc
		status    int
		message   string
		hint      string
		retryable bool
		after     time.Duration
	}{
		{"307", answer(307, "text/plain", "", "Location", "http://127.0.0.1:1/v2"), 307, "Temporary Redirect", "http://127.0.0.1:1/v2", false, 0},
		{"400", answer(400, js, problem("bad schema")), 400, "bad schema", "", false, 0},
		{"400 context", answer(400, js, `{"error":{"message":"too long","code":"context_length_exceeded"}}`), 400, "too long", "larger context", false, 0},
		{"401 that repeats the key", answer(401, js, problem("Incorrect API key provided: "+planted+" of "+secretHeader)), 401, "Incorrect API key provided: [secret] of [secret]", "TEST_API_KEY", false, 0},
		{"402", answer(402, js, problem("pay")), 402, "pay", "credit", false, 0},
		{"403", answer(403, js, problem("no access")), 403, "no access", "TEST_API_KEY", false, 0},
		{"404", answer(404, js, problem("The model does not exist")), 404, "The model does not exist", `"m"`, false, 0},
		{"404 page", answer(404, "text/plain", "404 page not found\n"), 404, "404 page not found", "check the name", false, 0},
		{"408", answer(408, js, problem("late")), 408, "late", "", true, 0},
		{"409", answer(409, js, problem("conflict")), 409, "conflict", "", true, 0},
		{"422 of a Python server", answer(422, js, `{"detail":"no such field"}`), 422, "no such field", "", false, 0},
		{"429 with seconds", answer(429, js, problem("slow down"), "Retry-After", "7"), 429, "slow down", "", true, 7 * time.Second},
		{"429 with milliseconds", answer(429, js, problem("slow down"), "Retry-After-Ms", "1500", "Retry-After", "2"), 429, "slow down", "", true, 1500 * time.Millisecond},
		{"429 with nonsense", answer(429, js, problem("slow down"), "Retry-After", "soon"), 429, "slow down", "", true, 0},
		{"429 quota", answer(429, js, `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`), 429, "exceeded", "credit", true, 0},
		{"500", answer(500, js, problem("The server had an error")), 500, "The server had an error", "", true, 0},
		{"502 page", answer(502, "text/html", page), 502, "Bad Gateway", "", true, 0},
		{"503 empty", answer(503, js, ""), 503, "Service Unavailable", "", true, 0},
		{"503 of Google, a list", answer(503, js, `[{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}]`), 503, "overloaded", "", true, 0},
		{"529", answer(529, js, `{"error":"overloaded"}`), 529, "overloaded", "", true, 0},
		{"several lines and escapes", answer(500, js, problem("one\n\ttwo\x1b[31m\u202e three")), 500, "one two [31m three", "", true, 0},
		{"200 page", answer(200, "text/html; charset=utf-8", page), 0, "text/html", "address", false, 0},
		{"200 error", answer(200, js, problem("lost")), 0, "lost", "", true, 0},
		{"200 JSON", answer(200, js, `{"ok":true}`), 0, "application/json", "address", false, 0},
		{"200 nothing", answer(200, "text/event-stream", ""), 0, "ended in the middle", "", true, 0},
		{"200 garbage", answer(200, "text/event-stream", "data: \x00\xff\n\n"), 0, "no event", "", true, 0},
	}
	both(t, func(t *testing.T, w wire) {
		for _, tc := range tests {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				fault := listen(t, open(t, serverFor(t, w.api, tc.handler), "m", Options{}), say("hi")).fault(t)
				if fault.Status != tc.status || !strings.Contains(fault.Message, tc.message) || fault.Retryable != tc.retryable || fault.After != tc.after {
					t.Errorf("fault %d %q, retryable %v after %v\nwant  %d %q, %v %v", fault.Status, fault.Message, fault.Retryable, fault.After, tc.status, tc.message, tc.retryable, tc.after)
				}
				if !strings.Contains(fault.Hint, tc.hint) || tc.hint == "" && fault.Hint != "" {
					t.Errorf("hint %q, want %q", fault.Hint, tc.hint)
				}
			})
		}
	})
}

func TestRetryAfter_Date(t *testing.T) {
	t.Parallel()
	h := http.Header{"Retry-After": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}}
	if got := retryAfter(h); got < 59*time.Minute || got > time.Hour {
		t.Errorf("after %v, want an hour", got)
	}
	h.Set("Retry-After", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
	if got := retryAfter(h); got != 0 {
		t.Errorf("after %v, want none", got)
	}
}

// hangUp closes the connection without an end of the answer.
func hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0) // a reset
	}
	conn.Close()
}

func TestModel_ConnectionBreaks(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		handlers := map[string]http.HandlerFunc{
			"before the answer": func(rw http.ResponseWriter, _ *http.Request) { hangUp(rw) },
			"in the middle": func(rw http.ResponseWriter, _ *http.Request) {
				stream(rw, w.begin...)
				hangUp(rw)
			},
			"in the middle of an event": func(rw http.ResponseWriter, _ *http.Request) {
				stream(rw, w.begin...)
				fmt.Fprint(rw, `data: {"choi`)
				rw.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			},
		}
		for name, handler := range handlers {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				fault := listen(t, open(t, serverFor(t, w.api, handler), "m", Options{}), say("hi")).fault(t)
				if fault.Message != "the connection broke off" || !fault.Retryable || fault.Status != 0 {
					t.Errorf("fault %+v", fault)
				}
			})
		}
	})
}

func TestModel_ErrorEvent(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		events := append(append([]string{}, w.begin...), fmt.Sprintf(w.fault, "upstream died, key "+planted))
		h := listen(t, open(t, serverFor(t, w.api, serve(events...)), "m", Options{}), say("hi"))
		if fault := h.fault(t); !fault.Retryable || !strings.Contains(fault.Message, "upstream died, key [secret]") || h.text != "Hel" {
			t.Errorf("fault %+v after %q", fault, h.text)
		}
	})
}

func TestModel_Stall(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		for name, begin := range map[string][]string{"before the first byte": nil, "in the middle": w.begin} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				gone := make(chan struct{})
				p := serverFor(t, w.api, func(rw http.ResponseWriter, r *http.Request) {
					if begin != nil {
						stream(rw, begin...)
					}
					<-r.Context().Done()
					close(gone)
				})
				fault := listen(t, open(t, p, "m", Options{Stall: 30 * time.Millisecond}), say("hi")).fault(t)
				if !strings.Contains(fault.Message, "no byte came for") || !fault.Retryable {
					t.Errorf("fault %+v", fault)
				}
				<-gone
			})
		}
	})
}

// A server on this machine may take longer than a stall to load its model, and
// signs of life count as bytes.
func TestModel_SlowButAlive(t *testing.T) {
	t.Parallel()
	const stall = time.Second
	both(t, func(t *testing.T, w wire) {
		p := serverFor(t, w.api, func(rw http.ResponseWriter, _ *http.Request) {
			<-time.After(stall * 3 / 2)
			stream(rw, w.begin...)
			for range 6 {
				<-time.After(stall / 4)
				fmt.Fprint(rw, ": still there\n\n")
				rw.(http.Flusher).Flush()
			}
			stream(rw, w.rest...)
		})
		if h := listen(t, open(t, p, "m", Options{Stall: stall}), say("hi")); h.err != nil || h.reply.Text != "Hello" {
			t.Errorf("reply %+v, %v", h.reply, h.err)
		}
	})
}

// leaving is a server that tells when its client went.
func leaving(t *testing.T, w wire) (p Provider, gone chan time.Time) {
	gone = make(chan time.Time, 1)
	return serverFor(t, w.api, func(rw http.ResponseWriter, r *http.Request) {
		stream(rw, w.begin...)
		<-r.Context().Done()
		gone <- time.Now()
	}), gone
}

func TestModel_Cancel(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		p, gone := leaving(t, w)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var left time.Time
		var last error
		for c, err := range open(t, p, "m", Options{}).Stream(ctx, say("hi")) {
			if last = err; c.Text != "" {
				left = time.Now()
				cancel()
			}
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("error %v, want the context's", last)
		}
		if took := (<-gone).Sub(left); took > soon {
			t.Errorf("the server saw the client go after %v", took)
		}
	})
}

func TestModel_Break(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		p, gone := leaving(t, w)
		var left time.Time
		for range open(t, p, "m", Options{}).Stream(t.Context(), say("hi")) {
			left = time.Now()
			break
		}
		if took := (<-gone).Sub(left); took > soon {
			t.Errorf("the server saw the client go after %v", took)
		}
	})
}

func TestModel_CanceledBefore(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		p := serverFor(t, w.api, serve(w.hello()...))
		for c, err := range open(t, p, "m", Options{}).Stream(ctx, say("hi")) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %+v, %v", c, err)
			}
		}
	})
}

// freePort is an address where nothing listens.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestModel_Unreachable(t *testing.T) {
	t.Parallel()
	host := freePort(t)
	ollama := Ollama(func(name string) string { return map[string]string{"OLLAMA_HOST": host}[name] })
	fault := listen(t, open(t, ollama, "qwen3", Options{}), say("hi")).fault(t)
	if fault.Retryable || fault.Hint != "start it with: ollama serve" || fault.Message != "nothing answers at http://"+host+"/v1" {
		t.Errorf("ollama: %+v", fault)
	}
	both(t, func(t *testing.T, w wire) {
		p := Provider{Name: "mine", BaseURL: "http://" + host, API: w.api, APIKey: planted}
		fault := listen(t, open(t, p, "m", Options{}), say("hi")).fault(t)
		if fault.Retryable || !strings.Contains(fault.Hint, "start the server") {
			t.Errorf("fault %+v", fault)
		}
	})
}

// broken is a network that fails.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

func TestModel_Network(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		p := Provider{Name: "far", BaseURL: "https://user:hunter2secret@api.example.test/v1", API: w.api, APIKey: planted}
		m := open(t, p, "m", Options{Transport: broken{fmt.Errorf("malformed answer %q from hunter2secret", planted)}})
		fault := listen(t, m, say("hi")).fault(t)
		if !fault.Retryable || strings.Contains(fmt.Sprintf("%+v", fault), "hunter2secret") {
			t.Errorf("fault %+v", fault)
		}
	})
}

// One request is one request: the loop retries, the SDK does not.
func TestModel_AsksOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		var asked atomic.Int32
		p := serverFor(t, w.api, func(rw http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			answer(500, "application/json", problem("no"))(rw, r)
		})
		m := open(t, p, "m", Options{})
		if asked.Load() != 0 {
			t.Error("opening a model asked the server")
		}
		listen(t, m, say("hi"))
		if n := asked.Load(); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	})
}

func TestModel_KeyIsMissing(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	for name, p := range map[string]Provider{"OPENAI_API_KEY": OpenAI(none), "OPENROUTER_API_KEY": OpenRouter(none), "GEMINI_API_KEY": Gemini(none)} {
		m := open(t, p, "m", Options{Transport: broken{errors.New("was asked")}})
		fault := listen(t, m, say("hi")).fault(t)
		if fault.Retryable || !strings.HasPrefix(fault.Hint, "set "+name+" ") || !strings.Contains(fault.Message, "no key") {
			t.Errorf("fault %+v", fault)
		}
	}
}

func TestModel_PrintsNoKey(t *testing.T) {
	t.Parallel()
	p := Provider{Name: "p", BaseURL: "http://127.0.0.1/v1", APIKey: planted, Headers: map[string]string{"X": secretHeader}}
	m := open(t, p, "m", Options{})
	for _, s := range []string{fmt.Sprint(p, m), fmt.Sprintf("%+v %+v", p, m), fmt.Sprintf("%#v %#v", p, m), fmt.Sprintf("%s %v", []any{p}, []agent.Model{m})} {
		if strings.Contains(s, planted) || strings.Contains(s, secretHeader) {
			t.Errorf("a secret shows in %s", s)
		}
	}
}

func TestModel_ThinkingRefused(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		p := serverFor(t, w.api, answer(400, "application/json", problem("Unsupported parameter: 'Reasoning.effort'")))
		for thinking, want := range map[string]string{"high": "leave --thinking out", "": ""} {
			fault := listen(t, open(t, p, "m", Options{Thinking: thinking}), say("hi")).fault(t)
			if !strings.Contains(fault.Hint, want) || want == "" && fault.Hint != "" {
				t.Errorf("thinking %q: hint %q, want %q", thinking, fault.Hint, want)
			}
		}
	})
}

func TestModel_Concurrent(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		m := open(t, serverFor(t, w.api, serve(w.hello()...)), "m", Options{})
		for i := range 8 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				if h := listen(t, m, conversation(m.ID(), "")); h.err != nil || h.reply.Text != "Hello" {
					t.Errorf("reply %+v, %v", h.reply, h.err)
				}
			})
		}
	})
}

// What was said is shown as it comes, in one group per block.
func TestModel_FirstDelta(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w wire) {
		shown := make(chan struct{})
		p := serverFor(t, w.api, func(rw http.ResponseWriter, _ *http.Request) {
			stream(rw, w.begin...)
			<-shown // nothing more comes before the first delta was seen
			stream(rw, w.rest...)
		})
		var ids []string
		for c, err := range open(t, p, "m", Options{}).Stream(t.Context(), say("hi")) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Text == "Hel" {
				close(shown)
			}
			if c.Text != "" {
				ids = append(ids, c.ID)
			}
		}
		if len(ids) != 2 || ids[0] == "" || ids[0] != ids[1] {
			t.Errorf("deltas of %q, want two of one block", ids)
		}
	})
}
