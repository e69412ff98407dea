package model

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// wireText is a reply of n deltas in a wire format.
func wireText(api string, n int) []string {
	var out []string
	add := func(name, data string) {
		if name != "" {
			name = "event: " + name + "\n"
		}
		out = append(out, name+"data: "+data+"\n\n")
	}
	switch api {
	case "chat":
		for range n {
			add("", `{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"some words "},"finish_reason":null}]}`)
		}
		add("", `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
		add("", "[DONE]")
	case "responses":
		for range n {
			add("response.output_text.delta", `{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"some words "}`)
		}
		add("response.completed", `{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"message","id":"m","status":"completed","role":"assistant","content":[{"type":"output_text","text":"some words","annotations":[]}]}]}}`)
	case "anthropic":
		add("message_start", `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}`)
		add("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		for range n {
			add("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words "}}`)
		}
		add("content_block_stop", `{"type":"content_block_stop","index":0}`)
		add("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":100}}`)
		add("message_stop", `{"type":"message_stop"}`)
	}
	return out
}

// BenchmarkTurn measures a turn of 100 deltas that a server in this process sends
// one by one: the whole turn, the same bytes read and thrown away as its floor,
// and the time from the request to the first delta.
func BenchmarkTurn(b *testing.B) {
	for _, api := range []string{"chat", "responses", "anthropic"} {
		b.Run(api, func(b *testing.B) {
			events := wireText(api, 100)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				for _, e := range events {
					_, _ = io.WriteString(w, e)
					w.(http.Flusher).Flush()
				}
			}))
			defer srv.Close()
			m, err := Open("own/m", Options{Providers: []Endpoint{{Name: "own", BaseURL: srv.URL, API: api}}})
			if err != nil {
				b.Fatal(err)
			}
			var turns, floors, firsts []time.Duration
			for b.Loop() {
				began, first := time.Now(), false
				for c, err := range m.Stream(b.Context(), agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "hi"}}}) {
					if err != nil {
						b.Fatal(err)
					}
					if !first && c.Text != "" {
						first = true
						firsts = append(firsts, time.Since(began))
					}
				}
				turns = append(turns, time.Since(began))
				floors = append(floors, readAway(b, srv.URL))
			}
			b.ReportMetric(median(turns), "turn-ms/p50")
			b.ReportMetric(median(floors), "floor-ms/p50")
			b.ReportMetric(median(firsts), "first-delta-ms/p50")
			b.ReportMetric(0, "ns/op") // a mean over unlike parts says nothing
		})
	}
}

func readAway(b *testing.B, url string) time.Duration {
	began := time.Now()
	res, err := http.Post(url, "application/json", bytes.NewReader([]byte("{}"))) //nolint:gosec // a server of the test's own
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if n, err := io.Copy(io.Discard, res.Body); err != nil || n == 0 {
		b.Fatal(fmt.Errorf("%d bytes, %w", n, err))
	}
	return time.Since(began)
}

func median(took []time.Duration) float64 {
	slices.Sort(took)
	return float64(took[len(took)/2].Microseconds()) / 1000
}
