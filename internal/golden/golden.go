// Package golden holds what tests get against files that are reviewed like code.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

var update = flag.Bool("update", false, "write golden files anew")

// Want compares got with the file of this path. With -update it writes the file
// instead.
func Want(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s, which -update writes anew (-want +got):\n%s", path, d)
	}
}

// WantScreen is Want for what a terminal of so many columns shows, in the file
// PATH.COLUMNS.golden. No row is wider, but for commands and digests, which stay
// in one piece.
func WantScreen(t testing.TB, path string, columns int, got string) {
	t.Helper()
	for i, row := range strings.Split(got, "\n") {
		whole := strings.HasPrefix(row, "  agent resume ") || strings.HasPrefix(strings.TrimSpace(row), "sha256:")
		if text.Width(row) > columns && !whole {
			t.Errorf("row %d takes %d cells of %d: %s", i+1, text.Width(row), columns, row)
		}
	}
	Want(t, fmt.Sprintf("%s.%d.golden", path, columns), got)
}
