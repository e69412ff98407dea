package anthropic

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestModel_Stream_Faults(t *testing.T) {
	t.Parallel()
	half := begins() + opens(0, `{"type":"text","text":"Hal"}`)
	inStream := func(kind, message string) act {
		return plays(half, sse("error", fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)))
	}
	short := func(o *Options) { o.Stall = 100 * time.Millisecond }
	tests := []struct {
		name      string
		act       act
		status    int
		retryable bool
		after     time.Duration
		message   string // part of it
		hint      string // part of it; "" means there is none
		change    func(*Options)
	}{
		{name: "400", act: fails(400, "invalid_request_error", "messages: too few"), status: 400, message: "messages: too few", hint: "--model"},
		{name: "400, too long", act: fails(400, "invalid_request_error", "prompt is too long: 3 > 2"), status: 400, message: "prompt is too long", hint: "new run"},
		{name: "400, no credit", act: fails(400, "invalid_request_error", "Your credit balance is too low"), status: 400, message: "credit balance", hint: "ANTHROPIC_API_KEY"},
		{name: "401", act: fails(401, "authentication_error", "invalid x-api-key "+marker), status: 401, message: "invalid x-api-key [key]", hint: "ANTHROPIC_API_KEY"},
		{name: "401 with a token", act: fails(401, "authentication_error", "no"), status: 401, message: "no", hint: "set a valid key in ANTHROPIC_AUTH_TOKEN", change: func(o *Options) {
			o.APIKey, o.Getenv = "", func(name string) string { return map[string]string{TokenEnv: marker}[name] }
		}},
		{name: "402", act: fails(402, "billing_error", "pay"), status: 402, message: "pay", hint: "credit"},
		{name: "403", act: fails(403, "permission_error", "not for you"), status: 403, message: "not for you", hint: "anthropic/claude-sonnet-5-5"},
		{name: "404", act: fails(404, "not_found_error", "model: claude-sonnet-5-5"), status: 404, message: "model:", hint: `"claude-sonnet-5-5"`},
		{name: "413", act: fails(413, "request_too_large", "too large"), status: 413, message: "too large", hint: "too long"},
		{name: "408", act: fails(408, "timeout_error", "slow"), status: 408, retryable: true, message: "slow"},
		{name: "409", act: fails(409, "conflict_error", "twice"), status: 409, retryable: true, message: "twice"},
		{name: "429 with seconds", act: fails(429, "rate_limit_error", "easy", "Retry-After", "7"), status: 429, retryable: true, after: 7 * time.Second, message: "easy"},
		{name: "429 with milliseconds", act: fails(429, "rate_limit_error", "easy", "Retry-After-Ms", "1500", "Retry-After", "7"), status: 429, retryable: true, after: 1500 * time.Millisecond, message: "easy"},
		{name: "429 with nonsense", act: fails(429, "rate_limit_error", "easy", "Retry-After", "soon"), status: 429, retryable: true, message: "easy"},
		{name: "429 for good", act: fails(429, "rate_limit_error", "monthly limit", "X-Should-Retry", "false", "Retry-After", "7"), status: 429, message: "monthly limit"},
		{name: "500", act: fails(500, "api_error", "Internal server error"), status: 500, retryable: true, message: "Internal server error"},
		{name: "529", act: fails(529, "overloaded_error", "Overloaded"), status: 529, retryable: true, message: "Overloaded"},
		{name: "an error page", act: answers(502, "text/html", "<html><body>Bad\ngateway "+marker+"</body></html>"), status: 502, retryable: true, message: "Bad Gateway"},
		{name: "an error of several lines", act: fails(500, "api_error", "a\x1b[31m\n\tb"+strings.Repeat("c", 1000)), status: 500, retryable: true, message: "a[31m bccc"},
		{name: "a page instead of a stream", act: answers(200, "text/html", "<html>Log in</html>"), message: "text/html", hint: "the base URL"},
		{name: "an answer in one piece", act: answers(200, "application/json", "{}"), message: "application/json", hint: "the base URL"},
		{name: "led elsewhere", act: answers(302, "text/plain", "", "Location", "http://127.0.0.1:1/"), message: "status 302", hint: "the base URL"},
		{name: "overloaded in the middle", act: inStream("overloaded_error", "Overloaded"), status: 529, retryable: true, message: "Overloaded"},
		{name: "broken in the middle", act: inStream("api_error", "oops"), status: 500, retryable: true, message: "oops"},
		{name: "rate limit in the middle", act: inStream("rate_limit_error", "easy"), status: 429, retryable: true, message: "easy"},
		{name: "refused in the middle", act: inStream("invalid_request_error", "no"), status: 400, message: "no", hint: "--model"},
		{name: "an unknown error in the middle", act: inStream("moon_error", "full"), status: 500, retryable: true, message: "full"},
		{name: "an error without a name", act: plays(half, "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"), status: 529, retryable: true, message: "Overloaded"},
		{name: "an error that is garbage", act: plays(half, sse("error", "<html>")), status: 500, retryable: true, message: "Internal Server Error"},
		{name: "cut before the end", act: plays(begins(), textBlock(0, "Hal")), retryable: true, message: "cut"},
		{name: "cut in an event", act: plays(half, "event: content_block_delta\ndata: {\"type\":\"conte"), retryable: true, message: "cut"},
		{name: "reset in the middle", act: then(resets, half), retryable: true, message: "cut"},
		{name: "reset at once", act: resets, retryable: true, message: "no connection", hint: "the base URL"},
		{name: "silence at once", act: hangs, retryable: true, message: "nothing came for 100ms", change: short},
		{name: "silence in the middle", act: then(hangs, half), retryable: true, message: "nothing came for 100ms", change: short},
		{name: "silence in an error", act: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			w.(http.Flusher).Flush()
			hangs(w, r)
		}, retryable: true, message: "nothing came for 100ms", change: short},
		{name: "empty stream", act: plays(), retryable: true, message: "cut"},
		{name: "garbage", act: plays("\x00\xff\x1b[2J" + strings.Repeat("garbage ", 100) + "\n\n"), retryable: true, message: "cut"},
		{name: "an event that is garbage", act: plays(half, sse("content_block_delta", "{\x1b oops")), retryable: true, message: "garbled"},
		{name: "a piece of no block", act: plays(begins(), deltas(3, `{"type":"text_delta","text":"x"}`)), retryable: true, message: "block 3"},
		{name: "a block twice", act: plays(half, opens(0, `{"type":"text","text":""}`)), retryable: true, message: "began twice"},
		{name: "a block that is none", act: plays(begins(), opens(0, `7`)), retryable: true, message: "no block"},
		{name: "text that is none", act: plays(half, deltas(0, `{"type":"text_delta","text":7}`)), retryable: true, message: "no string"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tc.act)
			change := tc.change
			if change == nil {
				change = func(*Options) {}
			}
			h := listen(t, s.open("claude-sonnet-5-5", change), says("Hello"))
			var pe *agent.ProviderError
			if !errors.As(h.err, &pe) {
				t.Fatalf("error %v, reply %+v: want a ProviderError", h.err, h.reply)
			}
			if pe.Status != tc.status || pe.Retryable != tc.retryable || pe.After != tc.after {
				t.Errorf("got status %d, retryable %v, after %s: %v", pe.Status, pe.Retryable, pe.After, pe)
			}
			if !strings.Contains(pe.Message, tc.message) || !strings.Contains(pe.Hint, tc.hint) || tc.hint == "" && pe.Hint != "" {
				t.Errorf("message %q, hint %q; want %q, %q", pe.Message, pe.Hint, tc.message, tc.hint)
			}
			if strings.ContainsAny(pe.Message+pe.Hint, "\n\x1b") || len(pe.Message) > maxMessage+3 {
				t.Errorf("not one line: %q", pe.Message+pe.Hint)
			}
			if n := s.asked(); n != 1 {
				t.Errorf("%d requests: retries are the loop's", n)
			}
		})
	}
}

