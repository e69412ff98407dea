package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A repository whose configuration runs something, named by the index of the
// workspace's: git would run it when the person asks for the state of that one.
func TestBuild_PlantsNoRepositoryInTheIndex(t *testing.T) {
	t.Parallel()
	const make = identity + "mkdir -p sub && cd sub && git init -q && git commit -q --allow-empty -m x && cd .. && "
	each(t, func(t *testing.T, h *host) {
		h.git("home/work", "init", "-q")
		h.git("home/work", "commit", "-q", "--allow-empty", "-m", "one")
		evil := "git -C sub config core.fsmonitor 'touch " + h.root + "/ran; false'"
		for name, line := range map[string]string{
			"configuration":        make + evil + " && git add -f sub 2>/dev/null",
			"index version 4":      make + evil + " && git update-index --index-version 4 && touch su && git add -f su sub 2>/dev/null",
			"split index":          make + "git update-index --split-index --force-untracked-cache; " + evil + " && git add -f sub 2>/dev/null; git update-index --split-index",
			"hook":                 make + "mkdir -p sub/.git/hooks && echo x >sub/.git/hooks/fsmonitor-watchman && git add -f sub 2>/dev/null",
			"a file leads away":    make + evil + " && mv sub/.git $TMPDIR/g && echo gitdir: $TMPDIR/g >sub/.git && git add -f sub 2>/dev/null",
			"a repository in that": make + "git init -q sub/deep && cd sub/deep && git commit -q --allow-empty -m x && git config core.fsmonitor x && cd .. && git add -f deep 2>/dev/null && cd .. && git add -f sub 2>/dev/null",
		} {
			r := h.run(Policy{}, line)
			if r.err != nil || r.code != 0 || !slices.ContainsFunc(r.restored, func(p string) bool { return strings.HasSuffix(p, "/index") }) {
				t.Errorf("%s: exit code %d, restored %v, %v\n%s", name, r.code, r.restored, r.err, r.out)
			}
			h.git("home/work", "status")
			h.missing("ran")
			_ = os.RemoveAll(filepath.Join(h.work, "sub"))
			_ = os.Remove(filepath.Join(h.work, ".git/index"))
		}
		h.ok(Policy{}, make+"git add -f sub 2>/dev/null && git commit -qm two")
		for _, line := range []string{evil, "echo x >sub/.git/hooks/fsmonitor-watchman", "mv sub s2; " + make + evil, "rm -rf sub/.git; ln -s $TMPDIR sub/.git"} {
			h.run(Policy{}, line)
			config, err := os.ReadFile(filepath.Join(h.work, "sub/.git/config"))
			if err != nil || strings.Contains(string(config), "fsmonitor") {
				t.Errorf("%s: the configuration is %q, %v", line, config, err)
			}
			h.missing("home/work/sub/.git/hooks/fsmonitor-watchman")
		}
	})
}

// What leads to something protected or hidden cannot be exchanged.
func TestBuild_WaysToProtectedStay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *host) {
		h.git("home/work", "init", "-q")
		h.git("home/work", "init", "-q", "--bare", ".git/modules/a/x")
		config := h.read("home/work/.git/modules/a/x/config")
		for _, line := range []string{
			"mv .git/modules .git/m; cp -r .git/m .git/modules; echo x >>.git/modules/a/x/config",
			"mv .git/modules/a .git/b; cp -r .git/b .git/modules/a; echo x >>.git/modules/a/x/config",
			"mv .git/modules .git/m; ln -s m .git/modules; echo x >>.git/m/a/x/config",
		} {
			h.run(Policy{}, line)
			if got := h.read("home/work/.git/modules/a/x/config"); got != config || isLink(filepath.Join(h.work, ".git/modules")) {
				t.Errorf("%s: the configuration is %q", line, got)
			}
			_ = os.RemoveAll(filepath.Join(h.work, ".git/m"))
		}
		if h.sandbox.Engine() != Bubblewrap {
			return // the other engine runs nothing there
		}
		h.write("home/work/var/data/runs.db", "data\n")
		h.run(Policy{Hide: []string{filepath.Join(h.work, "var/data/runs.db")}}, "mv var v; mkdir -p var/data; echo mine >var/data/runs.db")
		if got := h.read("home/work/var/data/runs.db"); got != "data\n" {
			t.Errorf("the database is %q", got)
		}
	})
}

func TestGitlinks_AreThoseOfGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, version := range []string{"2", "3", "4"} {
		dir := t.TempDir()
		git := func(args ...string) {
			cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		git("init", "-q")
		const id = "0123456789012345678901234567890123456789"
		for _, name := range []string{"a", "long/way/to/one", "long/way/to/two", "z"} {
			git("update-index", "--add", "--cacheinfo", "160000,"+id+","+name)
			git("update-index", "--add", "--cacheinfo", "100644,"+id+","+name+".txt")
		}
		git("update-index", "--index-version", version)
		index, err := os.ReadFile(filepath.Join(dir, ".git/index"))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"a", "long/way/to/one", "long/way/to/two", "z"}
		if got := gitlinks(filepath.Join(dir, ".git"), index); !slices.Equal(got, want) {
			t.Errorf("version %s: %v", version, got)
		}
	}
}
