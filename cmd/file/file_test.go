package file

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

func TestReplaceable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"ours": "ours: 1", "theirs": "something", "empty": ""} {
		if err := Write("file", filepath.Join(dir, name), []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{ // "" for what may be replaced
		"ours": "", "empty": "", "new": "", filepath.Join(dir, "ours"): "", "./ours": "",
		"theirs": "not replaced", "folder": "not a regular file", "nowhere/new": "--out nowhere/new: ", "ours/new": "is not a directory", "-": "./-",
	} {
		path, err := Replaceable("--out", dir, name, func(data []byte) bool { return bytes.HasPrefix(data, []byte("ours")) })
		switch {
		case want == "":
			if err != nil || filepath.Dir(path) != dir {
				t.Errorf("%s: %s, %v", name, path, err)
			}
		case err == nil || exit.Of(err) != exit.Usage || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), dir+"/nowhere"):
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "result.json")
	for _, content := range []string{"first, which is longer", "second"} {
		if err := Write("result", path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
	if err := Write("result", filepath.Join(path, "below"), nil); err == nil || !strings.Contains(err.Error(), "write result") {
		t.Errorf("below a file: %v", err)
	}
}
