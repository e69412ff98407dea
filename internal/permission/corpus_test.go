package permission

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// knownTools are those of the command line, as far as rules know them.
func knownTools() []agent.Definition {
	return []agent.Definition{
		{Name: "read_file", Category: agent.CategoryRead}, {Name: "list_files", Category: agent.CategoryRead},
		{Name: "find_files", Category: agent.CategoryRead}, {Name: "search_text", Category: agent.CategoryRead},
		{Name: "write_file", Category: agent.CategoryEdit}, {Name: "edit_file", Category: agent.CategoryEdit},
		{Name: "shell", Category: agent.CategoryExecute}, {Name: "tasks", Category: agent.CategoryInteract},
		{Name: "ask_user", Category: agent.CategoryInteract, Asks: agent.KindQuestion},
		{Name: "submit_plan", Category: agent.CategoryInteract, Asks: agent.KindPlan}, {Name: "deploy"},
	}
}

// rulesOf reads rules such as "deny shell(rm)", one a line.
func rulesOf(t testing.TB, lines string) []*Rule {
	t.Helper()
	var out []*Rule
	for _, line := range strings.Split(lines, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		action, text, _ := strings.Cut(line, " ")
		r, err := Parser{Tools: knownTools(), Home: "/home/ann"}.Parse(agent.Action(action), text, "config.toml:1")
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, r)
	}
	return out
}

// calling is a call of a tool with one argument: a command, a path, or all of
// them as JSON.
func calling(t testing.TB, tool, what string) agent.PermissionRequest {
	t.Helper()
	for _, d := range knownTools() {
		if d.Name != tool {
			continue
		}
		r := agent.PermissionRequest{Tool: d, Workspace: "/work/app", Args: json.RawMessage(what)}
		name := map[agent.Category]string{agent.CategoryExecute: "command", agent.CategoryRead: "path", agent.CategoryEdit: "path"}[d.Category]
		if name != "" && !strings.HasPrefix(what, "{\"") {
			var err error
			if r.Args, err = json.Marshal(map[string]string{name: what}); err != nil {
				t.Fatal(err)
			}
		}
		return r
	}
	t.Fatalf("no tool %s", tool)
	return agent.PermissionRequest{}
}

// corpusRules are what a careful person might have.
const corpusRules = `
	allow shell(go test *)
	allow shell(go build ./...)
	allow shell(go vet *)
	allow shell(git status *)
	allow shell(git log *)
	allow shell(git diff *)
	allow shell(ls *)
	allow shell(cat *)
	allow shell(head *)
	allow shell(grep *)
	allow shell(echo *)
	allow shell(printf *)
	allow shell(find *)
	allow shell(xargs grep *)
	allow shell(xargs *)
	allow shell(sort *)
	allow shell(cd *)
	allow shell(sh *)
	allow shell(bash *)
	allow shell(CGO_ENABLED=0 go test *)
	allow shell(GOOS=* go build ./...)
	allow shell(./gradlew *)
	allow shell(/usr/bin/make lint)
	allow shell(sudo systemctl status *)
	allow shell(git -c color.ui=never log *)
	allow shell(npm run "unit tests")
	allow shell(python *)
	allow shell(make && ./deploy > log)
	allow shell(git grep *)
	allow shell(git clone *)
	allow shell(git rebase *)
	allow shell(tar *)
	allow shell(env -v *)
	allow shell(. *)
	allow shell(read *)
	allow shell(mapfile *)
	allow shell(compgen *)
	allow edit(docs/**)
	allow edit(/tmp/out/*)
	deny shell(rm)
	deny shell(git push)
	deny shell(curl)
	deny shell(npm publish)
	deny shell(git * --force)
	deny edit(docs/private/**)
	deny read(secret.txt)
	ask shell(git commit)
	ask shell(terraform apply)`

