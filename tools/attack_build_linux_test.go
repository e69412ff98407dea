package tools

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/sandbox"
)

// buildAttacks try to get out of the workspace, at what is protected in it, at
// secrets or at a server, from mode build.
func buildAttacks() []attack {
	out := []attack{
		// Out of the workspace.
		sh("echo x >../other/file.txt"), sh("echo x >out.txt"), sh("rm -rf ../other"), sh("echo x >>{{home}}/.bashrc"), sh("mkdir {{root}}/made"), sh("cd .. && touch made"), sh("mv ../other o"), sh("mv ../work ../w"),
		sh("ln ../other/file.txt l && echo x >l"), sh("ln -s .. up && echo x >up/made && touch up/other/file.txt"), sh("ln -sfn {{home}} src2; cp go.mod src2/made"), sh("git worktree add ../tree"), sh("git init -q ../new"),
		sh("git clone -q . ../clone"), sh("tar cf ../made.tar src"), sh("tar -C .. -cf t.tar other && tar -C .. -xf t.tar"), sh("cp -r src ../made"), sh("python3 -c \"open('../made','w')\""), sh("perl -e 'rename \"../other\",\"o\"; mkdir \"../made\"'"),
		sh("echo x >/proc/self/cwd/../made"), sh("echo x >/proc/self/root{{home}}/made"), sh("echo x >/proc/{{pid}}/root{{home}}/made"), sh("echo x >/proc/{{pid}}/cwd/made"), sh("cd /proc/{{pid}}/fd && for f in *; do echo x >$f; done"),
		sh("go env -w GOFLAGS=-x"), sh("git config --global user.name x"), sh("npm config set x=y"), sh("echo x >{{home}}/.npmrc"), sh("mkdir -p {{home}}/.cache/go-build; echo x >{{home}}/.cache/go-build/x"), sh("mkdir -p {{home}}/go/pkg/mod/x"),
		sh("mkdir -p {{home}}/.config/git; echo x >{{home}}/.config/git/config"), sh("echo x >{{home}}/.gitconfig"), sh("echo x >/etc/profile.d/made.sh"), sh("echo x >/usr/local/bin/made"),
		// What git and the agent run or believe.
		sh("echo x >.git/hooks/post-commit"), sh("echo x >.git/hooks/pre-commit"), sh("rm -rf .git/hooks"), sh("mv .git/hooks h && mkdir .git/hooks && echo x >.git/hooks/a"), sh("mv .git g; mkdir -p .git/hooks; echo x >.git/hooks/post-checkout"),
		sh("git config core.hooksPath evil"), sh("git config core.fsmonitor ./evil"), sh("git config alias.st '!x'"), sh("echo x >>.git/config"), sh("rm .git/config; ln -s ../evil .git/config"), sh("mv .git/config c; printf '[core]\\nfsmonitor=x\\n' >.git/config"),
		sh("ln .git/config c2; echo x >>c2"), sh("ln .git/hooks/pre-commit p2; echo x >>p2"), sh("echo .. >.git/commondir"), sh("git config extensions.worktreeConfig true; echo x >.git/config.worktree"), sh("chmod 777 .git/hooks/pre-commit .git/config"),
		sh("rm -rf .git; git init -q; echo x >.git/hooks/a"), sh("perl -e 'open F,\">>.git/config\"; print F 1; truncate \".git/hooks/pre-commit\",0'"), sh("cd .git && (rm config; echo x >config)"), sh("sed -i 's/bare.*/fsmonitor = x/' .git/config"),
		sh("echo x >.mastracode/config.toml"), sh("mv .mastracode m; mkdir .mastracode; echo x >.mastracode/config.toml"), sh("rm .mastracode/config.toml; ln -s ../evil .mastracode/config.toml"), sh("rm -rf .mastracode; ln -s m .mastracode"),
		sh("ln .mastracode/config.toml c3; echo x >>c3"), sh("truncate -s0 .mastracode/config.toml"), sh("unshare -Urm sh -c 'umount .git/hooks; echo x >.git/hooks/a; umount .mastracode; echo x >.mastracode/config.toml'"),
		sh("mount -o remount,rw,bind .git/hooks; echo x >.git/hooks/a"), sh("setsid sh -c 'sleep 0.2; echo x >.git/hooks/late; echo x >../late' >/dev/null 2>&1 &"), sh("env -i setsid sh -c 'sleep {{mark}}; echo x >.git/hooks/late' >/dev/null 2>&1 </dev/null &"),
		sh("echo x >lib/.git/hooks/post-commit"), sh("cd lib && git config core.fsmonitor x"), sh("cd lib && mv .git g && mkdir .git && cp g/HEAD .git && printf '[core]\\nfsmonitor=x\\n' >.git/config"),
		// Secrets, the agent's data, other processes, the network.
		sh("d=data; cat ../$d/*; echo x >../$d/runs.db; rm ../$d/*"), sh("d=data; mv ../$d ../d; echo x >../$d-wal"), sh("d=data; ln -s ../$d l4; cat l4/*"), sh("cat ../.s?h/* keys/* ../.a*s/* ../tok*"), sh("cp -r ../.s?h s; cat s/*"),
		sh("tar cf - .. 2>/dev/null | grep -a marker-of-[akd]"), sh("cat /proc/{{pid}}/environ | tr '\\0' '\\n' | grep marker"), sh("unshare -Urm sh -c 'umount {{home}}/.ssh; cat {{home}}/.s?h/*'"), sh("kill -STOP {{pid}}; kill -CONT {{pid}}"),
		sh("gdb -p {{pid}} -batch -ex 'call (int)creat(\"{{home}}/made\",511)'"), sh("nsenter -t {{pid}} -a sh -c 'echo x >{{home}}/made'"), sh("mount -o remount,rw /; echo x >../made"), sh("chroot / sh -c 'echo x >{{home}}/made'"),
		{"write_file", `{"path":"../other/made","content":"x"}`},
		{"write_file", `{"path":"out.txt","content":"x"}`},
		{"write_file", `{"path":".git/hooks/post-commit","content":"x"}`},
		{"write_file", `{"path":".GIT/hooks/post-commit","content":"x"}`},
		{"write_file", `{"path":"src/../.git/config","content":"x"}`},
		{"write_file", `{"path":".mastracode/config.toml","content":"x"}`},
		{"write_file", `{"path":"{{home}}/data/runs.db-wal","content":"x"}`},
		{"write_file", `{"path":".env","content":"x"}`},
		{"write_file", `{"path":"keys/id_rsa","content":"x"}`},
		{"edit_file", `{"path":".git/config","edits":[{"oldText":"core","newText":"x","all":true}]}`},
		{"read_file", `{"path":"keys/id_ed25519"}`},
		{"search_text", `{"pattern":"marker-of","path":"."}`},
	}
	for _, a := range planAttacks() { // every way to a server
		if strings.Contains(a.args, "{{tcp}}") || strings.Contains(a.args, "{{udp}}") || strings.Contains(a.args, "{{unix}}") || strings.Contains(a.args, "{{abstract}}") || strings.Contains(a.args, "socket(40") {
			out = append(out, a)
		}
	}
	return out
}

