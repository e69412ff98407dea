package tools

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// git runs git in dir, without the settings of this machine, and returns what
// it prints. The test is skipped where git is not installed.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "XDG_CONFIG_HOME="+dir, "HOME="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && stderr.Len() > 0 { // check-ignore exits 1 where nothing is ignored
		t.Fatalf("git %v: %v: %s", args, err, &stderr)
	}
	return string(out)
}

// ignoreCorpus draws names and rules that tend to meet.
type ignoreCorpus struct{ *rand.Rand }

func (c ignoreCorpus) pick(from ...string) string { return from[c.IntN(len(from))] }

func (c ignoreCorpus) name() string {
	return c.pick("a", "b", "ab", "abc", "a.o", "b.o", "keep.o", "x y", "A", "é", "[a]", "a]", "a-b", "*", `a\b`, "#a", "!a", "{a,b}", "foo", "foobar", "1", " a", "a ")
}

func (c ignoreCorpus) dir() string { return c.pick("d", "dd", "d.o", "build", "é") }

func (c ignoreCorpus) piece() string {
	return c.pick("a", "b", "d", "dd", "build", "foo", "*", "*", "**", "**", "?", "??", "a*", "*b", "*.o", "a**", "**b", "d**", "a*b*c", "[ab]", "[!a]", "[^a]*", "[a-c]", "[]a]", "[]", "[a", "[!]",
		"[[:alpha:]]", "[[:digit:][:upper:]]*", "[[:nope:]]", "[[:alpha]", "[[::]]", `[\]a]`, `[a\-b]`, "[b-a]", "[a-]", "[-a]", `[\`, `\a`, `\*`, `\`, "{a,b}", "é", "[é]", "x y", "a-?", "keep.o", "[[:space:]]a")
}

func (c ignoreCorpus) line() string {
	var b strings.Builder
	b.WriteString(c.pick("", "", "", "", "!", "!", "/", "!/", "#", `\#`, `\!`, "**/", " "))
	for i := range 1 + c.IntN(3) {
		if i > 0 {
			b.WriteString(c.pick("/", "/", "", "/**/"))
		}
		b.WriteString(c.piece())
	}
	b.WriteString(c.pick("", "", "", "/", "/", "/**", "/*", " ", "  ", `\ `, `\  `, "\r", "//", "\t"))
	return b.String()
}

func (c ignoreCorpus) rules() string {
	var b strings.Builder
	b.WriteString(c.pick("", "", "", "\ufeff"))
	for range c.IntN(6) {
		b.WriteString(c.line() + "\n")
	}
	return strings.TrimSuffix(b.String(), c.pick("", "\n"))
}

// The rules exclude exactly what git check-ignore says they do, on a tree of
// 250 times other rules at up to three levels.
func TestIgnored_EqualsGitCheckIgnore(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	git(t, top, "", "init", "-q")
	c := ignoreCorpus{rand.New(rand.NewPCG(5, 1))}
	files := map[string]string{} // ignore files by their directory
	put := func(dir, rules string) {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if rules == "" {
			return
		}
		files[dir] = rules
		if err := os.WriteFile(filepath.Join(top, dir, ignoreFile), []byte(rules), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var asked []string
	dirs := map[string]bool{}
	for i := range 250 {
		dir := fmt.Sprintf("t%d", i)
		put(dir, c.rules())
		for level := range 4 {
			for range 4 {
				asked = append(asked, dir+"/"+c.name())
			}
			asked = append(asked, dir)
			dirs[dir] = true
			if level == 3 {
				break
			}
			dir += "/" + c.dir()
			put(dir, c.pick("", c.rules()))
		}
	}
	ignoredByGit := map[string]bool{}
	for _, p := range strings.Split(git(t, top, strings.Join(asked, "\x00")+"\x00", "check-ignore", "-z", "--stdin"), "\x00") {
		ignoredByGit[p] = true
	}
	both := 0
	for _, p := range asked {
		got := ignoredOnTheWay(files, p, dirs[p])
		if got != ignoredByGit[p] {
			t.Errorf("%q: we say %v; rules %q", p, got, files[path.Dir(p)])
		}
		if got {
			both++
		}
	}
	if both < len(asked)/10 || both > len(asked)*9/10 {
		t.Errorf("of %d paths %d are ignored: the corpus shows little", len(asked), both)
	}
}

// ignoredOnTheWay asks as a walk does: each parent directory first.
func ignoredOnTheWay(files map[string]string, p string, isDir bool) bool {
	var rules []ignoreRule
	names := strings.Split(p, "/")
	for i := range names {
		at := strings.Join(names[:i+1], "/")
		if ignored(rules, at, isDir || i < len(names)-1) {
			return true
		}
		rules = append(rules, parseIgnore(at+"/", []byte(files[at]))...)
	}
	return false
}

// A pattern of many stars takes no longer than others.
func TestWildmatch_DoesNotExplode(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{strings.Repeat("*a", 40) + "b", strings.Repeat("**/a", 20) + "/b", strings.Repeat("*a/", 20) + "b", strings.Repeat("?*", 40) + "b"} {
		if text := strings.Repeat("a", 60) + strings.Repeat("/a", 30); wildmatch(pattern, text) {
			t.Errorf("%q matches %q", pattern, text)
		}
	}
}

// shownBy is what a walk of dir tells, files and links alone.
func shownBy(t *testing.T, dir, base string) []string {
	t.Helper()
	h := newHost(t, nil)
	h.dir = dir
	w, err := openWorkspace(h.call("{}"), Closed{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	var names []string
	wk := walk[entry]{w: w, into: func(entry) bool { return true }, look: func(e []entry) []entry { return e }}
	wk.tell = func(e entry) {
		if !e.typ.IsDir() {
			names = append(names, e.rel)
		}
	}
	if err := wk.run(t.Context(), base); err != nil {
		t.Fatal(err)
	}
	return names
}

// What a walk shows of a repository, from its top and from a directory in it,
// is what git knows as not ignored: with .git/info/exclude, ignore files above
// the workspace, a repository in the repository, and a worktree.
func TestWalk_EqualsGit(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	git(t, h.dir, "", "init", "-q")
	c := ignoreCorpus{rand.New(rand.NewPCG(7, 7))}
	for i := range 40 {
		dir := fmt.Sprintf("work/t%d/", i)
		for range 3 {
			h.write(dir+ignoreFile, c.rules())
			for range 3 {
				h.write(dir+c.pick("a", "b", "ab", "a.o", "b.o", "keep.o", "x y", "ü", "log"), "")
			}
			dir += c.dir() + "/"
		}
	}
	h.write(ignoreFile, "*.log\n/work/t7\n/outer-only\nt8/**/b\n")
	h.write("work/"+ignoreFile, "log\n!keep.log\n")
	for _, name := range []string{"x.log", "work/keep.log", "work/x.log", "work/excluded", "work/t1/excluded", "outer-only", "work/outer-only"} {
		h.write(name, "")
	}
	h.write(".git/info/exclude", "excluded\n")
	all := strings.Split(strings.TrimSuffix(git(t, h.dir, "", "ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
	if len(all) < 100 || len(all) > 420 {
		t.Errorf("git shows %d files: the corpus shows little", len(all))
	}
	same(t, "the top", shownBy(t, h.dir, "."), all)
	below := func(dir string) (names []string) {
		for _, name := range all {
			if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
				names = append(names, rest)
			}
		}
		return names
	}
	same(t, "a workspace below the top", shownBy(t, filepath.Join(h.dir, "work"), "."), below("work"))
	same(t, "a deeper one", shownBy(t, filepath.Join(h.dir, "work/t8"), "."), below("work/t8"))
	var fromBase []string
	for _, name := range shownBy(t, h.dir, "work/t9") {
		fromBase = append(fromBase, strings.TrimPrefix(name, "work/t9/"))
	}
	same(t, "a path in the workspace", fromBase, below("work/t9"))
}

func TestWalk_RepositoriesInside(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	git(t, h.dir, "", "init", "-q")
	h.write(ignoreFile, "*.log\nvendored\n")
	for _, name := range []string{"a.log", "a", "inner/a.log", "inner/own", "inner/sub/own", "inner/sub/a.log", "vendored/inner/a", "vendored/b"} {
		h.write(name, "")
	}
	git(t, filepath.Join(h.dir, "inner"), "", "init", "-q")
	h.write("inner/.git/info/exclude", "own\n")
	same(t, "the outer one's rules end where the inner one begins", shownBy(t, h.dir, "."), []string{ignoreFile, "a", "inner/a.log", "inner/sub/a.log"})
	same(t, "by its path", shownBy(t, h.dir, "inner/sub"), []string{"inner/sub/a.log"})
	same(t, "as the workspace", shownBy(t, filepath.Join(h.dir, "inner"), "."), []string{"a.log", "sub/a.log"})
	same(t, "a workspace that is ignored", shownBy(t, filepath.Join(h.dir, "vendored"), "."), []string{"b", "inner/a"})

	git(t, h.dir, "", "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "x")
	git(t, h.dir, "", "worktree", "add", "-q", filepath.Join(h.dir, "vendored/tree"))
	h.write(".git/info/exclude", "excluded\n")
	h.write("vendored/tree/excluded", "")
	h.write("vendored/tree/b.log", "")
	same(t, "a worktree has the exclude file of its repository", shownBy(t, filepath.Join(h.dir, "vendored/tree"), "."), []string{"b.log"})
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%s: %d names, want %d", what, len(got), len(want))
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("%s: %q is shown", what, name)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s: %q is not shown", what, name)
		}
	}
}
