package patch

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// kept are contents under names.
type kept map[string]string

func (k kept) Blob(_ context.Context, digest string) ([]byte, error) {
	content, ok := k[digest]
	if !ok {
		return nil, fmt.Errorf("blob %s: %w", digest, fs.ErrNotExist)
	}
	return []byte(content), nil
}

func TestOf(t *testing.T) {
	t.Parallel()
	store := kept{"a": "one\ntwo\n", "b": "one\nzwei\n", "bare": "one", "binary": "a\x00b", "latin": "\xe9", "large": strings.Repeat("x\n", maxDiffed/2+1)}
	for name, tt := range map[string]struct {
		change         agent.FileChange
		status         string
		added, removed int
		text           string
	}{
		"modified":              {agent.FileChange{Path: "f", Before: "a", After: "b", Mode: "0644"}, "modified", 1, 1, "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n"},
		"added":                 {agent.FileChange{Path: "f", After: "a"}, "added", 2, 0, "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+one\n+two\n"},
		"deleted":               {agent.FileChange{Path: "f", Before: "a", Mode: "0755"}, "deleted", 0, 2, "diff --git a/f b/f\ndeleted file mode 100755\n--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"},
		"no newline at the end": {agent.FileChange{Path: "f", After: "bare"}, "added", 1, 0, "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n"},
		"a name to be quoted":   {agent.FileChange{Path: "a\tb", After: "bare"}, "added", 1, 0, "diff --git \"a/a\\tb\" \"b/a\\tb\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/a\\tb\"\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n"},
		"binary":                {agent.FileChange{Path: "f", Before: "a", After: "binary"}, "modified", 0, 0, "diff --git a/f b/f\nBinary files differ\n"},
		"no UTF-8":              {agent.FileChange{Path: "f", Before: "latin", After: "a"}, "modified", 0, 0, "diff --git a/f b/f\nBinary files differ\n"},
		"large":                 {agent.FileChange{Path: "f", Before: "a", After: "large"}, "modified", 0, 0, "diff --git a/f b/f\nFiles differ; they are too large to compare line by line\n"},
		"not kept":              {agent.FileChange{Path: "f", Before: "gone", After: "a"}, "modified", 0, 0, "diff --git a/f b/f\nFiles differ; a content was not kept, because it holds a secret\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Of(t.Context(), store, tt.change)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != tt.status || got.Added != tt.added || got.Removed != tt.removed || got.Text() != tt.text {
				t.Errorf("%s +%d -%d:\n%s\nwant %s +%d -%d:\n%s", got.Status, got.Added, got.Removed, got.Text(), tt.status, tt.added, tt.removed, tt.text)
			}
		})
	}
}

// TestFile_Stat: bars are as long as the lines that changed, or scaled so that the
// longest fills the room and none vanishes.
func TestFile_Stat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		f                  File
		widest, bar        int
		count, plus, minus string
	}{
		{File{Added: 2, Removed: 1}, 3, 10, "3", "++", "-"},
		{File{Added: 100, Removed: 1}, 101, 10, "101", "+++++++++", "-"},
		{File{Omitted: omittedBinary}, 3, 10, "binary", "", ""},
	} {
		if count, plus, minus := tt.f.Stat(tt.widest, tt.bar); count != tt.count || plus != tt.plus || minus != tt.minus {
			t.Errorf("%+v: %s %q %q, want %s %q %q", tt.f, count, plus, minus, tt.count, tt.plus, tt.minus)
		}
	}
}
