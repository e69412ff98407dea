package permission

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// BenchmarkPolicy_Decide is one decision under the rules of the corpus, next to
// its floor.
func BenchmarkPolicy_Decide(b *testing.B) {
	for _, bc := range []struct{ name, rules, tool, what string }{
		{"without rules", "", "shell", "go test ./..."},
		{"one command", corpusRules, "shell", "go test ./... -run TestX"},
		{"a pipeline", corpusRules, "shell", "cd lib && go test ./... 2>&1 | head -20 && git status"},
		{"a script in a script", corpusRules, "shell", `timeout 60 bash -lc 'for f in *.go; do grep -n "$f" list; done'`},
		{"a path", corpusRules, "edit_file", "docs/deep/in/a.md"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			p := Policy{Rules: rulesOf(b, bc.rules)}
			req := calling(b, bc.tool, bc.what)
			b.ReportAllocs()
			for b.Loop() {
				p.Decide(req)
			}
		})
	}
	b.Run("floor: the parser on one command", func(b *testing.B) {
		for b.Loop() {
			_, _ = syntax.NewParser().Parse(strings.NewReader("go test ./... -run TestX"), "")
		}
	})
}
