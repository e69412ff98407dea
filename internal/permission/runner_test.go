package permission

import (
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// runners are command lines that run rm by way of another program, and what
// becomes of them under --yolo where rm is denied.
var runners = []struct {
	line string
	want agent.Action
}{
	// git: aliases, settings, commands.
	{"git -c alias.x='!rm -rf ~' x", agent.ActionDeny},
	{"git -c alias.x='bisect run rm' x", agent.ActionDeny},
	{"git -c core.pager='rm x' log", agent.ActionDeny},
	{"git -c core.sshCommand='rm x' fetch", agent.ActionDeny},
	{"git -c core.hooksPath=/tmp/x commit", agent.ActionAsk},
	{"git -c include.path=/tmp/x log", agent.ActionAsk},
	{"git -c \"$SETTING\" log", agent.ActionAsk},
	{"git -c submodule.x.update='!rm x' submodule update", agent.ActionDeny},
	{"git -c diff.x.textconv='rm x' diff", agent.ActionDeny},
	{"git --config-env=core.pager=P log", agent.ActionAsk},
	{"git --exec-path=/tmp/x log", agent.ActionAsk},
	{"git config alias.x '!rm x'", agent.ActionDeny},
	{"git config --global alias.x '!rm x' && git x", agent.ActionDeny},
	{"git config set alias.x '!rm x'", agent.ActionDeny},
	{"git config core.fsmonitor 'rm x'", agent.ActionDeny},
	{"git config core.hooksPath x", agent.ActionAsk},
	{"git bisect run rm x", agent.ActionDeny},
	{"git bisect run sh -c 'rm x'", agent.ActionDeny},
	{"git -C lib bisect run rm x", agent.ActionDeny},
	{"git submodule foreach 'rm x'", agent.ActionDeny},
	{"git submodule --quiet foreach --recursive rm x", agent.ActionDeny},
	{"git rebase --exec 'rm x' main", agent.ActionDeny},
	{"git rebase --exec='rm x' main", agent.ActionDeny},
	{"git rebase -x 'rm x' main", agent.ActionDeny},
	{"git rebase -ix 'rm x' main", agent.ActionDeny},
	{"git filter-branch --tree-filter 'rm x' HEAD", agent.ActionDeny},
	{"git filter-branch --msg-filter 'cat; rm x'", agent.ActionDeny},
	{"git difftool -x 'rm x'", agent.ActionDeny},
	{"git difftool --extcmd='rm x'", agent.ActionDeny},
	{"git grep -O'rm x' y", agent.ActionDeny},
	{"git grep --open-files-in-pager='rm x' y", agent.ActionDeny},
	{"git clone -u 'rm x' a b", agent.ActionDeny},
	{"git clone -c core.fsmonitor='rm x' a b", agent.ActionDeny},
	{"git clone --config=core.fsmonitor='rm x' a b", agent.ActionDeny},
	{"git clone 'ext::sh -c rm% x' b", agent.ActionAsk},
	{"git fetch --upload-pack='rm x' a", agent.ActionDeny},
	{"git push --receive-pack 'rm x' a", agent.ActionDeny},
	{"git for-each-repo --config=x rm", agent.ActionAsk},

	// Variables.
	{"GIT_SSH_COMMAND='rm x' git fetch", agent.ActionDeny},
	{"PAGER='rm x' git log", agent.ActionDeny},
	{"GIT_PAGER='rm x' git -p log", agent.ActionDeny},
	{"env GIT_EDITOR='rm x' git commit", agent.ActionDeny},
	{"export GIT_SSH_COMMAND='rm x'; git fetch", agent.ActionDeny},
	{"GIT_EDITOR='rm x'; git commit", agent.ActionDeny},
	{"EDITOR=\"$X\" git commit", agent.ActionAsk},
	{"LD_PRELOAD=./x.so ls", agent.ActionAsk},
	{"BASH_ENV=./x bash y", agent.ActionAsk},
	{"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm' git x", agent.ActionAsk},

	// Package runners and containers.
	{"npm exec -- rm x", agent.ActionDeny},
	{"npm exec rm x", agent.ActionDeny},
	{"npm --prefix web exec -c 'rm x'", agent.ActionDeny},
	{"npm x -- rm x", agent.ActionDeny},
	{"npx rm x", agent.ActionDeny},
	{"npx --yes -p a rm x", agent.ActionDeny},
	{"npx -c 'rm x'", agent.ActionDeny},
	{"npx --new-option rm x", agent.ActionDeny},
	{"npx --new-option value rm x", agent.ActionAsk},
	{"pnpm dlx rm x", agent.ActionDeny},
	{"pnpm exec rm x", agent.ActionDeny},
	{"yarn dlx rm x", agent.ActionDeny},
	{"yarn exec 'rm x'", agent.ActionDeny},
	{"bun x rm x", agent.ActionDeny},
	{"uv run rm x", agent.ActionDeny},
	{"poetry run rm x", agent.ActionDeny},
	{"bundle exec rm x", agent.ActionDeny},
	{"npm --script-shell='rm x' run build", agent.ActionDeny},
	{"go test -exec 'rm x' ./...", agent.ActionDeny},
	{"go run -exec='rm x' .", agent.ActionDeny},
	{"go vet -vettool=/bin/rm ./...", agent.ActionDeny},
	{"docker run --rm -v /:/h --name x alpine rm x", agent.ActionDeny},
	{"docker exec -it c sh -c 'rm x'", agent.ActionDeny},
	{"docker compose run --rm app rm x", agent.ActionDeny},
	{"kubectl exec pod -it -- rm x", agent.ActionDeny},
	{"make SHELL='rm x'", agent.ActionDeny},
	{"make GO='rm x; true' build", agent.ActionDeny},
	{"make --eval='$(shell rm x)'", agent.ActionAsk},

	// Programs that run others.
	{"env -S 'sh -c' 'rm x'", agent.ActionAsk},
	{"env -S 'rm\\_x'", agent.ActionAsk},
	{"ssh host 'cd x; rm y'", agent.ActionDeny},
	{"ssh -o ProxyCommand='rm x' host", agent.ActionDeny},
	{"scp -oProxyCommand='rm x' a host:", agent.ActionDeny},
	{"parallel rm ::: x", agent.ActionDeny},
	{"parallel ::: 'rm x' ls", agent.ActionDeny},
	{"parallel {} ::: 'rm x'", agent.ActionAsk},
	{"parallel 'sh -c {}' ::: 'rm x'", agent.ActionAsk},
	{"parallel -j4 --keep-order 'rm {}' ::: x", agent.ActionDeny},
	{"watch -x rm x", agent.ActionDeny},
	{"ls | entr rm x", agent.ActionDeny},
	{"ls | entr -s 'ls; rm x'", agent.ActionDeny},
	{"script -c 'rm x' log", agent.ActionDeny},
	{"script -q log -- rm x", agent.ActionDeny},
	{"su root -c 'rm x'", agent.ActionDeny},
	{"su - root -- -c 'rm x'", agent.ActionAsk},
	{"su -s /bin/rm root", agent.ActionAsk},
	{"runuser -u bob -- rm x", agent.ActionDeny},
	{"flock lock -c 'rm x'", agent.ActionDeny},
	{"flock --nonblock lock rm x", agent.ActionDeny},
	{"nsenter -t 1 -m -r rm x", agent.ActionDeny},
	{"nsenter --target 1 --all rm x", agent.ActionDeny},
	{"unshare --user --map-root-user rm x", agent.ActionDeny},
	{"chroot --userspec root / rm x", agent.ActionDeny},
	{"systemd-run -t --user rm x", agent.ActionDeny},
	{"systemd-run --unit x rm y", agent.ActionDeny},
	{"busybox sh -c 'rm x'", agent.ActionDeny},
	{"setarch -R rm x", agent.ActionDeny},
	{"xargs --replace rm x", agent.ActionDeny},
	{"tmux new -d 'rm x'", agent.ActionAsk},
	{"echo rm x | at now", agent.ActionAsk},

	// Programs with a pager, a filter or a language.
	{"vim -c '!rm x' y", agent.ActionDeny},
	{"vim '+:!rm x' y", agent.ActionDeny},
	{"vim -c 'call system(\"rm\")' y", agent.ActionAsk},
	{"less '+!rm x' y", agent.ActionDeny},
	{"man -P 'rm x' ls", agent.ActionDeny},
	{"man --pager='rm x' ls", agent.ActionDeny},
	{"tar xf a --to-command='rm x'", agent.ActionDeny},
	{"tar cf a . --checkpoint=1 --checkpoint-action=exec='rm x'", agent.ActionDeny},
	{"tar cf a . --checkpoint-action 'exec=rm x'", agent.ActionDeny},
	{"tar -I 'rm x' -cf a .", agent.ActionDeny},
	{"tar -cf a -F'rm x' .", agent.ActionDeny},
	{"rsync -e 'rm x' a b:", agent.ActionDeny},
	{"rsync -ave 'rm x' a b:", agent.ActionDeny},
	{"find . -ok rm {} ;", agent.ActionDeny},
	{"fd -x rm", agent.ActionDeny},
	{"fd . --exec-batch rm {}", agent.ActionDeny},
	{"rg --pre=rm x", agent.ActionDeny},
	{"sort --compress-program=rm x", agent.ActionDeny},
	{"split --filter='rm x' y", agent.ActionDeny},
	{"zip a b -TT 'rm x'", agent.ActionDeny},
	{"nc -e /bin/rm host 1", agent.ActionDeny},
	{"awk 'BEGIN { system(\"rm x\") }'", agent.ActionAsk},
	{"awk '{ print | \"rm\" }' x", agent.ActionAsk},
	{"awk -F: -v a=b '/x/ { \"rm x\" | getline }' y", agent.ActionAsk},
	{"gawk -e '{ @f() }' x", agent.ActionAsk},
	{"awk \"$PROGRAM\" x", agent.ActionAsk},
	{"sed '1e rm x' y", agent.ActionAsk},
	{"sed -n 's/a/rm x/e' y", agent.ActionAsk},
	{"sed -i.bak -e s/a/b/ -e 's|x|rm|ge' y", agent.ActionAsk},
	{"sed -i.conf '1e rm' y", agent.ActionAsk},
}

// plainRunners are command lines of the same programs that run nothing else.
var plainRunners = []string{
	"git -c color.ui=never log", "git -c user.name=x -c core.autocrlf=false status", "git config user.name x", "git config --get alias.x",
	"git -c core.pager=cat log", "git -c core.hooksPath=/dev/null commit", "git config remote.origin.url x", "git -c filter.lfs.smudge= -c filter.lfs.required=false clone a b", "git bisect start", "git submodule update --init", "git rebase -i main", "git grep -n x", "git clone -b main a b",
	"git config alias.st status", "git log -p --stat", "npm run build", "npm install exec", "npm test -- --watch", "yarn build", "pnpm install",
	"go run .", "docker ps", "docker build -t x .", "kubectl get pods", "make build V=1 GOOS=linux", "make CFLAGS='-O2 -g'", "sort -u x", "tar xzf a.tgz",
	"rsync -av a b", "vim x", "less x", "man ls", "fd x", "rg -n x", "awk '{ print $1 }' x", "awk -F: '/a|b/ && $1 > 3 || NR == 1 { n++ } END { print n }' x",
	"awk '{ print \"a | b\" }' x", "sed -n '1,20p' x", "sed 's/a|e/b/g; s|x|y|' x", "sed -e '/x/d' -e '$!d' x", "sed -E 's/(a)/\\1/2' x", "sed -n '/a/,/b/{p;q}' x",
	"sed '1i\\' x", "ssh -o StrictHostKeyChecking=no -p 22 host ls", "tar cf a . --checkpoint-action=dot", "CC=gcc make", "PAGER=cat git log", "GIT_PAGER= git log",
	"xargs -0 -n1 ls", "watch -n 1 ls", "tmux ls", "crontab -l", "script -c ls log", "timeout --foreground 5 ls", "env -i ls",
}

func TestPolicy_denialsSeeThroughRunners(t *testing.T) {
	t.Parallel()
	p := Policy{Yolo: true, Rules: rulesOf(t, "deny shell(rm)")}
	for _, tc := range runners {
		if d := p.Explain(calling(t, "shell", tc.line)); d.Action != tc.want || d.Reason == "" {
			t.Errorf("%q: %s (%s), want %s", tc.line, d.Action, d.Reason, tc.want)
		}
	}
	for _, line := range plainRunners {
		if d := p.Explain(calling(t, "shell", line)); d.Action != agent.ActionAllow {
			t.Errorf("%q: %s (%s), want allow", line, d.Action, d.Reason)
		}
	}
}

// A rule with a star allows no command that such a program would run.
func TestPolicy_starsAllowNoRunner(t *testing.T) {
	t.Parallel()
	lines := ""
	for _, program := range []string{
		"git", "npm", "npx", "pnpm", "yarn", "bun", "uv", "poetry", "bundle", "go", "docker", "kubectl", "make", "env", "ssh", "scp", "parallel", "watch", "ls", "entr",
		"script", "su", "runuser", "flock", "nsenter", "unshare", "chroot", "systemd-run", "busybox", "setarch", "xargs", "tmux", "at", "echo", "vim", "less", "man",
		"tar", "rsync", "find", "fd", "rg", "sort", "split", "zip", "nc", "awk", "gawk", "sed", "export", "bash",
	} {
		lines += "allow shell(" + program + " *)\n"
	}
	p := Policy{Rules: rulesOf(t, lines)}
	for _, tc := range runners {
		if d := p.Explain(calling(t, "shell", tc.line)); d.Action != agent.ActionAsk {
			t.Errorf("%q: %s (%s), want ask", tc.line, d.Action, d.Reason)
		}
	}
}

// What an argument runs is allowed by a rule that names the argument as it is.
func TestPolicy_namedArgumentsAllowWhatTheyRun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, line string
		want       agent.Action
	}{
		{`shell(man -P "rm x" *)`, `man -P 'rm x' ls`, agent.ActionAllow},
		{`shell(man -P * *)`, `man -P 'rm x' ls`, agent.ActionAsk},
		{`shell(PAGER=less git log *)`, `PAGER=less git log -1`, agent.ActionAllow},
		{`shell(PAGER=* git log *)`, `PAGER='rm x' git log -1`, agent.ActionAsk},
		{`shell(git -c core.pager=less log *)`, `git -c core.pager=less log`, agent.ActionAllow},
		{`shell(git -c core.hooksPath=x commit *)`, `git -c core.hooksPath=x commit`, agent.ActionAllow},
		{`shell(git bisect run make *)`, `git bisect run make test`, agent.ActionAllow},
		{`shell(git bisect run *)`, `git bisect run make test`, agent.ActionAsk},
		{`shell(npm exec eslint *)`, `npm exec eslint .`, agent.ActionAllow},
		{`shell(npx eslint *)`, `npx eslint .`, agent.ActionAllow},
		{`shell(awk *)`, `awk '{ print $1 }' x`, agent.ActionAllow},
	} {
		p := Policy{Rules: rulesOf(t, "allow "+tc.rule)}
		if d := p.Explain(calling(t, "shell", tc.line)); d.Action != tc.want {
			t.Errorf("%s, %q: %s (%s), want %s", tc.rule, tc.line, d.Action, d.Reason, tc.want)
		}
	}
}
