//go:build unix

package iostreams

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestStreams_pager(t *testing.T) {
	t.Parallel()
	less := func(string) (string, error) { return "/usr/bin/less", nil }
	none := func(string) (string, error) { return "", errors.New("not found") }
	for name, tt := range map[string]struct {
		env  map[string]string
		find func(string) (string, error)
		want []string
	}{
		"dumb":           {find: less, env: map[string]string{"TERM": "dumb", "PAGER": "more"}},
		"less":           {find: less, env: map[string]string{"TERM": "xterm"}, want: []string{"/usr/bin/less", "-FRX"}},
		"none installed": {find: none, env: map[string]string{"TERM": "xterm"}},
		"PAGER":          {find: none, env: map[string]string{"TERM": "xterm", "PAGER": "more -d"}, want: []string{"sh", "-c", "more -d"}},
		"PAGER cat":      {find: less, env: map[string]string{"TERM": "xterm", "PAGER": "cat"}},
	} {
		s := &Streams{Env: func(n string) string { return tt.env[n] }}
		if got := s.pager(tt.find, "-FRX"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestStreams_Page runs real pagers: one that keeps what it got and its
// environment, ones that are left at once, one that does not exist; and none
// where nobody reads.
func TestStreams_Page(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := map[string]string{"TERM": "xterm", "PATH": os.Getenv("PATH"), "ANTHROPIC_API_KEY": "secret-of-the-key", "MY_TOKEN": "secret-too"}
	page := func(tty bool, pager, words string) string {
		t.Helper()
		var out, errw bytes.Buffer
		env["PAGER"] = pager
		s := &Streams{Out: &out, Err: &errw, OutTTY: tty, Dir: dir, Env: func(n string) string { return env[n] }}
		if err := s.Page([]byte(words)); err != nil {
			t.Errorf("%s: %v", pager, err)
		}
		return out.String()
	}
	if got := page(true, "env > env.txt; cat", "words"); got != "words" {
		t.Errorf("the pager showed %q", got)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "env.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(kept), "secret") || !strings.Contains(string(kept), "LESS=FRX") || !strings.Contains(string(kept), "LESSCHARSET=utf-8") || !strings.Contains(string(kept), "TERM=xterm") {
		t.Errorf("environment of the pager:\n%s", kept)
	}
	page(true, "head -n 1", strings.Repeat("many words\n", 100_000))
	page(true, "true", strings.Repeat("many words\n", 100_000))
	page(true, "exit 3", "words")
	if got := page(true, "no-such-pager", "words"); got != "words" {
		t.Errorf("without a pager: %q", got)
	}
	if got := page(false, "true", "words"); got != "words" {
		t.Errorf("piped: %q", got)
	}
}
