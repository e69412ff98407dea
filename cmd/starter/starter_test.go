package starter

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/internal/config"
	"github.com/seed-3e5a1d81/agent/internal/testdir"
)

// comment is what stands before a setting of a template that is switched off.
var comment = regexp.MustCompile(`(?m)^#(\S)`)

func loadFiles(t *testing.T, user, project string, trust bool) (*config.Config, error) {
	t.Helper()
	dir := testdir.With(t, map[string]string{"home/.config/agent/config.toml": user, "ws/.mastracode/config.toml": project})
	env := map[string]string{"HOME": filepath.Join(dir, "home")}
	return config.Load(config.Options{
		Getenv: func(name string) string { return env[name] }, Workspace: filepath.Join(dir, "ws"), TrustWorkspace: trust,
	})
}

// TestTemplates: as they are written they set nothing; with every line switched
// on they are right, and the user's names every setting a file may have.
func TestTemplates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, user, project string }{
		{"user", userTemplate, ""},
		{"project", "", projectTemplate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := loadFiles(t, tt.user, tt.project, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.Settings() {
				if s.Origin.Source != config.SourceBuiltIn {
					t.Errorf("%s is set at %s", s.Key, s.From)
				}
			}
			on := func(s string) string { return comment.ReplaceAllString(s, "$1") }
			c, err = loadFiles(t, on(tt.user), on(tt.project), true)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Modes) != 1 || len(c.Warnings) != 0 || len(c.Ignored) != 0 {
				t.Errorf("modes %v, warnings %v, ignored %v", c.Modes, c.Warnings, c.Ignored)
			}
		})
	}
}

func TestTemplates_complete(t *testing.T) {
	t.Parallel()
	for _, k := range config.Keys() {
		name := k.Name[strings.LastIndexAny(k.Name, ". ")+1:]
		if k.Project != config.NoFile && !strings.Contains(userTemplate, "#"+name+" = ") && name != "additionalTools" {
			t.Errorf("the user's file lacks %s", k.Name)
		}
	}
}
