package repofile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func openRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	outside := filepath.Join(realTemp(t), "private")
	write(t, outside, "private")
	write(t, filepath.Join(dir, "a/b/file"), "text")
	write(t, filepath.Join(dir, "a/exact"), strings.Repeat("x", 8))
	write(t, filepath.Join(dir, "a/large"), strings.Repeat("x", 9))
	link(t, outside, filepath.Join(dir, "out"))
	link(t, "a/b/file", filepath.Join(dir, "in"))
	link(t, "a", filepath.Join(dir, "linked"))
	link(t, "gone", filepath.Join(dir, "dangling"))
	tests := []struct {
		rel, want string
		err       error
	}{
		{"a/b/file", "text", nil},
		{"a/exact", "xxxxxxxx", nil},
		{"a/large", "", ErrTooLarge},
		{"out", "", ErrLink},
		{"in", "", ErrLink},
		{"dangling", "", ErrLink},
		{"linked/b/file", "", ErrLink},
		{"a/b", "", ErrIrregular},
		{"a/none", "", fs.ErrNotExist},
		{"none/file", "", fs.ErrNotExist},
		{"a/b/file/more", "", fs.ErrNotExist},
		{"../private", "", fs.ErrInvalid},
		{"/etc/passwd", "", fs.ErrInvalid},
		{"", "", fs.ErrInvalid},
		{".", "", fs.ErrInvalid},
	}
	root := openRoot(t, dir)
	for _, tc := range tests {
		t.Run(tc.rel, func(t *testing.T) {
			t.Parallel()
			got, err := Read(root, tc.rel, 8)
			if string(got) != tc.want || !errors.Is(err, tc.err) || (err == nil) != (tc.err == nil) {
				t.Errorf("Read = %q, %v; want %q, %v", got, err, tc.want, tc.err)
			}
		})
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	write(t, filepath.Join(dir, "repo/.git/HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(dir, "repo/sub/deep/file"), "")
	write(t, filepath.Join(dir, "repo/module/.git"), "gitdir: ../.git/modules/module\n")
	write(t, filepath.Join(dir, "repo/module/src/file"), "")
	write(t, filepath.Join(dir, "repo/odd/.git"), "not a pointer\n")
	write(t, filepath.Join(dir, "repo/odd2/.git/config"), "")
	write(t, filepath.Join(dir, "plain/file"), "")
	for in, want := range map[string]string{
		"repo": "repo", "repo/sub/deep": "repo", "repo/module/src": "repo/module",
		"repo/odd": "repo", "repo/odd2": "repo", "plain": "plain",
	} {
		if got := Root(filepath.Join(dir, in)); got != filepath.Join(dir, want) {
			t.Errorf("Root(%s) = %s, want %s", in, got, want)
		}
	}
}