// guardedPart is what of a tree mode build must not change: all outside of the
// workspace, and what is protected in it. Landlock lets metadata pass; what is
// put back is another file with the same content.
func (f *battlefield) guardedPart(engine string) map[string]traits {
	out := map[string]traits{}
	for path, is := range f.tree() {
		rel, err := filepath.Rel(f.dir, path)
		inside := err == nil && filepath.IsLocal(rel)
		guarded := strings.HasPrefix(rel, ".git/hooks/") || strings.HasPrefix(rel, "lib/.git/hooks/") || slices.Contains([]string{".git/config", ".git/commondir", ".git/config.worktree", "lib/.git/config", ".mastracode/config.toml"}, rel)
		switch {
		case inside && guarded:
			out[path] = traits{content: is.content}
		case inside:
		case engine == sandbox.Landlock:
			out[path] = traits{content: is.content}
		default:
			out[path] = is
		}
	}
	return out
}

// TestAttacks_buildMode tries to get out of what mode build may do: whatever a
// command says, what is guarded is as it was when the call is over.
func TestAttacks_buildMode(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := newBattlefield(t, engine, agent.Mode{ID: "build", Writes: agent.WritesWorkspace})
			before := f.guardedPart(engine)
			for _, a := range buildAttacks() {
				if engine == sandbox.None && a.tool == "shell" {
					continue // nothing confines it, and doctor says so
				}
				f.try(a)
				if changed := difference(before, f.guardedPart(engine)); len(changed) > 0 {
					t.Errorf("%s %s:\n%s", a.tool, a.args, changed)
					before = f.guardedPart(engine)
				}
			}
			f.nothingRuns()
		})
	}
}