// corpus holds command lines and what becomes of them under corpusRules.
var corpus = []struct {
	line string
	want agent.Action
}{
	// Plain commands.
	{"go test ./...", agent.ActionAllow},
	{"go test", agent.ActionAllow},
	{"go test -run 'A|B' -count=1 ./a ./b", agent.ActionAllow},
	{"go build ./...", agent.ActionAllow},
	{"go build ./... -o x", agent.ActionAsk},
	{"go build", agent.ActionAsk},
	{"go testx", agent.ActionAsk},
	{"go  test\t./...", agent.ActionAllow},
	{"gotest", agent.ActionAsk},
	{"make", agent.ActionAsk},
	{"", agent.ActionAsk},
	{"# a comment", agent.ActionAsk},
	{"ls # rm x", agent.ActionAllow},
	{"git status", agent.ActionAllow},
	{"git commit -m x", agent.ActionAsk},
	{"git push", agent.ActionDeny},
	{"git push origin main", agent.ActionDeny},
	{"git pushx", agent.ActionAsk},
	{"npm run 'unit tests'", agent.ActionAllow},
	{"npm run unit tests", agent.ActionAsk},
	{"./gradlew build", agent.ActionAllow},
	{"gradlew build", agent.ActionAsk},
	{"/tmp/evil/ls", agent.ActionAsk},
	{"/usr/bin/make lint", agent.ActionAllow},

	// Lists, pipelines, groups, background.
	{"go vet ./... && go test ./...", agent.ActionAllow},
	{"go vet ./... && make", agent.ActionAsk},
	{"go test ./... | head -20", agent.ActionAllow},
	{"go test ./... | tee log", agent.ActionAsk},
	{"ls; rm x", agent.ActionDeny},
	{"ls & rm x", agent.ActionDeny},
	{"ls || rm x", agent.ActionDeny},
	{"ls\nrm x", agent.ActionDeny},
	{"ls |& rm x", agent.ActionDeny},
	{"(cd lib; go test ./...)", agent.ActionAllow},
	{"(cd lib; make)", agent.ActionAsk},
	{"{ ls; rm x; }", agent.ActionDeny},
	{"! go test ./...", agent.ActionAllow},
	{"if go test ./...; then rm x; fi", agent.ActionDeny},
	{"if true; then go test; else false; fi", agent.ActionAllow},
	{"while go test; do ls; done", agent.ActionAllow},
	{"for f in *.go; do cat \"$f\"; done", agent.ActionAllow},
	{"for PATH in /tmp/evil; do ls; done", agent.ActionAsk},
	{"case x in y) rm x ;; esac", agent.ActionDeny},
	{"f() { rm x; }; f", agent.ActionDeny},
	{"function f { rm x; }; ls", agent.ActionDeny},
	{"time go test", agent.ActionAllow},
	{"time rm x", agent.ActionDeny},
	{"coproc rm x", agent.ActionDeny},
	{"coproc ls", agent.ActionAsk},
	{"make && ./deploy > log", agent.ActionAllow},
	{"make && ./deploy > log2", agent.ActionAsk},
	{"make  && ./deploy > log", agent.ActionAsk},

	// Substitutions.
	{"echo $(go test)", agent.ActionAllow},
	{"echo $(rm x)", agent.ActionDeny},
	{"echo `rm x`", agent.ActionDeny},
	{"echo \"$(make)\"", agent.ActionAsk},
	{"echo '$(rm x)'", agent.ActionAllow},
	{"cat <(rm x)", agent.ActionDeny},
	{"cat <(git log)", agent.ActionAllow},
	{"echo ${X:-$(rm x)}", agent.ActionDeny},
	{"echo $((1 + 2))", agent.ActionAllow},
	{"echo $((x))", agent.ActionAsk},
	{"echo $(( $(rm x) ))", agent.ActionDeny},
	{"X=$(rm x)", agent.ActionDeny},
	{"x=$(git log); echo \"$x\"", agent.ActionAllow},
	{"echo ${x@P}", agent.ActionAsk},
	{"echo ${!x}", agent.ActionAsk},
	{"echo ${a[$(rm x)]}", agent.ActionDeny},
	{"[[ -f go.mod ]] && go test", agent.ActionAllow},
	{"[[ $x -eq 1 ]]", agent.ActionAsk},
	{"[ -f go.mod ] && go test", agent.ActionAllow},
	{"test -v 'a[$(rm x)]'", agent.ActionAsk},
	{"printf -v 'a[$(rm x)]' y", agent.ActionAsk},
	{"export X=$(rm x)", agent.ActionDeny},
	{"[[ a && rm ]]", agent.ActionDeny},
	{"[[ a && rm ]]\ncat <<< x", agent.ActionDeny},
	{"[[ a && make ]]\ncat <<< x", agent.ActionAsk},
	{"[[ a > out ]]", agent.ActionAsk},
	{"echo \"${x:-'$(rm x)'}\"", agent.ActionAsk},
	{"echo \"${x:-'`rm x`'}\"", agent.ActionAsk},
	{"echo \"${x:-'}\"; rm x; echo \"'}\"", agent.ActionAsk},
	{"echo \"${x/a/'}\"; rm x; echo \"'}\"", agent.ActionAsk},
	{"cat <<E\n${x:-'}\nE\nrm x\n: \"'}\"\nE", agent.ActionAsk},
	{"cat <<E\n${x:-\nE\nrm x\n: }\nE", agent.ActionAsk},
	{"echo \"${x:-a}\"", agent.ActionAllow},
	{"[[ x == @(a|$(rm x)) ]]", agent.ActionAsk},
	{"bash -O extglob -c 'echo @(a|`rm x`)'", agent.ActionAsk},
	{"[[ x == @(a|b) ]] && ls", agent.ActionAllow},
	{"echo ${ rm x; }", agent.ActionDeny},
	{"echo ${| rm x; }", agent.ActionDeny},
	{"!(rm x)", agent.ActionAsk},

	// Here-documents.
	{"cat <<EOF\nrm x\nEOF", agent.ActionAllow},
	{"cat <<EOF\n$(rm x)\nEOF", agent.ActionDeny},
	{"cat <<'EOF'\n$(rm x)\nEOF", agent.ActionAllow},
	{"sh <<'EOF'\nrm x\nEOF", agent.ActionDeny},
	{"bash <<EOF\ngo test\nEOF", agent.ActionAllow},
	{"bash <<EOF\n$X\nEOF", agent.ActionAsk},
	{"bash <<< 'rm x'", agent.ActionDeny},
	{"cat <<< \"$(rm x)\"", agent.ActionDeny},

	// Environment.
	{"CGO_ENABLED=0 go test ./...", agent.ActionAllow},
	{"CGO_ENABLED=1 go test ./...", agent.ActionAsk},
	{"GOOS=linux go build ./...", agent.ActionAllow},
	{"PATH=/tmp/evil ls", agent.ActionAsk},
	{"LD_PRELOAD=/tmp/x.so ls", agent.ActionAsk},
	{"PATH=/tmp/evil:$PATH; ls", agent.ActionAsk},
	{"A=1 rm x", agent.ActionDeny},
	{"env rm x", agent.ActionDeny},
	{"env go test", agent.ActionAllow},
	{"env CGO_ENABLED=0 go test", agent.ActionAllow},
	{"env CGO_ENABLED=1 go test", agent.ActionAsk},
	{"env -i go test", agent.ActionAsk},
	{"env -u HOME rm x", agent.ActionDeny},
	{"env -S 'rm x'", agent.ActionDeny},
	{"export PATH=/tmp/evil; ls", agent.ActionAsk},

	// Scripts.
	{"sh -c 'go test && ls'", agent.ActionAllow},
	{"sh -c 'rm x'", agent.ActionDeny},
	{"bash -lc 'rm x'", agent.ActionDeny},
	{"bash -euo pipefail -c 'rm x'", agent.ActionDeny},
	{"bash -c \"make\"", agent.ActionAsk},
	{"sh -c \"$CMD\"", agent.ActionAsk},
	{"sh -c 'sh -c \"sh -c ls\"'", agent.ActionAllow},
	{"bash -ic ls", agent.ActionAsk},
	{"sh script.sh", agent.ActionAllow},
	{"ls | sh", agent.ActionAsk},
	{"eval rm x", agent.ActionDeny},
	{"eval 'ls'", agent.ActionAllow},
	{"eval \"$X\"", agent.ActionAsk},
	{"trap 'rm x' EXIT", agent.ActionDeny},
	{"trap 'ls' EXIT; go test", agent.ActionAllow},
	{"python -c 'import os'", agent.ActionAllow},
	{". ./env.sh", agent.ActionAllow},
	{"source ./env.sh", agent.ActionAsk},
	{". <(echo rm x)", agent.ActionAsk},
	{". /dev/stdin <<< 'rm x'", agent.ActionAsk},
	{"sh /dev/stdin <<< 'rm x'", agent.ActionAsk},
	{"bash /proc/self/fd/0 <<< 'rm x'", agent.ActionAsk},
	{"mapfile -C 'rm x' -c 1 a", agent.ActionAsk},
	{"mapfile -t lines", agent.ActionAllow},
	{"compgen -C 'rm x'", agent.ActionAsk},
	{"printf -v PATH /tmp/evil; ls", agent.ActionAsk},
	{"printf -vPATH /tmp/evil; ls", agent.ActionAsk},
	{"printf '%s' -v", agent.ActionAllow},
	{"read PATH; ls", agent.ActionAsk},
	{"read -r line", agent.ActionAllow},

	// Programs that run others.
	{"timeout 60 go test ./...", agent.ActionAllow},
	{"timeout -s KILL 60 go test", agent.ActionAllow},
	{"timeout 60 rm x", agent.ActionDeny},
	{"timeout --sig KILL 60 rm x", agent.ActionDeny},
	{"nice --adj 5 rm x", agent.ActionDeny},
	{"xargs --max-a 1 rm", agent.ActionDeny},
	{"env -v -iS 'rm x'", agent.ActionDeny},
	{"env -v -vS'rm x'", agent.ActionDeny},
	{"env -v --spl='rm x'", agent.ActionDeny},
	{"setarch x86_64 rm x", agent.ActionDeny},
	{"prlimit rm x", agent.ActionDeny},
	{"choom -n 1 -- rm x", agent.ActionDeny},
	{"tar xIf ./evil a.tar", agent.ActionAsk},
	{"tar xzf a.tar I", agent.ActionAllow},
	{"go test -ldflags=-extld=./evil", agent.ActionAsk},
	{"go test -ldflags '-s -extldflags=-B./evil'", agent.ActionAsk},
	{"nice -n 10 go test", agent.ActionAllow},
	{"nice -10 make", agent.ActionAsk},
	{"nohup rm x", agent.ActionDeny},
	{"command rm x", agent.ActionDeny},
	{"command ls", agent.ActionAllow},
	{"command -v rm", agent.ActionAsk},
	{"builtin echo x", agent.ActionAllow},
	{"exec rm x", agent.ActionDeny},
	{"sudo rm x", agent.ActionDeny},
	{"sudo -u bob rm x", agent.ActionDeny},
	{"sudo ls", agent.ActionAsk},
	{"sudo systemctl status sshd", agent.ActionAllow},
	{"sudo systemctl stop sshd", agent.ActionAsk},
	{"xargs grep x", agent.ActionAllow},
	{"find . -name '*.go' | xargs grep -n foo", agent.ActionAllow},
	{"git log | xargs rm", agent.ActionDeny},
	{"git log | xargs -n1 -I{} sh -c 'rm {}'", agent.ActionAsk},
	{"git log | xargs make", agent.ActionAsk},
	{"git log | xargs", agent.ActionAllow},
	{"find . -name x", agent.ActionAllow},
	{"find . -exec rm {} ;", agent.ActionDeny},
	{"find . -exec rm {} \\;", agent.ActionDeny},
	{"find . -exec grep -l x {} +", agent.ActionAllow},
	{"find . -exec make {} +", agent.ActionAsk},
	{"find . -exec grep x {} \\; -exec make \\;", agent.ActionAsk},
	{"find . -execdir sh -c 'rm $1' _ {} ;", agent.ActionDeny},
	{"find . -delete", agent.ActionAsk},
	{"find . -fprint out", agent.ActionAsk},
	{"ssh host rm x", agent.ActionDeny},
	{"watch -n 1 'rm x'", agent.ActionDeny},
	{"su -c 'rm x'", agent.ActionDeny},
	{"su root -c 'rm x'", agent.ActionDeny},
	{"flock lock -c 'rm x'", agent.ActionDeny},
	{"flock lock rm x", agent.ActionDeny},
	{"strace -f rm x", agent.ActionDeny},
	{"busybox rm x", agent.ActionDeny},
	{"go test -exec ./evil ./...", agent.ActionAsk},
	{"go vet -vettool=./evil ./...", agent.ActionAsk},
	{"sort -o out in", agent.ActionAsk},
	{"sort -uoout in", agent.ActionAsk},
	{"sort --comp=./evil in", agent.ActionAsk},
	{"sort -u in", agent.ActionAllow},

	// git.
	{"git -C lib push", agent.ActionDeny},
	{"git --no-pager push", agent.ActionDeny},
	{"git --git-dir x/.git push", agent.ActionDeny},
	{"git -c color.ui=never log", agent.ActionAllow},
	{"git -c core.pager=evil log", agent.ActionAsk},
	{"git -c alias.x='!rm x' x", agent.ActionDeny},
	{"git log -c core.pager=evil", agent.ActionAsk},
	{"git tag --force v1", agent.ActionDeny},
	{"git $SUB", agent.ActionAsk},
	{"git log --output=main.go", agent.ActionAsk},
	{"git log --outp main.go", agent.ActionAsk},
	{"git diff --ext-diff", agent.ActionAsk},
	{"git log --oneline", agent.ActionAllow},
	{"git grep -Oevil x", agent.ActionAsk},
	{"git grep -iOevil x", agent.ActionAsk},
	{"git grep -in FOO", agent.ActionAllow},
	{"git clone -u ./evil a b", agent.ActionAsk},
	{"git clone -ccore.fsmonitor=./evil a b", agent.ActionAsk},
	{"git clone --templ=/tmp/evil a b", agent.ActionAsk},
	{"git rebase -ix ./evil main", agent.ActionAsk},
	{"git rebase -i main", agent.ActionAllow},
	{"/usr/bin/git push", agent.ActionDeny},

	// Spelling.
	{"\\rm x", agent.ActionDeny},
	{"\"rm\" x", agent.ActionDeny},
	{"'rm' x", agent.ActionDeny},
	{"r''m x", agent.ActionDeny},
	{"r\\m x", agent.ActionDeny},
	{"r\\\nm x", agent.ActionDeny},
	{"/bin/rm x", agent.ActionDeny},
	{"../../bin/rm x", agent.ActionDeny},
	{"RM x", agent.ActionDeny},
	{"rm", agent.ActionDeny},
	{"rmdir x", agent.ActionAsk},
	{"echo rm x", agent.ActionAllow},
	{"grep rm x", agent.ActionAllow},
	{"'rm x'", agent.ActionAsk},
	{"npm --silent publish", agent.ActionDeny},

	// What is only known when it runs.
	{"$CMD x", agent.ActionAsk},
	{"\"$@\"", agent.ActionAsk},
	{"$(echo rm) x", agent.ActionAsk},
	{"r? x", agent.ActionAsk},
	{"{rm,x}", agent.ActionAsk},
	{"$'rm' x", agent.ActionAsk},
	{"r$X x", agent.ActionAsk},
	{"go test $PKGS", agent.ActionAsk},
	{"p='-exec ./evil'; go test $p", agent.ActionAsk},
	{"go test ./a/... pkg/$X", agent.ActionAllow},
	{"go test -exe{c,} ./evil", agent.ActionAsk},
	{"ls $DIR", agent.ActionAllow},
	{"find . -exe{c,} make ;", agent.ActionAsk},
	{"find . $X make ;", agent.ActionAsk},
	{"find src/* -name x", agent.ActionAllow},
	{"~/bin/ls", agent.ActionAsk},
	{"ls ~/x", agent.ActionAllow},
	{"ls *.go", agent.ActionAllow},
	{"alias ls=rm; ls", agent.ActionAsk},
	{"hash -p /bin/rm ls", agent.ActionAsk},

	// What cannot be read.
	{"ls '", agent.ActionAsk},
	{"ls $(", agent.ActionAsk},
	{"((rm x))", agent.ActionAsk},
	{"ls\rrm x", agent.ActionAsk},
	{"ls " + strings.Repeat("x", maxLine), agent.ActionAsk},

	// Redirections.
	{"go test > /dev/null 2>&1", agent.ActionAllow},
	{"go test 2>/dev/null", agent.ActionAllow},
	{"go test >&2", agent.ActionAllow},
	{"go test > out.txt", agent.ActionAsk},
	{"go test >> out.txt", agent.ActionAsk},
	{"go test &> out.txt", agent.ActionAsk},
	{"go test >| out.txt", agent.ActionAsk},
	{"go test > docs/out.txt", agent.ActionAllow},
	{"go test > ./docs/../docs/out.txt", agent.ActionAllow},
	{"go test > docs/../main.go", agent.ActionAsk},
	{"go test > /work/app/docs/out.txt", agent.ActionAllow},
	{"go test > docs/private/x", agent.ActionDeny},
	{"go test > /tmp/out/x", agent.ActionAllow},
	{"go test > /tmp/out/../x", agent.ActionAsk},
	{"go test > $OUT", agent.ActionAsk},
	{"cd docs && go test > out.txt", agent.ActionAsk},
	{"cd docs && ./gradlew build", agent.ActionAsk},
	{"> docs/x", agent.ActionAllow},
	{"go test > ~/docs/x", agent.ActionAsk},
	{"go test > docs/.git/hooks/x", agent.ActionAsk},
	{"find docs -execdir ./gradlew ;", agent.ActionAsk},
	{"cat < go.mod", agent.ActionAllow},
	{"cat < secret.txt", agent.ActionDeny},
	{"cat < $F", agent.ActionAsk},
	{"cat < /dev/tcp/host/80", agent.ActionAsk},
	{"echo x > docs/a; ls > docs/b", agent.ActionAllow},
	{"f() { ls; } > out", agent.ActionAsk},
	{"for f in a; do ls; done > out", agent.ActionAsk},
}

func TestPolicy_commands(t *testing.T) {
	t.Parallel()
	p := Policy{Rules: rulesOf(t, corpusRules)}
	if len(corpus) < 100 {
		t.Fatalf("%d command lines, want 100", len(corpus))
	}
	for _, tc := range corpus {
		d := p.Explain(calling(t, "shell", tc.line))
		if d.Action != tc.want || d.Reason == "" {
			t.Errorf("%.60q: %s (%s), want %s", tc.line, d.Action, d.Reason, tc.want)
		}
	}
}
