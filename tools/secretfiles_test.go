package tools

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkSecretFiles is the look for closed files and repositories that a
// command costs, twice in mode build: of a tree nobody has seen, and again.
func BenchmarkSecretFiles(b *testing.B) {
	dir, d := b.TempDir(), newDenied(Closed{})
	largeTree(b, dir, 20000)
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old) // what changed just now is read again
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			new(secretFiles).in(dir, d)
		}
	})
	b.Run("again", func(b *testing.B) {
		var s secretFiles
		s.in(dir, d)
		for b.Loop() {
			s.in(dir, d)
		}
	})
}
