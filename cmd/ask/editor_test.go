package ask

import (
	"strings"
	"testing"
)

func TestEditor_word(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"vi": "vi", "code --wait": "code", "/opt/my editor": "/opt/my", `'/opt/my editor/e' -n`: "/opt/my editor/e", `"a b"`: "a b",
	} {
		if got := (Editor{Command: command}).word(); got != want {
			t.Errorf("%s begins with %q, want %q", command, got, want)
		}
	}
}

func TestAboveCut(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":                              "",
		"\n\n" + cutHere + "\nabout\n":  "",
		"one\ntwo\n" + cutHere + "\nno": "one\ntwo",
		"the mark is gone\n":            "the mark is gone",
		"  indented\r\n" + cutHere:      "  indented",
	} {
		if got, err := aboveCut(content); err != nil || got != want {
			t.Errorf("of %q is sent %q, %v, want %q", content, got, err, want)
		}
	}
	for _, bad := range []string{"\xff\n", strings.Repeat("x", maxWritten+1)} {
		if got, err := aboveCut(bad); err == nil {
			t.Errorf("%d bytes are sent, of %.20q", len(got), bad)
		}
	}
	if got, err := aboveCut(strings.Repeat("x", maxWritten)); err != nil || len(got) != maxWritten {
		t.Errorf("of %d bytes are sent %d, %v", maxWritten, len(got), err)
	}
}
