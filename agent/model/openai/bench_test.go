package openai

import (
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// deltas is a reply of n deltas.
func deltas(w wire, n int) []string {
	events := append([]string{}, w.begin...)
	for range n - 2 {
		events = append(events, w.begin[len(w.begin)-1])
	}
	return append(events, w.rest...)
}

// BenchmarkModel_Stream is a turn of 100 deltas against a server in the same
// process: what connection, server and adapter take together.
func BenchmarkModel_Stream(b *testing.B) {
	for _, w := range wires() {
		b.Run(w.api, func(b *testing.B) {
			m := open(b, serverFor(b, w.api, serve(deltas(w, 100)...)), "m", Options{})
			for b.Loop() {
				for _, err := range m.Stream(b.Context(), say("hi")) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkExchange_event is the adapter's part of it: reading 100 deltas.
func BenchmarkExchange_event(b *testing.B) {
	for _, w := range wires() {
		b.Run(w.api, func(b *testing.B) {
			m := open(b, Provider{Name: "p", BaseURL: "http://127.0.0.1", API: w.api}, "m", Options{})
			var events [][]byte
			for _, e := range deltas(w, 100) {
				events = append(events, []byte(strings.TrimSpace(e)))
			}
			for b.Loop() {
				var x exchange = newChat(m, say("hi"))
				if w.api == Responses {
					x = newResponses(m, say("hi"))
				}
				for _, e := range events {
					if _, err := x.event(e, func(agent.Chunk) bool { return true }); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
