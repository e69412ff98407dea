package words

import (
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestYield(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		deltas     int
	}{
		{"nothing", "", 0},
		{"a word", "word", 1},
		{"white space is kept", " a  b\n\nc ", 1},
		{"twenty words", strings.Repeat("word ", 19) + "word", 3},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			var chunks []agent.Chunk
			Yield(agent.Reply{Text: tc.text}, func(c agent.Chunk, _ error) bool {
				text.WriteString(c.Text)
				chunks = append(chunks, c)
				return true
			})
			if text.String() != tc.text || len(chunks) != tc.deltas+1 {
				t.Errorf("%d deltas give %q, want %d giving %q", len(chunks)-1, text.String(), tc.deltas, tc.text)
			}
			if last := chunks[len(chunks)-1].Reply; last == nil || last.Text != tc.text {
				t.Errorf("the last chunk is %+v, want the reply", last)
			}
		})
	}
}

func TestYield_ReaderLeaves(t *testing.T) {
	t.Parallel()
	seen := 0
	Yield(agent.Reply{Text: strings.Repeat("word ", 40)}, func(agent.Chunk, error) bool {
		seen++
		return seen < 2
	})
	if seen != 2 {
		t.Errorf("%d chunks were handed out after the reader left at 2", seen)
	}
}
