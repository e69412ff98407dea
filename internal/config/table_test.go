package config

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of keys into docs/config.md")

const docs = "../../docs/config.md"

// TestTable holds docs/config.md against the list of keys. After a change of
// the list: go test ./internal/config -update
func TestTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, _ := strings.Cut(string(page), "| key |")
	want := prose + Table()
	if *update {
		if err := os.WriteFile(docs, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Error("docs/config.md does not list the keys as they are: go test ./internal/config -update")
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range Keys() {
		if seen[k.Name] {
			t.Errorf("%s is listed twice", k.Name)
		}
		seen[k.Name] = true
		if k.Name == "" || k.Type == "" || k.Doc == "" || k.Project == "" {
			t.Errorf("%s lacks a name, a type, a standing or a description", k.Name)
		}
		fields := strings.HasPrefix(k.Name, "[[modes]] ") || strings.HasPrefix(k.Name, "providers.NAME.")
		if fields != (k.access == nil) {
			t.Errorf("%s has no reader", k.Name)
		}
		if strings.ContainsAny(k.Doc+k.Type, "|\n") {
			t.Errorf("%s would break the table", k.Name)
		}
	}
	for _, f := range modeFields() {
		if !seen["[[modes]] "+f.name] {
			t.Errorf("the field %s of modes is not listed", f.name)
		}
	}
}

// TestDocs: the files that the pages show are files this package takes, whole.
func TestDocs(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, page := range []string{docs, "../../docs/sandbox.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "```toml\n")[1:] {
			file, _, _ := strings.Cut(block, "```")
			if c := newPlace(t).user(file).load(); len(c.Warnings) > 0 {
				t.Errorf("%s: %v\n%s", page, c.Warnings, file)
			}
			seen++
		}
	}
	if seen < 4 {
		t.Errorf("only %d files were found", seen)
	}
}
