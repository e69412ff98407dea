package permission

import (
	"strings"
	"testing"
)

// BenchmarkPolicy_Decide is one decision under the rules of the corpus, next to
// its floor: the parser alone is most of it.
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
	b.Run("floor: reading 16 KiB", func(b *testing.B) {
		line := strings.Repeat("echo a; ", maxLine/8)
		for b.Loop() {
			readLine(line, 0)
		}
	})
}