func TestModel_Stream_NobodyThere(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	m, err := Open("claude-sonnet-5-5", Options{APIKey: marker, BaseURL: strings.Replace(s.URL, "http://", "http://ann:"+marker+"@", 1)})
	if err != nil {
		t.Fatal(err)
	}
	h := listen(t, m, says("x"))
	var pe *agent.ProviderError
	if !errors.As(h.err, &pe) || !pe.Retryable || !strings.Contains(pe.Message, "refused") {
		t.Errorf("error %#v", h.err)
	}
}

func TestModel_Stream_WrongCertificate(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = nil
	s.StartTLS()
	defer s.Close()
	m, err := Open("claude-sonnet-5-5", Options{APIKey: marker, BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	h := listen(t, m, says("x"))
	var pe *agent.ProviderError
	if !errors.As(h.err, &pe) || pe.Retryable || !strings.Contains(pe.Message, "certificate") {
		t.Errorf("error %#v", h.err)
	}
}

// A redirect must not carry the key to another host.
func TestModel_Stream_RedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := serve(t, plays(begins(), ends("end_turn")))
	s := serve(t, answers(307, "text/plain", "", "Location", other.URL+"/v1/messages"))
	if h := listen(t, s.open("claude-sonnet-5-5"), says("x")); h.err == nil || other.asked() != 0 {
		t.Errorf("%d requests elsewhere, %v", other.asked(), h.err)
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "2": 2 * time.Second, "0.5": 500 * time.Millisecond, "-3": 0, "x": 0, "1e300": 24 * time.Hour, "NaN": 0,
		"Mon, 30 Nov 2026 10:00:30 GMT": 30 * time.Second, "Mon, 30 Nov 2026 09:00:00 GMT": 0,
	} {
		if got := after(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("after %q = %s, want %s", value, got, want)
		}
	}
}
