// Package words streams replies that are known whole, as models that play a
// script have them.
package words

import (
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

const perDelta = 8 // words; a handful of deltas shows that text streams

// Yield hands out a reply as a provider would: its text in a few deltas, then
// the whole. It stops when the reader leaves.
func Yield(reply agent.Reply, yield func(agent.Chunk, error) bool) {
	for _, text := range deltas(reply.Text) {
		if !yield(agent.Chunk{ID: "text", Text: text}, nil) {
			return
		}
	}
	yield(agent.Chunk{Reply: &reply}, nil)
}

// deltas cuts text between words; joined they are text again.
func deltas(text string) []string {
	var out []string
	n := 0
	for word := range strings.SplitAfterSeq(text, " ") {
		if n%perDelta == 0 {
			out = append(out, "")
		}
		out[len(out)-1] += word
		n++
	}
	if text == "" {
		return nil
	}
	return out
}
