package tools

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// No way of naming them leads the file tools to what git runs or what configures
// the agent.
func TestProtected_ByEveryWay(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		".git/config", ".git/hooks/pre-commit", ".git/hooks/new", ".GIT/config", ".Git/Hooks/x", ".git./config", ".git /config", "git~1/config", "GIT~1/hooks/x",
		".g\u200cit/config", "\ufeff.git/hooks/x", ".git", "sub/../.git/config", "./.git//config", "sub/.git/config", "link/config", "hooks/pre-commit", "config-link", "chain", "abs/config",
		".mastracode/config.toml", ".MastraCode/CONFIG.toml", "sub/.mastracode/config.toml", "settings/config.toml", "WORKSPACE/.git/config", "sub/WORKSPACE/../.git/config",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			for _, name := range []string{".git/config", ".git/hooks/pre-commit", ".mastracode/config.toml", "sub/x"} {
				h.write(name, "a\n")
			}
			h.link(".git", "link")
			h.link(".git/hooks", "hooks")
			h.link(".git/config", "config-link")
			h.link("config-link", "chain")
			h.link(filepath.Join(h.dir, ".git"), "abs")
			h.link(".mastracode", "settings")
			if path = filepath.Clean(path); len(path) > 9 && path[:9] == "WORKSPACE" {
				path = filepath.Join(h.dir, path[9:])
			}
			before := tree(t, h.dir)
			h.seen = map[string]string{".git/config": agent.Digest([]byte("a\n")), ".mastracode/config.toml": agent.Digest([]byte("a\n"))}
			for _, mode := range []agent.Mode{{}, {ID: "build", Writes: agent.WritesWorkspace}, {ID: "plan", Writes: agent.WritesPlans}} {
				h.mode = mode
				h.refused(WriteFile("", Closed{}), writeArgs(path, "x"))
				h.refused(EditFile("", Closed{}), jsonOf(t, map[string]any{"path": path, "edits": []any{map[string]any{"oldText": "a", "newText": "x"}}}))
			}
			if err := (Files{}).WriteFile(h.dir, path, []byte("x"), 0); err == nil {
				t.Error("undo writes it")
			}
			if after := tree(t, h.dir); after != before {
				t.Errorf("the tree was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// A hard link of a protected file is replaced, as every file is: what it was a
// link of keeps its content.
func TestProtected_HardLink(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write(".git/hooks/pre-commit", "old\n")
	if err := os.Link(filepath.Join(h.dir, ".git/hooks/pre-commit"), filepath.Join(h.dir, "x")); err != nil {
		t.Skip(err)
	}
	h.ok(ReadFile(Closed{}), `{"path":"x"}`)
	h.ok(WriteFile("", Closed{}), writeArgs("x", "evil\n"))
	if got := h.read(".git/hooks/pre-commit"); got != "old\n" {
		t.Errorf("the hook holds %q", got)
	}
}

func TestCredentials_OfGitAreNotShown(t *testing.T) {
	t.Parallel()
	for text, closed := range map[string]bool{
		"[remote \"origin\"]\n\turl = https://github.com/a/b\n":                          false,
		"[remote \"origin\"]\n\turl = git@github.com:a/b\n":                              false,
		"[remote \"origin\"]\n\turl = ssh://git@github.com/a/b\n":                        false,
		"[remote \"origin\"]\n\turl = https://ann:hunter2@github.com/a/b\n":              true,
		"[remote \"origin\"]\n\turl = https://ghp_0123456789abcdefghij@github.com/a/b\n": true,
		"[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic eDp5\n":    true,
		"[url \"https://x:y@host/\"]\n\tinsteadOf = https://host/\n":                     true,
		"[sendemail]\n\tsmtpPassword = x\n":                                              true,
	} {
		for _, name := range []string{".git/config", ".git/config.worktree", ".git/modules/a/config", "sub/.git/config"} {
			h := newHost(t, nil)
			h.write(name, text)
			for tool, args := range map[string]string{"read_file": `{"path":"` + name + `"}`, "search_text": `{"pattern":"=","path":"` + name + `"}`, "a walk": `{"pattern":"=","path":"` + filepath.Dir(name) + `"}`} {
				if tool == "a walk" {
					if r := h.run(SearchText(Closed{}), args); (r.Content == "No lines match.\n") != closed {
						t.Errorf("%s of %q: %s", tool, text, r.Content)
					}
					continue
				}
				if r := h.run(toolNamed(t, tool), args); r.IsError != closed {
					t.Errorf("%s of %q: %s", tool, text, r.Content)
				}
			}
		}
	}
}
