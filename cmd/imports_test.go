package cmd

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/seed-3e5a1d81/agent/"

// room is what a package may import beside the standard library: packages of
// this module, and modules of others. A trailing "/" allows all below.
type room struct{ own, others []string }

// rooms are the rules of docs/architecture.md; the first prefix that fits a
// package decides.
var rooms = []struct {
	prefix string
	room   room
}{
	{"agent/model/script", room{own: []string{"agent", "agent/model/words", "internal/yamlfile"}, others: []string{"github.com/goccy/go-yaml"}}},
	{"agent/model/anthropic", room{own: []string{"agent", "agent/model/webpage"}, others: []string{"github.com/anthropics/anthropic-sdk-go/v2"}}},
	{"agent/model/demo", room{own: []string{"agent", "agent/model/words"}}},
	{"agent/model/catalogue", room{own: []string{"agent"}}},
	{"agent/model/openai", room{own: []string{"agent", "agent/model/webpage"}, others: []string{"github.com/openai/openai-go/v3/"}}},
	{"agent/model/words", room{own: []string{"agent"}}},
	{"agent/model/webpage", room{}},
	{"agent/model", room{own: []string{"agent", "agent/model/", "internal/"}}},
	{"agent", room{}},
	{"tools", room{own: []string{"agent", "internal/"}, others: []string{
		"github.com/yuin/goldmark", "github.com/bmatcuk/doublestar/v4", "github.com/go-git/go-git/v5/plumbing/format/gitignore",
		"github.com/aymanbagabas/go-udiff", "golang.org/x/sys",
	}}},
	{"modes", room{own: []string{"agent", "internal/"}}},
	{"runstore/storetest", room{own: []string{"agent", "runstore"}, others: []string{"github.com/google/go-cmp/"}}},
	{"runstore", room{own: []string{"agent", "internal/"}, others: []string{"modernc.org/sqlite", "golang.org/x/sys"}}},
	{"internal/config", room{own: []string{"agent", "internal/"}, others: []string{"github.com/BurntSushi/toml", "golang.org/x/sys"}}},
	{"internal/answers", room{own: []string{"internal/yamlfile"}, others: []string{"github.com/goccy/go-yaml"}}},
	{"internal/yamlfile", room{others: []string{"github.com/goccy/go-yaml"}}},
	{"internal/permission", room{own: []string{"agent"}, others: []string{"mvdan.cc/sh/v3/syntax", "github.com/bmatcuk/doublestar/v4"}}},
	{"internal/markdown", room{own: []string{"internal/"}, others: []string{"github.com/yuin/goldmark", "github.com/mattn/go-runewidth"}}},
	{"internal/golden", room{own: []string{"internal/text"}, others: []string{"github.com/google/go-cmp/cmp"}}},
	{"internal", room{own: []string{"agent", "internal/"}, others: []string{"github.com/mattn/go-runewidth", "golang.org/x/sys", "github.com/bmatcuk/doublestar/v4"}}},
	{"cmd/terminal", room{own: []string{"internal/text"}, others: []string{"github.com/AlecAivazis/survey/v2", "golang.org/x/term", "golang.org/x/sys"}}},
	{"cmd/screen", room{own: []string{"cmd/terminal", "internal/markdown", "internal/text"}}},
	{"cmd/ask", room{own: []string{"agent", "cmd/screen", "cmd/tell", "cmd/terminal", "internal/text"}}},
	{"cmd/doctor", room{own: []string{"agent/model", "runstore", "cmd/exit", "cmd/file", "cmd/offer", "cmd/screen", "internal/config", "internal/sandbox", "internal/text"}}},
	{"cmd/exit", room{own: []string{"agent", "runstore"}}},
	{"cmd/file", room{own: []string{"cmd/exit", "internal/atomicfile"}}},
	{"cmd/iostreams", room{own: []string{"cmd/exit", "cmd/terminal", "internal/text"}, others: []string{"golang.org/x/sys"}}},
	{"cmd/manual", room{others: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}}},
	{"cmd/next", room{own: []string{"agent", "agent/model", "cmd/exit", "cmd/screen", "cmd/tell", "internal/text"}}},
	{"cmd/offer", room{own: []string{"agent", "agent/model", "cmd/exit", "cmd/screen", "internal/text"}}},
	{"cmd/report", room{own: []string{"agent", "runstore", "cmd/exit", "cmd/next"}}},
	{"cmd/rules", room{own: []string{"agent", "cmd/exit", "cmd/screen", "internal/config", "internal/permission", "internal/text"}}},
	{"cmd/starter", room{own: []string{"cmd/exit", "internal/config", "internal/config/repofile"}}},
	{"cmd/patch", room{own: []string{"agent"}, others: []string{"github.com/aymanbagabas/go-udiff"}}},
	{"cmd/tell", room{own: []string{"agent", "cmd/screen", "internal/text"}, others: []string{"github.com/aymanbagabas/go-udiff"}}},
	{"cmd", room{own: []string{"agent", "agent/model", "tools", "modes", "runstore", "internal/", "cmd/"}, others: []string{
		"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/aymanbagabas/go-udiff",
	}}},
}

// TestImports holds the code against the rules: the star of packages, and who
// alone may use which library.
func TestImports(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for dec.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutPrefix(p.ImportPath, module)
		if !ok { // the root package
			checkImports(t, "main", p.Imports, room{own: []string{"cmd"}})
			continue
		}
		seen++
		rule := -1
		for i, r := range rooms {
			if name == r.prefix || strings.HasPrefix(name, r.prefix+"/") {
				rule = i
				break
			}
		}
		if rule < 0 {
			t.Errorf("package %s has no rule", name)
			continue
		}
		checkImports(t, name, p.Imports, rooms[rule].room)
	}
	if seen < len(rooms) {
		t.Fatalf("%d packages listed, %d rules", seen, len(rooms))
	}
}

func checkImports(t *testing.T, name string, imports []string, r room) {
	t.Helper()
	for _, imp := range imports {
		own, ours := strings.CutPrefix(imp, module)
		switch first, _, _ := strings.Cut(imp, "/"); {
		case ours && !allowed(own, r.own):
			t.Errorf("%s imports %s", name, own)
		case !ours && strings.Contains(first, ".") && !allowed(imp, r.others):
			t.Errorf("%s imports %s", name, imp)
		}
	}
}

func allowed(imp string, rules []string) bool {
	for _, rule := range rules {
		if imp == rule || strings.HasPrefix(imp, strings.TrimSuffix(rule, "/")+"/") && (strings.HasSuffix(rule, "/") || strings.Contains(rule, ".")) {
			return true
		}
	}
	return false
}
