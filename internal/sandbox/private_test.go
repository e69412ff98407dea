package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPrivate(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "private")
	s := New(Config{Private: root})
	one, err := s.private(Policy{Workspace: "/work/a", Run: "run-1"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.private(Policy{Workspace: "/work/b", Run: "run-1"})
	if err != nil {
		t.Fatal(err)
	}
	next, err := s.private(Policy{Workspace: "/work/a", Run: "../run-2"})
	if err != nil {
		t.Fatal(err)
	}
	if one.caches == other.caches || one.temp == other.temp || one.caches != next.caches || one.temp == next.temp || !within(next.temp, root) {
		t.Errorf("places %v, %v, %v", one, other, next)
	}
	for _, dir := range []string{root, one.temp, one.caches} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
}

func TestPrivate_StaleRunsGo(t *testing.T) {
	t.Parallel()
	s := New(Config{Private: filepath.Join(t.TempDir(), "private")})
	old, err := s.private(Policy{Workspace: "/work/a", Run: "old"})
	if err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(old.temp, "mod")
	if err := os.MkdirAll(filepath.Join(locked, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(locked, 0o555) // as Go's module cache is
	long := time.Now().Add(-keepTemp - time.Hour)
	if err := os.Chtimes(old.temp, long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := s.private(Policy{Workspace: "/work/a", Run: "new"}); err != nil || exists(old.temp) {
		t.Errorf("the old files are there, %v", err)
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	caches := t.TempDir()
	p := policy{private: private{caches: caches}}
	env := []string{"HOME=/home/ann", "TMPDIR=/scratch", "GOPROXY=direct", "GOFLAGS=-v", "A=b"}
	got := p.environ(env, "/tmp")
	if valueOf(got, "TMPDIR") != "/tmp" || valueOf(got, "A") != "b" || !within(valueOf(got, "GOCACHE"), caches) || slices.Contains(got, "TMPDIR=/scratch") {
		t.Errorf("environment %v", got)
	}
	if valueOf(got, "GOMODCACHE") != "" || valueOf(got, "GOPROXY") != "direct" || valueOf(got, "CARGO_HOME") != "" {
		t.Errorf("without a network the user's modules are used: %v", got)
	}
	p.network = true
	got = p.environ(env, "/tmp")
	if !within(valueOf(got, "GOMODCACHE"), caches) || valueOf(got, "GOPROXY") != "file:///home/ann/go/pkg/mod/cache/download,direct" || valueOf(got, "GOFLAGS") != "-v -modcacherw" {
		t.Errorf("with a network modules are private: %v", got)
	}
	if err := os.Mkdir(filepath.Join(caches, "go-mod"), 0o700); err != nil {
		t.Fatal(err)
	}
	if p.network = false; !within(valueOf(p.environ(env, "/tmp"), "GOMODCACHE"), caches) {
		t.Error("what was fetched is not used later")
	}
	if !strings.Contains(strings.Join(policy{readOnly: true}.environ(nil, "/tmp"), " "), "GIT_OPTIONAL_LOCKS=0") {
		t.Error("git may want its locks")
	}
}
