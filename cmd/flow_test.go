package cmd

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/internal/golden"
)

// TestScreens_flow compares a whole run of the demo, each command on a terminal
// where nobody is asked.
func TestScreens_flow(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{60, 160} {
		b := newBench(t)
		b.write("README.md", "# Demo\n")
		var all strings.Builder
		for _, args := range [][]string{
			{"run", "--model", "demo", "Add a greeting"}, {"resume", "latest", "--answer", "Short note"},
			{"resume", "latest", "--reject", "--feedback", "shorter"}, {"resume", "latest", "--approve"},
			{"show", "latest"}, {"plans", "show"}, {"plans", "diff"},
		} {
			var both bytes.Buffer
			s := b.streams(&both, &both)
			s.OutTTY, s.ErrTTY, s.Columns = true, true, func() int { return columns }
			s.Now = func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local) }
			execute(context.Background(), s, args)
			fmt.Fprintf(&all, "$ agent %s\n%s\n", strings.Join(args, " "), both.String())
		}
		golden.WantScreen(t, filepath.Join("testdata", "flow", "demo"), columns, steady(all.String(), b.dir))
	}
}

// steady replaces what differs from run to run by something as wide.
func steady(screen, dir string) string {
	for _, r := range []struct{ old, new string }{
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "019f0000-0000-7000-8000-00000000000a"},
		{regexp.QuoteMeta(dir) + `|Workspace: .*`, "Workspace: <dir>"},
	} {
		screen = regexp.MustCompile(r.old).ReplaceAllString(screen, r.new)
	}
	return screen
}
