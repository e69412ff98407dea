package cmd

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// TestInside holds which commands refuse inside a run, over all there are: those
// that docs/cli.md names, and no other.
func TestInside(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rep, _ := b.report("run", "--model", b.script("ask.yaml", "ask_user", map[string]string{"question": "Which?"}), "Ask")
	b.env["AGENT_RUN_ID"] = rep.RunID
	words := map[string][]string{
		"run": {"Ask"}, "prune": {"--older-than", "1d", "--yes"}, "permissions check": {"ls"}, "import": {"ask.yaml"}, "delete": {rep.RunID, "--yes"},
	}
	var refuse []string
	walk(newRootCmd(b.streams(nil, nil), &globals{}), func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "agent ")
		if !c.Runnable() || c.HasSubCommands() || c.Hidden || strings.HasPrefix(name, "completion") || name == "help" {
			return
		}
		line := append(strings.Fields(name), words[name]...)
		if words[name] == nil && strings.Contains(c.Use, "RUNID") {
			line = append(line, rep.RunID)
		}
		r := b.run(line...)
		if strings.Contains(r.err, "is refused inside run") {
			r.wants(t, exit.Usage)
			refuse = append(refuse, strings.Fields(name)[0])
		}
	})
	_, row, _ := strings.Cut(readDoc(t, "cli.md"), "| `AGENT_RUN_ID` |")
	row, _, _ = strings.Cut(row, "refuse where it is set")
	var told []string
	for _, m := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row, -1) {
		told = append(told, m[1])
	}
	slices.Sort(refuse)
	slices.Sort(told)
	if refuse = slices.Compact(refuse); !slices.Equal(refuse, told) {
		t.Errorf("refused inside a run are\n%v, docs/cli.md says\n%v", refuse, told)
	}
}
