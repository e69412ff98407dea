package tools

import (
	"fmt"
	"strings"
	"testing"
)

func TestListFiles(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	for _, name := range []string{"a/b/c/d/e.txt", "a/z.txt", "README.md", ".git/HEAD", ".gitignore", "build/out.o", "a/b/x.o", "odd\nname"} {
		h.write(name, "")
	}
	h.write(".gitignore", "*.o\n/build/\n")
	h.link("a/z.txt", "link")
	for args, want := range map[string]string{
		`{}`:                        "./\n  .gitignore\n  README.md\n  a/\n    b/\n      c/ ...\n    z.txt\n  link -> a/z.txt\n  \"odd\\nname\"\n",
		`{"depth":1,"path":"a"}`:    "a/\n  b/ ...\n  z.txt\n",
		`{"path":"a/b/","depth":9}`: "a/b/\n  c/\n    d/\n      e.txt\n",
		`{"path":"build"}`:          "build/\n  out.o\n",
		`{"path":null,"depth":1}`:   "./\n  .gitignore\n  README.md\n  a/ ...\n  link -> a/z.txt\n  \"odd\\nname\"\n",
	} {
		if got := h.ok(ListFiles(Closed{}), args).Content; got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	h.refused(ListFiles(Closed{}), `{"path":"none"}`, "none")
	h.refused(ListFiles(Closed{}), `{"path":".."}`, "outside")
	h.refused(ListFiles(Closed{}), `{"path":"README.md"}`, "README.md")
}

func TestListFiles_ManyEntries(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	for i := range maxListed + 5 {
		h.write(fmt.Sprintf("f%05d", i), "")
	}
	r := h.ok(ListFiles(Closed{}), `{}`)
	mustSay(t, r.Content, "the first 1000 of 1005 entries")
	if n := strings.Count(r.Content, "\n"); n != maxListed+2 {
		t.Errorf("%d lines", n)
	}
	mustSay(t, h.ok(FindFiles(Closed{}), `{"pattern":"f*"}`).Content, "the first 500 of 1005 files")
}

func TestListFiles_Empty(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	mustSay(t, h.ok(ListFiles(Closed{}), `{}`).Content, "empty")
}

func TestFindFiles(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	for _, name := range []string{"a.go", "a_test.go", "x/b.go", "x/y/c.go", "x/y/c.ts", "node_modules/m/i.js", ".git/x.go", "{a}.txt"} {
		h.write(name, "")
	}
	h.write(".gitignore", "node_modules\n")
	h.link("a.go", "l.go")
	for args, want := range map[string]string{
		`{"pattern":"*.go"}`:                             "a.go a_test.go l.go x/b.go x/y/c.go",
		`{"pattern":"./*.go"}`:                           "a.go a_test.go l.go x/b.go x/y/c.go",
		`{"pattern":"**/*.go"}`:                          "a.go a_test.go l.go x/b.go x/y/c.go",
		`{"pattern":"x/*.go"}`:                           "x/b.go",
		`{"pattern":"x/**/*.{go,ts}"}`:                   "x/b.go x/y/c.go x/y/c.ts",
		`{"pattern":"**/c.*","path":"x"}`:                "x/y/c.go x/y/c.ts",
		`{"pattern":"*.js"}`:                             "No files match.",
		`{"pattern":"*.js","path":"node_modules"}`:       "node_modules/m/i.js",
		`{"pattern":"*.js","path":"node_modules/m"}`:     "node_modules/m/i.js",
		`{"pattern":"\\{a\\}.txt"}`:                      "{a}.txt",
		fmt.Sprintf(`{"pattern":%q}`, h.dir+"/x/y/*.ts"): "x/y/c.ts",
	} {
		got := strings.Join(strings.Split(strings.TrimSpace(h.ok(FindFiles(Closed{}), args).Content), "\n"), " ")
		if got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestIgnoreRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lines, path string
		dir         bool
		want        bool
	}{
		{"*.o", "a/b.o", false, true},
		{"/*.o", "a/b.o", false, false},
		{"a/*.o", "a/b.o", false, true},
		{"a/**", "a", true, false},
		{"a/**", "a/b", false, true},
		{"a/**/b", "a/b", false, true},
		{"**/b", "x/y/b", false, true},
		{"b/", "b", false, false},
		{"b/", "b", true, true},
		{"*.o\n!keep.o", "keep.o", false, false},
		{"!keep.o\n*.o", "keep.o", false, true},
		{"# x", "# x", false, false},
		{`\# x`, "# x", false, true},
		{`\!x`, "!x", false, true},
		{"x  ", "x", false, true},
		{`x\ `, "x ", false, true},
		{"{a,b}", "a", false, false},
		{"{a,b}", "{a,b}", false, true},
		{"[!a].c", "b.c", false, true},
		{"[!a].c", "a.c", false, false},
		{"x\r\ny\r\n", "y", false, true},
		{"\ufeffx", "x", false, true},
		{"/", "a", true, false},
		{"[", "[", false, false},
	} {
		if got := ignored(parseIgnore("", []byte(c.lines)), c.path, c.dir); got != c.want {
			t.Errorf("%q on %s: %v", c.lines, c.path, got)
		}
	}
}
