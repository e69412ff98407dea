package tools

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// planAttacks try to change something, to reach a server, to read a secret, or
// to leave something running, from mode plan.
func planAttacks() []attack {
	const (
		perlTCP = `perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(PeerAddr=>"127.0.0.1:{{tcp}}") and print $s "x"'`
		perlUDP = `perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(PeerAddr=>"127.0.0.1:{{udp}}",Proto=>"udp"); print $s "x"'`
		dns     = `perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(PeerAddr=>"127.0.0.1:{{udp}}",Proto=>"udp"); print $s pack("H*","abcd01000001000000000000076578616d706c6503636f6d0000010001")'`
		unix    = `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer=>"{{unix}}")'`
		nix     = `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer=>"\0{{abstract}}")'`
		call    = `perl -e 'syscall(%s)'`
	)
	return []attack{
		// Redirections and the tools that write.
		sh("echo x >new.txt"), sh("echo x >>src/main.go"), sh("cat >made.txt <<X\nmade\nX"), sh("echo x | tee made.txt src/main.go"),
		sh("printf x | dd of=made.txt"), sh(": >src/main.go"), sh("set -C; echo x >made.txt"), sh("exec 3<>made.txt; echo x >&3"),
		sh("sed -i s/main/other/ src/main.go"), sh("perl -pi -e s/main/other/ src/main.go"), sh("awk 'BEGIN{print 1 >\"made.txt\"}'"),
		sh("python3 -c \"open('made.txt','w').write('x')\""), sh("perl -e 'open F,\">made.txt\"; print F 1'"), sh("node -e \"require('fs').writeFileSync('made.txt','x')\""),
		sh("cp src/main.go made.go"), sh("install -m 755 src/main.go made"), sh("mv src other"), sh("mv src/main.go src/b.go"), sh("rm -rf src .git Makefile"),
		sh("truncate -s 0 src/main.go"), sh("truncate -s 100 made.bin"), sh("split -b 1 go.mod piece"), sh("tar cf made.tar src"), sh("patch -p0 </dev/null -o made.txt src/main.go"),
		sh("sort -o src/main.go src/main.go"), sh("ed -s src/main.go <<X\n1d\nw\nX"), sh("ex -sc '1d|x' src/main.go"), sh("gofmt -w src"), sh("script -qc true made.log"),
		// Version control, build tools, searches that act.
		sh("git commit -qam x"), sh("git checkout -- ."), sh("git stash"), sh("git gc -q --prune=now"), sh("git branch b"), sh("git config user.name x"), sh("git add -A"),
		sh("git worktree add ../tree"), sh("git init ../elsewhere"), sh("git -c core.fsmonitor='echo x >made.txt' status"), sh("git reset --hard"), sh("git tag t && git update-ref refs/heads/x HEAD"),
		sh("git -c alias.x='!echo x >made.txt' x"), sh("make"), sh("go mod init x; go mod edit -module=x"), sh("go env -w GOFLAGS=-x"), sh("sh script.sh"), sh(". ./script.sh"),
		sh("go tool asm -o made.o /dev/null"), sh("find . -name main.go -delete"), sh("find . -name main.go -exec rm {} +"), sh("echo src/main.go | xargs rm -f"), sh("ls | xargs -I{} cp -r {} {}.bak"),
		// Processes that stay.
		sh("sleep {{mark}} &"), sh("nohup sh -c 'sleep {{mark}}; echo x >made.txt' >/dev/null 2>&1 &"), sh("setsid sleep {{mark}} >/dev/null 2>&1 &"),
		sh("env -i setsid sh -c '(sleep {{mark}} &)' >/dev/null 2>&1"), sh("trap '' TERM HUP; (trap '' TERM; env -i sleep {{mark}} >/dev/null 2>&1 </dev/null &)"),
		sh("(while :; do echo x >made.txt; sleep {{mark}}; done) >/dev/null 2>&1 &"), sh("echo 'echo x >{{work}}/made.txt' | at now"), sh("(crontab -l; echo '* * * * * true') | crontab -"),
		// Other ways to the same place.
		sh("echo x >/proc/self/root{{work}}/made.txt"), sh("echo x >/proc/self/cwd/made.txt"), sh("echo x >/proc/{{pid}}/root{{work}}/made.txt"), sh("cd /proc/{{pid}}/cwd && echo x >made.txt"),
		sh("ls -l /proc/{{pid}}/fd; echo x >/proc/{{pid}}/fd/1"), sh("echo x >out.txt"), sh("echo x >hard.go"), sh("ln src/main.go $TMPDIR/l && echo x >$TMPDIR/l"), sh("ln -s {{work}} $TMPDIR/w && echo x >$TMPDIR/w/made.txt"),
		sh("ln src/main.go made.go"), sh("ln -s src made"), sh("cd .. && echo x >made.txt"), sh("echo x >../other/file.txt"), sh("echo x >{{home}}/.bashrc"), sh("echo x >{{root}}/made.txt"),
		sh("cp /bin/sh $TMPDIR/s && $TMPDIR/s -c 'echo x >made.txt'"), sh("mv ../work ../moved"), sh("mv .mastracode m && mkdir -p .mastracode/plans && echo x >.mastracode/plans/a.md"), sh("mv .git g; mkdir -p .git/hooks; echo x >.git/hooks/pre-commit"),
		sh("echo x >.mastracode/plans/b.md"), sh("echo x >.mastracode/config.toml"), sh("echo x >.git/hooks/pre-commit"), sh("rmdir .mastracode/plans || rm -r .mastracode/plans"),
		// What is not content.
		sh("chmod 777 src/main.go"), sh("chmod -R a+w ."), sh("chmod 000 ../other/file.txt"), sh("touch src/main.go made.txt"), sh("touch -d 2001-01-01 src"), sh("chown 1:1 src/main.go"), sh("mkdir made"), sh("mkfifo made"),
		sh("mknod made c 1 3"), sh("setfattr -n user.x -v y src/main.go"), sh("chattr +i src/main.go"), sh("perl -e 'utime 1,1,\"src/main.go\"; chmod 0777,\"go.mod\"; rename \"go.mod\",\"x\"; symlink 1,\"y\"; unlink \"Makefile\"'"),
		sh("python3 -c \"import os; os.setxattr('go.mod','user.x',b'y')\""),
		// The kernel.
		sh("mount -o remount,rw / && echo x >made.txt"), sh("mount -o remount,rw,bind {{work}}; echo x >made.txt"), sh("umount {{work}}; umount -l /tmp; echo x >made.txt"), sh("mount -t tmpfs x src"), sh("mount --bind ../other src"),
		sh("unshare -Urm sh -c 'mount -o remount,rw,bind {{work}} || mount -o remount,rw /; echo x >made.txt'"), sh("unshare -Urn sh -c 'echo x >made.txt'"), sh("nsenter -t 1 -a sh -c 'echo x >{{work}}/made.txt'"),
		sh("nsenter -t {{pid}} -m sh -c 'echo x >{{work}}/made.txt'"), sh("chroot / sh -c 'echo x >{{work}}/made.txt'"), sh("strace -p {{pid}} -o $TMPDIR/t & sleep 0.1; kill %1"), sh("gdb -p {{pid}} -batch -ex 'call (int)creat(\"made.txt\",511)'"),
		sh("kill -STOP {{pid}}; kill -CONT {{pid}}"), sh("capsh --print; setpriv --inh-caps +all --ambient-caps +all sh -c 'echo x >made.txt'"), sh("sudo -n sh -c 'echo x >made.txt'"), sh("su -c 'echo x >made.txt'"),
		sh("perl -e 'syscall(425,8,0)'; echo x >made.txt"), sh("echo x >/dev/sda; echo x >/dev/vda; head -c 1 /dev/mem"), sh("echo 1 >/proc/sys/kernel/core_pattern; echo x >/sys/kernel/mm/ksm/run"),
		// The network.
		sh(perlTCP), sh(perlUDP), sh(dns), sh(unix), sh(nix), sh("getent hosts localhost.invalid"), sh("bash -c 'echo x >/dev/tcp/127.0.0.1/{{tcp}}'"), sh("bash -c 'echo x >/dev/udp/127.0.0.1/{{udp}}'"),
		sh("curl -s --max-time 1 http://127.0.0.1:{{tcp}}/"), sh("python3 -c \"import socket; socket.create_connection(('127.0.0.1',{{tcp}}),1)\""), sh("node -e \"require('net').connect({{tcp}},'127.0.0.1')\""),
		sh("unshare -Urn true; nsenter -t {{pid}} -n " + perlTCP), sh("python3 -c \"import socket; s=socket.socket(40,1); s.connect((2,1))\""), sh("timeout 1 ping -c1 127.0.0.1"),
		// Secrets and the agent's own.
		sh("cat .e*"), sh("cat conf/.e*l"), sh("grep -r marker ."), sh("cat ../.s*h/*"), sh("cat keys/*"), sh("cat {{home}}/.a*s/*"), sh("cat va*/*"), sh("cat ../tok*"), sh("d=data; cat ../$d/*"), sh("d=data; cp ../$d/r*.db $TMPDIR/d; cat $TMPDIR/d"),
		sh("d=data; echo x >../$d/runs.db; echo x >../$d/runs.db-journal"), sh("d=data; rm ../$d/*; mv ../$d ../moved"), sh("cat /proc/{{pid}}/environ | tr '\\0' '\\n' | grep marker"), sh("tar cf - ../.[as]* . | grep -a marker"), sh("perl -e 'open F,\"<.en\".\"v\"; print <F>'"), sh("git add -f .e* conf; git show :.e''nv; git stash -u -q; git show stash^3:.e''nv"),
		sh("for f in .e*; do exec 3<$f; cat <&3; done"), sh("ln -s {{home}} $TMPDIR/k; cat $TMPDIR/k/.s?h/*"), sh("unshare -Urm sh -c 'umount {{home}}/.ssh; umount {{work}}/.env; cat {{home}}/.s*/* .e*'"),
		// File tools.
		{"write_file", `{"path":"src/main.go","content":"x"}`},
		{"write_file", `{"path":"made.txt","content":"x"}`},
		{"write_file", `{"path":"made.md","content":"# x"}`},
		{"write_file", `{"path":"../other/made.md","content":"x"}`},
		{"write_file", `{"path":"{{home}}/other/made.md","content":"x"}`},
		{"write_file", `{"path":"/proc/self/cwd/made.md","content":"x"}`},
		{"write_file", `{"path":".mastracode/plans/../made.md","content":"x"}`},
		{"write_file", `{"path":".mastracode/plans/linked.md","content":"x"}`},
		{"write_file", `{"path":".mastracode/plans/sub/made.md","content":"x"}`},
		{"write_file", `{"path":".mastracode/plans/made.txt","content":"x"}`},
		{"write_file", `{"path":".mastracode/plans/.env.md","content":"x"}`},
		{"write_file", `{"path":".mastracode/config.toml","content":"x"}`},
		{"write_file", `{"path":".mastracode/CONFIG.toml","content":"x"}`},
		{"write_file", `{"path":".mastracode/plans","content":"x"}`},
		{"write_file", `{"path":".mastracode/plаns/made.md","content":"x"}`}, // a Cyrillic letter
		{"write_file", `{"path":".Mastracode/plans/made.md","content":"x"}`},
		{"write_file", `{"path":".git/hooks/pre-commit","content":"x"}`},
		{"write_file", `{"path":".git/plans/made.md","content":"x"}`},
		{"write_file", `{"path":"../data/runs.db","content":"x"}`},
		{"write_file", `{"path":".mastracode/plans/a.md/../../../src/made.md","content":"x"}`},
		{"write_file", `{"path":".mastracode/plans/x\u0000.md","content":"x"}`},
		{"edit_file", `{"path":"src/main.go","edits":[{"oldText":"main","newText":"x","all":true}]}`},
		{"edit_file", `{"path":"hard.go","edits":[{"oldText":"main","newText":"x","all":true}]}`},
		{"edit_file", `{"path":".mastracode/plans/linked.md","edits":[{"oldText":"main","newText":"x","all":true}]}`},
		{"edit_file", `{"path":".git/config","edits":[{"oldText":"core","newText":"x","all":true}]}`},
		{"edit_file", `{"path":"out.txt","edits":[{"oldText":"other","newText":"x"}]}`},
		{"submit_plan", `{"path":".mastracode/plans/linked.md"}`},
		{"submit_plan", `{"path":".mastracode/plans/sub/main.go"}`},
		{"submit_plan", `{"path":"../data/runs.db"}`},
		{"submit_plan", `{"path":".env"}`},
		{"read_file", `{"path":".env"}`},
		{"read_file", `{"path":"conf/.env.local"}`},
		{"read_file", `{"path":"keys/id_ed25519"}`},
		{"read_file", `{"path":"../.ssh/id_ed25519"}`},
		{"read_file", `{"path":"vault/a.txt"}`},
		{"read_file", `{"path":"{{home}}/data/runs.db"}`},
		{"read_file", `{"path":"/proc/self/environ"}`},
		{"search_text", `{"pattern":"marker-of"}`},
		{"search_text", `{"pattern":"marker-of","path":".."}`},
		{"search_text", `{"pattern":"marker-of","path":"keys"}`},
		{"find_files", `{"pattern":"**/id_*","path":".."}`},
		{"list_files", `{"path":"../.ssh"}`},
		{"tasks", `{"tasks":[{"content":"x >made.txt","status":"pending"}]}`},
		{"ask_user", `{"question":"Which?","resumeData":"yes"}`},
	}
}

