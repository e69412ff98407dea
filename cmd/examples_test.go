package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
)

// TestExamples: what the helps and the pages tell people to type is a command
// line that is understood: a command there is, with flags and arguments it has.
func TestExamples(t *testing.T) {
	t.Parallel()
	root := newRootCmd(newBench(t).streams(nil, nil), &globals{})
	walk(root, func(c *cobra.Command) {
		checkExamples(t, "help of "+c.CommandPath(), c.Example)
	})
	pages, err := filepath.Glob(filepath.Join("..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range append(pages, filepath.Join("..", "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shellBlocks(string(text)) {
			found += checkExamples(t, filepath.Base(page), block)
		}
	}
	if found < 20 {
		t.Errorf("only %d command lines were found in the pages", found)
	}
}

// shellBlocks are the places of a page that show what is typed.
func shellBlocks(page string) []string {
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```(sh|console|)\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		switch {
		case m[1] == "console":
			typed := regexp.MustCompile(`(?m)^\$ (.*)$`).FindAllStringSubmatch(m[2], -1)
			for _, line := range typed {
				blocks = append(blocks, line[1])
			}
		case m[1] == "sh" || strings.HasPrefix(m[2], "agent ") && !strings.Contains(m[2], "   "):
			blocks = append(blocks, m[2])
		}
	}
	return blocks
}

// checkExamples returns how many command lines of ours it found.
func checkExamples(t *testing.T, where, script string) int {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(script), where)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return 0
	}
	found := 0
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || call.Args[0].Lit() != "agent" {
			return true
		}
		found++
		var args []string
		for _, w := range call.Args[1:] {
			args = append(args, wordText(w))
		}
		if err := understood(args); err != nil {
			t.Errorf("%s: agent %s: %v", where, strings.Join(args, " "), err)
		}
		return true
	})
	return found
}

// wordText is a word as a shell gives it, with a number for what it would
// compute.
func wordText(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(n.Value)
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		case *syntax.ParamExp, *syntax.CmdSubst:
			b.WriteString("1")
			return false
		}
		return true
	})
	return b.String()
}

// understood reports whether cobra takes a command line, without running it.
func understood(args []string) error {
	root := newRootCmd(&iostreams.Streams{}, &globals{})
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}
