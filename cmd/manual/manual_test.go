package manual

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/internal/golden"
)

// TestWrite compares the pages of commands whose help has all there is to mind.
func TestWrite(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "tool", Short: "Do 'this' - or that"}
	root.PersistentFlags().StringP("dir", "C", ".", "work in `DIR`")
	work := &cobra.Command{
		Use: "work [WHAT]", Short: "Work", Run: func(*cobra.Command, []string) {},
		Long:    "Work on \\what there is.\n.SH is no order,\n'nor is this.\n\n  -x   a table\n  ~y   `whose` lines stay\n\nThe \"end\".",
		Example: "  tool work \\\n    --fast",
	}
	work.Flags().Bool("fast", false, "do not wait")
	work.Flags().Bool("secret", false, "not to be seen")
	_ = work.Flags().MarkHidden("secret")
	root.AddCommand(work, &cobra.Command{Use: "things", Short: "What things are", Long: "Things are things."},
		&cobra.Command{Use: "old", Hidden: true, Run: func(*cobra.Command, []string) {}})
	dir := t.TempDir()
	if err := Write(root, dir, time.Date(2026, 12, 1, 1, 0, 0, 0, time.FixedZone("", 2*3600))); err != nil {
		t.Fatal(err)
	}
	written, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(written) != 3 {
		t.Fatalf("pages %q, %v", written, err)
	}
	for _, path := range written {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		golden.Want(t, filepath.Join("testdata", filepath.Base(path)), string(page))
	}
}
