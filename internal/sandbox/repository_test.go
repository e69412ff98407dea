package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func plant(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRepositoryOf(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(root, filepath.FromSlash(p)) }
	plant(t, at("main/.git/HEAD"), "ref: refs/heads/main\n")
	plant(t, at("main/.git/modules/lib/HEAD"), "x")
	plant(t, at("main/.git/modules/lib/config"), "[core]\n\tworktree = ../../../lib\n")
	plant(t, at("main/lib/.git"), "gitdir: ../.git/modules/lib\n")
	plant(t, at("main/sub/file"), "")
	plant(t, at("tree/.git"), "gitdir: "+at("main/.git/worktrees/tree")+"\n")
	plant(t, at("main/.git/worktrees/tree/gitdir"), at("tree/.git")+"\n")
	plant(t, at("main/.git/worktrees/tree/commondir"), "../..\n")
	plant(t, at("fake/.git"), "gitdir: "+at("main/.git/worktrees/tree")+"\n")
	plant(t, at("fake2/.git"), "gitdir: "+at("home")+"\n")
	plant(t, at("fake3/.git"), "gitdir: "+at("main/.git/modules/lib")+"\n")
	plant(t, at("home/config"), "[core]\n\tbare = false\n")
	for _, c := range []struct {
		dir               string
		write, pin, guard []string
	}{
		{"main", nil, []string{"main/.git", "main/.git/modules/lib", "main/.git/worktrees/tree"}, []string{"main/.git/hooks", "main/.git/config", "main/.git/commondir", "main/.git/modules/lib/config", "main/.git/worktrees/tree/commondir"}},
		{"main/sub", []string{"main/.git"}, nil, []string{"main/.git/hooks", "main/.git/config", "main/sub/.git/config"}},
		{"tree", []string{"main/.git"}, nil, []string{"main/.git/hooks", "main/.git/config", "tree/.git", "main/.git/worktrees/tree/gitdir"}},
		{"main/lib", []string{"main/.git/modules/lib"}, nil, []string{"main/.git/modules/lib/config", "main/lib/.git"}},
		{"fake", nil, nil, []string{"fake/.git"}},
		{"fake2", nil, nil, []string{"fake2/.git"}},
		{"fake3", nil, nil, []string{"fake3/.git"}},
		{"home", nil, nil, []string{"home/.git/hooks", "home/.git/config", "home/.git/commondir"}},
	} {
		r := repositoryOf(at(c.dir))
		for i, p := range c.write {
			c.write[i] = at(p)
		}
		if !slices.Equal(r.write, c.write) {
			t.Errorf("%s: writes %v, want %v", c.dir, r.write, c.write)
		}
		for _, p := range c.pin {
			if !slices.Contains(r.pinned, at(p)) {
				t.Errorf("%s: %s is not pinned: %v", c.dir, p, r.pinned)
			}
		}
		for _, p := range c.guard {
			if !slices.Contains(r.protect, at(p)) {
				t.Errorf("%s: %s is not protected: %v", c.dir, p, r.protect)
			}
		}
	}
}

func TestPlainConfig(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n": true,
		"[remote \"origin\"]\n\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n": true,
		"[core]\n\tfsmonitor = x\n":                                      false,
		"[core]\n\tfileMode = true\n\tsshCommand = x\n":                  false,
		"[include]\n\tpath = x\n":                                        false,
		"[remote \"o\"]\n\turl = ext::sh -c x\n":                         false,
		"[remote \"o\"]\n\tuploadpack = x\n":                             false,
		"[filter \"a\"]\n\tclean = x\n":                                  false,
		"[core] fsmonitor = x\n":                                         false,
		"[core]\n\tbare = false\\\n\n":                                   false,
		"[alias]\n\tst = !x\n":                                           false,
		"fsmonitor = x\n":                                                false,
		"[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/m\n": true,
	} {
		if got := plainConfig([]byte(text)); got != want {
			t.Errorf("%q: plain %v, want %v", text, got, want)
		}
	}
}
