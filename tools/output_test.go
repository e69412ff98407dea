package tools

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However a text is cut into chunks, what is shown is the text.
func TestOutput_Complete(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String().Draw(rt, "text")
		var o output
		var shown strings.Builder
		for rest := []byte(text); len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 5)).Draw(rt, "n")
			o.add(rest[:n])
			shown.WriteString(o.complete(rest[:n]))
			rest = rest[n:]
		}
		if shown.String() != text || string(o.kept()) != text {
			rt.Fatalf("shown %q, kept %q, want %q", shown.String(), o.kept(), text)
		}
	})
}

func TestOutput_ForModelKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	var o output
	o.add([]byte("x" + strings.Repeat("é", 50<<10)))
	text, whole := o.forModel()
	if strings.Contains(text, "\ufffd") || len(whole) != 100<<10+1 {
		t.Errorf("%d bytes whole; the cut text holds replaced characters: %v", len(whole), strings.Contains(text, "\ufffd"))
	}
}
