package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// TestAttacks_newRepositories makes repositories in the workspace that no index
// names, with something in them that git would run the next time it is used
// there. Marks would appear in the user's home.
func TestAttacks_newRepositories(t *testing.T) {
	t.Parallel()
	const payload = "touch {{home}}/ran"
	plant := func(hook string) string {
		return "printf '#!/bin/sh\n" + payload + "\n' >" + hook + " && chmod +x " + hook
	}
	config := func(file string) string {
		return "printf '[core]\n\tfsmonitor = \"" + payload + "; false\"\n' >>" + file
	}
	alias := func(file string) string {
		return "printf '[alias]\n\tst = \"!" + payload + "\"\n' >>" + file
	}
	for _, engine := range engines()[:2] {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := newBattlefield(t, engine, agent.Mode{ID: "build", Writes: agent.WritesWorkspace})
			for _, lines := range [][]string{
				{"git init -q sub && " + plant("sub/.git/hooks/post-commit")},
				{"git init -q sub && " + config("sub/.git/config")},
				{"git init -q sub && printf '[core]\n\thooksPath = ../evil\n' >>sub/.git/config && mkdir -p evil && " + plant("evil/post-commit")},
				{"git init -q sub", plant("sub/.git/hooks/post-commit")},
				{"git init -q sub", config("sub/.git/config")},
				{"git init -q sub", "cd sub && mv .git g && git init -q . && " + config(".git/config")},
				{"git init -q sub", "mv sub gone && git init -q sub && " + config("sub/.git/config")},
				{"git init -q a/b/sub && mv a/b/sub sub && " + config("sub/.git/config")},
				{"git init -q evil && mv evil/.git evil/g && " + config("evil/g/config") + " && mkdir sub && echo 'gitdir: ../evil/g' >sub/.git"},
				{"git init -q evil && mv evil/.git evil/g && " + config("evil/g/config") + " && mkdir sub && ln -s ../evil/g sub/.git"},
				{"git init -q sub && git init -q evil && mv evil/.git sub/c && " + config("sub/c/config") + " && echo ../c >sub/.git/commondir"},
				{"git init -q sub && git -C sub config extensions.worktreeConfig true && " + config("sub/.git/config.worktree")},
				{"git init -q --bare sub && " + alias("sub/config")},
				{"git init -q --bare sub", alias("sub/config")},
				{"git init -q sub && mv sub/.git g && rmdir sub && mv g sub", alias("sub/config")},
				{"git init -q --bare evil && " + alias("evil/config") + " && mkdir sub && cp evil/HEAD sub && echo ../evil >sub/commondir"},
				{"mkdir sub && echo 'gitdir: nowhere' >sub/.git", "rm sub/.git; cd sub && git init -q . && " + config(".git/config")},
				{"git init -q sub && ln -s ../../evil-hooks sub/.git/h && rm -rf sub/.git/hooks && mv sub/.git/h sub/.git/hooks && mkdir evil-hooks && " + plant("evil-hooks/post-commit")},
			} {
				for _, line := range lines {
					f.try(sh(line))
				}
				for _, args := range [][]string{{"status"}, {"st"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"}} {
					cmd := exec.Command("git", args...)
					cmd.Dir, cmd.Env = filepath.Join(f.dir, "sub"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home, "GIT_CONFIG_NOSYSTEM=1"}
					_ = cmd.Run() // it may be no repository any more
				}
				if _, err := os.Lstat(filepath.Join(f.home, "ran")); err == nil {
					t.Errorf("git ran what the agent left: %s", strings.Join(lines, "; then "))
					_ = os.Remove(filepath.Join(f.home, "ran"))
				}
				for _, left := range []string{"sub", "evil", "evil-hooks", "a", "gone"} {
					_ = os.RemoveAll(filepath.Join(f.dir, left))
				}
			}
		})
	}
}

// What is taken away is told, and repositories that name nothing to run work.
func TestShellConfined_NewRepositories(t *testing.T) {
	t.Parallel()
	confined(t, ShellConfig{}, func(t *testing.T, h *host, _ string) {
		r := h.run(h.tool, shellArgs("git init -q sub && echo x >sub/.git/hooks/pre-push && git -C sub config alias.x '!x' && git -C sub config user.name ann"))
		mustSay(t, r.Content, "taken back", "sub/.git/hooks", "sub/.git/config")
		if config := h.read("sub/.git/config"); !r.IsError || strings.Contains(config, "!x") || !strings.Contains(config, "name = ann") {
			t.Errorf("error %t, configuration %q", r.IsError, config)
		}
		r = h.run(h.tool, shellArgs("git init -q fine && cd fine && echo x >a && git add a && git -c user.name=a -c user.email=a@b commit -qm one && git worktree add -q ../tree && git -C ../tree log --oneline | wc -l"))
		if r.IsError || !strings.HasPrefix(r.Content, "1\n") {
			t.Errorf("an honest repository: %q", r.Content)
		}
		if r = h.run(h.tool, shellArgs("cd fine && echo y >>a && git -c user.name=a -c user.email=a@b commit -qam two && git -C ../tree status --short")); r.IsError {
			t.Errorf("the next command: %q", r.Content)
		}
	})
}