// TestAttacks_buildModeStillWorks keeps these attacks honest too.
func TestAttacks_buildModeStillWorks(t *testing.T) {
	t.Parallel()
	for _, engine := range engines()[:2] {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := newBattlefield(t, engine, agent.Mode{ID: "build", Writes: agent.WritesWorkspace})
			for _, line := range []string{
				"make && test -s made.txt", "git -c user.name=a -c user.email=a@b commit -qam two", "git checkout -q -b x && git stash list && git gc -q", "mkdir -p a/b && mv a/b c && rm -r a c",
				"mkfifo p && chmod 600 p && touch -d 2001-01-01 p && ln -s p q", "npm --version >/dev/null", "git worktree list", "git status --short",
			} {
				if r := f.try(sh(line)); r.IsError {
					t.Errorf("%s: %q", line, r.Content)
				}
			}
			call := f.call(f.names.Replace(sh(`bash -c 'exec 3<>/dev/tcp/127.0.0.1/{{tcp}}'`).args))
			call.Approved = true
			r, err := f.tools["shell"].Call(t.Context(), call)
			if err != nil || r.IsError || <-f.heard == "" {
				t.Errorf("an approved command has no network: %+v, %v", r, err)
			}
		})
	}
}

// TestAttacks_linkedWorktree commits from a linked worktree, whose repository
// lies elsewhere, and attacks that repository.
func TestAttacks_linkedWorktree(t *testing.T) {
	t.Parallel()
	for _, engine := range engines()[:2] {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := newBattlefield(t, engine, agent.Mode{ID: "build", Writes: agent.WritesWorkspace})
			main := f.dir
			f.git("worktree", "add", "-q", "../tree", "-b", "tree")
			f.dir = filepath.Join(f.home, "tree")
			if r := f.try(sh("echo x >new && git add new && git -c user.name=a -c user.email=a@b commit -qm two && git log --oneline | wc -l")); r.IsError || !strings.HasPrefix(r.Content, "2\n") {
				t.Errorf("commit: %q", r.Content)
			}
			config, err := os.ReadFile(filepath.Join(main, ".git/config"))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{
				"echo x >" + main + "/.git/hooks/post-commit", "git config core.fsmonitor x", "echo x >" + main + "/src/main.go", "rm .git; echo 'gitdir: {{home}}' >.git", "echo x >" + main + "/.git/worktrees/tree/commondir",
				"echo 'gitdir: {{home}}/other' >.git; echo x >../other/file.txt", "mv " + main + "/.git " + main + "/g",
			} {
				f.try(sh(line))
			}
			f.dir = main
			if got := f.read(".git/config"); got != string(config) {
				t.Errorf("the configuration is %q", got)
			}
			if got := f.read("../tree/.git"); !strings.Contains(got, "worktrees/tree") {
				t.Errorf("the worktree leads to %q", got)
			}
			if got := f.read(".git/worktrees/tree/commondir"); got != "../..\n" {
				t.Errorf("the worktree's repository is %q", got)
			}
			f.missing(".git/hooks/post-commit")
			if got := f.read("../other/file.txt"); got != "other\n" {
				t.Errorf("the other file is %q", got)
			}
		})
	}
}