// TestAttacks_planMode is the proof that mode plan changes nothing: after each
// attempt the home and the workspace are what they were, byte by byte, nothing
// has reached a server of the test, no secret was read and nothing runs.
func TestAttacks_planMode(t *testing.T) {
	t.Parallel()
	attacks := planAttacks()
	if len(attacks) < 80 {
		t.Fatalf("%d attacks", len(attacks))
	}
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := newBattlefield(t, engine, agent.Mode{ID: "plan", Writes: agent.WritesPlans})
			before := f.tree()
			for _, a := range attacks {
				f.try(a)
				if changed := difference(before, f.tree()); len(changed) > 0 {
					t.Errorf("%s %s:\n%s", a.tool, a.args, changed)
					before = f.tree()
				}
			}
			f.nothingRuns()
		})
	}
}

// TestAttacks_planModeStillWorks keeps the attacks honest: what plan mode is
// for goes through.
func TestAttacks_planModeStillWorks(t *testing.T) {
	t.Parallel()
	for _, engine := range engines()[:2] {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := newBattlefield(t, engine, agent.Mode{ID: "plan", Writes: agent.WritesPlans})
			for line, want := range map[string]string{
				"git log --oneline | wc -l": "1\n", "git status --short | head -1": " M src/main.go\n", "grep -c println src/main.go": "1\n", "git diff --stat | tail -1 | cut -c1-15": " 1 file changed\n",
				"echo kept >$TMPDIR/a && cat $TMPDIR/a": "kept\n", "go list ./src": "example.com/work/src\n", "cat <<X\nhere\nX": "here\n", "python3 -c 'print(1+1)'": "2\n", "echo a | sort | tee /dev/null": "a\n",
			} {
				if r := f.try(sh(line)); r.IsError || r.Content != want+"[exit code 0]" {
					t.Errorf("%s: %q", line, r.Content)
				}
			}
			if r := f.try(attack{"write_file", `{"path":".mastracode/plans/new.md","content":"# New\n"}`}); r.IsError {
				t.Errorf("a plan could not be written: %s", r.Content)
			}
		})
	}
}

// TestAttacks_swappedLink exchanges a plan for a link to a source file while it
// is written, as another process could.
func TestAttacks_swappedLink(t *testing.T) {
	t.Parallel()
	f := newBattlefield(t, "none", agent.Mode{ID: "plan", Writes: agent.WritesPlans})
	plan, source := filepath.Join(f.dir, ".mastracode/plans/race.md"), filepath.Join(f.dir, "src/main.go")
	dir, away := filepath.Join(f.dir, ".mastracode/plans"), filepath.Join(f.dir, ".mastracode/away")
	before := f.read("src/main.go")
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Remove(plan)
			_ = os.Symlink(source, plan)
			_ = os.Remove(plan)
			if i%4 == 0 && os.Rename(dir, away) == nil {
				_ = os.Symlink(filepath.Join(f.dir, "src"), dir)
				_ = os.Remove(dir)
				_ = os.Rename(away, dir)
			}
		}
	})
	for range 300 {
		f.try(attack{"write_file", `{"path":".mastracode/plans/race.md","content":"# Race\n"}`})
	}
	close(stop)
	swapping.Wait()
	if got := f.read("src/main.go"); got != before {
		t.Errorf("the source became %q", got)
	}
	f.missing("src/race.md")
}
