package ask

import "testing"

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
	if got, err := aboveCut("\xff\n"); err == nil {
		t.Errorf("%q is sent", got)
	}
}
