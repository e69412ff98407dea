package agent_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every piece of Go in docs/library.md stands in the examples, word by word.
func TestDocs_LibraryIsTested(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	trim := regexp.MustCompile(`(?m)^\s+`)
	tested := trim.ReplaceAllString(string(examples), "")
	blocks := strings.Split(string(doc), "```go\n")[1:]
	if len(blocks) < 8 {
		t.Fatalf("%d pieces of code", len(blocks))
	}
	for _, b := range blocks {
		code, _, _ := strings.Cut(b, "```")
		if !strings.Contains(tested, trim.ReplaceAllString(code, "")) {
			t.Errorf("not in example_test.go:\n%s", code)
		}
	}
}
