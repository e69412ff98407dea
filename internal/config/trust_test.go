package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

func newTrust(t *testing.T) Trust {
	t.Helper()
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	return Trust{Dir: filepath.Join(t.TempDir(), "data"), Now: func() time.Time { return now }}
}

func (t Trust) must(tb *testing.T, root, digest string, want bool) {
	tb.Helper()
	got, err := t.Trusted(root, digest)
	if err != nil || got != want {
		tb.Errorf("Trusted(%s, %.20s) = %v, %v; want %v", root, digest, got, err, want)
	}
}

func TestTrust(t *testing.T) {
	t.Parallel()
	tr := newTrust(t)
	one, two := agent.Digest([]byte("one")), agent.Digest([]byte("two"))
	tr.must(t, "/a", one, false)
	if err := tr.Trust("/a", one); err != nil {
		t.Fatal(err)
	}
	if err := tr.Trust("/b", one); err != nil {
		t.Fatal(err)
	}
	tr.must(t, "/a", one, true)
	tr.must(t, "/a", two, false)
	tr.must(t, "/a/sub", one, false)
	tr.must(t, "", "", false)
	if err := tr.Trust("/a", two); err != nil {
		t.Fatal(err)
	}
	tr.must(t, "/a", one, false)
	list, err := tr.List()
	if err != nil || len(list) != 2 || list[0] != (Entry{Path: "/a", Digest: two, At: tr.Now()}) {
		t.Errorf("List = %v, %v", list, err)
	}
	for _, want := range []bool{true, false} {
		if was, err := tr.Revoke("/a"); err != nil || was != want {
			t.Errorf("Revoke = %v, %v; want %v", was, err, want)
		}
	}
	tr.must(t, "/a", two, false)
	tr.must(t, "/b", one, true)
}

func TestTrust_Refusals(t *testing.T) {
	t.Parallel()
	tr := newTrust(t)
	for _, tc := range [][2]string{{"", "sha256:x"}, {"relative", "sha256:x"}, {"/a", ""}, {"/a", "md5:x"}} {
		if err := tr.Trust(tc[0], tc[1]); err == nil {
			t.Errorf("Trust(%q) passed", tc)
		}
	}
}

func TestTrust_Modes(t *testing.T) {
	t.Parallel()
	tr := newTrust(t)
	if err := tr.Trust("/a", "sha256:x"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"trust.json": 0o600, ".": 0o700} {
		info, err := os.Stat(filepath.Join(tr.Dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

func TestTrust_BrokenList(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "{", "[]", `{"version":2}`, `{"trusted":[{"path":"/a","digest":"sha256:x"}]}`} {
		tr := newTrust(t)
		if err := os.MkdirAll(tr.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(tr.Dir, "trust.json")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := tr.Trusted("/a", "sha256:x"); got || err == nil || !strings.Contains(err.Error(), tr.Dir) {
			t.Errorf("%q: Trusted = %v, %v", content, got, err)
		}
		if err := tr.Trust("/a", "sha256:x"); err == nil {
			t.Errorf("%q: was overwritten", content)
		}
	}
}

func TestTrust_Concurrent(t *testing.T) {
	t.Parallel()
	tr := newTrust(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := tr.Trust(fmt.Sprintf("/%02d", i), "sha256:x"); err != nil {
				t.Error(err)
			}
			if i%2 == 0 {
				if was, err := tr.Revoke(fmt.Sprintf("/%02d", i)); err != nil || !was {
					t.Errorf("Revoke = %v, %v", was, err)
				}
			}
		})
	}
	all.Wait()
	if list, err := tr.List(); err != nil || len(list) != 10 || list[0].Path != "/01" {
		t.Errorf("List = %v, %v", list, err)
	}
}

// TestTrust_EditRevokes goes the whole way: untrusted, trusted, edited.
func TestTrust_EditRevokes(t *testing.T) {
	t.Parallel()
	tr := newTrust(t)
	p := newPlace(t).project("model = \"a/b\"\n")
	o := p.options()
	o.Trusted = tr.Trusted
	c := mustLoad(t, o)
	if c.Model.Value != "" || c.Project.Trusted || !strings.HasSuffix(c.IgnoredLine(), "model; to allow: agent trust") {
		t.Errorf("before: %+v, %q", c.Project, c.IgnoredLine())
	}
	if err := tr.Trust(c.Project.Root, c.Project.Digest); err != nil {
		t.Fatal(err)
	}
	if c = mustLoad(t, o); c.Model.Value != "a/b" || !c.Project.Trusted || c.IgnoredLine() != "" {
		t.Errorf("trusted: %+v, model %v, %q", c.Project, c.Model, c.IgnoredLine())
	}
	p.project("model = \"a/b\"\nhooks.onTool = \"x\"\n")
	if c = mustLoad(t, o); c.Model.Value != "" || c.Project.Trusted || c.Hooks.OnTool.Value != "" {
		t.Errorf("edited: %+v, model %v", c.Project, c.Model)
	}
}
