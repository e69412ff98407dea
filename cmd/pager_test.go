//go:build unix

package cmd

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPagerOf(t *testing.T) {
	t.Parallel()
	less := func(string) (string, error) { return "/usr/bin/less", nil }
	none := func(string) (string, error) { return "", errors.New("not found") }
	for name, tt := range map[string]struct {
		env  map[string]string
		tty  bool
		find func(string) (string, error)
		want []string
	}{
		"piped":          {find: less, env: map[string]string{"TERM": "xterm"}},
		"dumb":           {find: less, tty: true, env: map[string]string{"TERM": "dumb", "PAGER": "more"}},
		"less":           {find: less, tty: true, env: map[string]string{"TERM": "xterm"}, want: []string{"/usr/bin/less", "-FRX"}},
		"none installed": {find: none, tty: true, env: map[string]string{"TERM": "xterm"}},
		"PAGER":          {find: none, tty: true, env: map[string]string{"TERM": "xterm", "PAGER": "more -d"}, want: []string{"sh", "-c", "more -d"}},
		"PAGER cat":      {find: less, tty: true, env: map[string]string{"TERM": "xterm", "PAGER": "cat"}},
	} {
		s := &streams{OutTTY: tt.tty, Env: func(n string) string { return tt.env[n] }}
		if got := pagerOf(s, tt.find); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestPaged runs real pagers: one that keeps what it got and its environment,
// one that is left at once, one that does not exist.
func TestPaged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env["TERM"], b.env["PATH"], b.env["ANTHROPIC_API_KEY"], b.env["MY_TOKEN"] = "xterm", os.Getenv("PATH"), "secret-of-the-key", "secret-too"
	page := func(pager, words string) string {
		t.Helper()
		var out, errw bytes.Buffer
		b.env["PAGER"] = pager
		s := b.streams(&out, &errw)
		s.OutTTY = true
		w := &wiring{io: s, g: &globals{}}
		p := w.page()
		p.Line(words)
		if err := p.show(); err != nil {
			t.Errorf("%s: %v", pager, err)
		}
		return out.String()
	}
	if got := page("env > env.txt; cat", "words"); got != "words\n" {
		t.Errorf("the pager showed %q", got)
	}
	env, err := os.ReadFile(filepath.Join(b.dir, "env.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(env), "secret") || !strings.Contains(string(env), "LESS=FRX") || !strings.Contains(string(env), "LESSCHARSET=utf-8") || !strings.Contains(string(env), "TERM=xterm") {
		t.Errorf("environment of the pager:\n%s", env)
	}
	page("head -n 1", strings.Repeat("many words\n", 100_000))
	page("true", strings.Repeat("many words\n", 100_000))
	page("exit 3", "words")
	if got := page("no-such-pager", "words"); got != "words\n" {
		t.Errorf("without a pager: %q", got)
	}
}
