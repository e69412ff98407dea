package model

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

func writeScript(t *testing.T, content string) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, "turns.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir, path := writeScript(t, "turns:\n  - text: hello\n")
	tests := []struct{ name, id, want string }{
		{"demo", "demo", "demo"},
		{"a script by its absolute path", "script:" + path, "script:" + path},
		{"a script in the directory", "script:turns.yaml", "script:" + path},
		{"a path that is not clean", "script:./x/../turns.yaml", "script:" + path},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m, err := Open(tc.id, Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if m.ID() != tc.want {
				t.Errorf("ID = %q, want %q", m.ID(), tc.want)
			}
			again, err := Open(m.ID(), Options{Dir: "/"})
			if err != nil || again.ID() != m.ID() {
				t.Errorf("Open(%q) from elsewhere = %v, %v", m.ID(), again, err)
			}
		})
	}
}

func TestOpen_RelativeToCurrentDirectory(t *testing.T) {
	dir, _ := writeScript(t, "turns:\n  - text: hello\n")
	t.Chdir(dir)
	m, err := Open("script:turns.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if path, ok := strings.CutPrefix(m.ID(), "script:"); !ok || !filepath.IsAbs(path) {
		t.Errorf("ID = %q, want an absolute path in it", m.ID())
	}
}

func TestOpen_Missing(t *testing.T) {
	t.Parallel()
	dir, _ := writeScript(t, "turns:\n  - txt: hello\n")
	tests := []struct {
		name, id string
		words    []string
	}{
		{"none", "", []string{"no model is set", "demo", "script:FILE", "--model demo", "--model script:", "AGENT_MODEL=", "OPENAI_API_KEY"}},
		{"unknown", "acme/big", []string{`"acme/big"`, "demo", "script:FILE", "--model demo"}},
		{"almost the demo", "demo2", []string{`"demo2"`, "--model demo"}},
		{"a script that is not there", "script:none.yaml", []string{"script:none.yaml", "no such file"}},
		{"a script without a name", "script:", []string{"no file is named"}},
		{"a directory", "script:.", []string{"not a regular file"}},
		{"a script at fault", "script:turns.yaml", []string{"turns.yaml:2", `"txt"`}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m, err := Open(tc.id, Options{Dir: dir, Getenv: environment})
			var missing *MissingError
			if m != nil || !errors.Is(err, agent.ErrModelMissing) || !errors.As(err, &missing) || missing.ID != tc.id {
				t.Fatalf("Open = %v, %v; want a MissingError", m, err)
			}
			for _, w := range tc.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error lacks %q:\n%v", w, err)
				}
			}
			if strings.Contains(err.Error(), "sk-secret") {
				t.Errorf("error shows the value of a key: %v", err)
			}
		})
	}
}

func environment(name string) string {
	return map[string]string{"OPENAI_API_KEY": "sk-secret", "OTHER_KEY": "sk-secret"}[name]
}

func TestOpen_CauseIsKept(t *testing.T) {
	t.Parallel()
	_, err := Open("script:none.yaml", Options{Dir: t.TempDir()})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v does not wrap fs.ErrNotExist", err)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	if got := Keys(Options{Getenv: environment}); !slices.Equal(got, []string{"OPENAI_API_KEY"}) {
		t.Errorf("Keys = %q", got)
	}
}

func TestProviders(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, p := range Providers() {
		ids = append(ids, p.ID)
		if p.About == "" {
			t.Errorf("%s is not described", p.ID)
		}
	}
	if !slices.Equal(ids, []string{"demo", "anthropic/NAME", "script:FILE", "openai/NAME", "gemini/NAME", "openrouter/NAME", "ollama/NAME"}) {
		t.Errorf("providers = %q", ids)
	}
	if len(ways()) != 3 {
		t.Errorf("%d ways to go on, want 3", len(ways()))
	}
}

func TestOpen_Anthropic(t *testing.T) {
	t.Parallel()
	keys := func(name string) string { return map[string]string{"ANTHROPIC_API_KEY": "k", "ACME": "k"}[name] }
	acme := Endpoint{Name: "acme", BaseURL: "https://acme.test", API: "anthropic", APIKeyEnv: "ACME"}
	for _, tc := range []struct {
		name, id string
		opts     Options
		err      string
	}{
		{"its own", "anthropic/claude-sonnet-5-5", Options{Getenv: keys, Thinking: "low"}, ""},
		{"no key", "anthropic/claude-sonnet-5-5", Options{}, "ANTHROPIC_API_KEY is not set"},
		{"no such level", "anthropic/claude-sonnet-5-5", Options{Getenv: keys, Thinking: "much"}, "much"},
		{"the user's", "acme/some/model", Options{Getenv: keys, Providers: []Endpoint{acme}}, ""},
		{"the user's without its key", "acme/x", Options{Providers: []Endpoint{acme}}, "ACME is not set"},
		{"the user's that wants none", "acme/x", Options{Providers: []Endpoint{{Name: "acme", BaseURL: "http://127.0.0.1:1", API: "anthropic"}}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m, err := Open(tc.id, tc.opts)
			switch {
			case tc.err != "":
				if !errors.Is(err, agent.ErrModelMissing) || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error %v, want %q", err, tc.err)
				}
			case err != nil:
				t.Error(err)
			case m.ID() != tc.id:
				t.Errorf("ID %q, want %q", m.ID(), tc.id)
			}
		})
	}
}
