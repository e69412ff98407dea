package tools

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSearchText(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("a.go", "package a\n\nfunc One() {}\n\n\nfunc Two() {}\nfunc Three() {}\n")
	h.write("b.txt", "FUNC\r\nfunc\r\n")
	h.write("sub/c.go", "// func\n")
	h.write("bin", "func\x00")
	h.write("ignored/d.go", "func D() {}\n")
	h.write(".gitignore", "ignored\n")
	h.link("a.go", "link.go")
	for args, want := range map[string]string{
		`{"pattern":"func"}`:                                     "a.go:3: func One() {}\na.go:6: func Two() {}\na.go:7: func Three() {}\nb.txt:2: func\nsub/c.go:1: // func\n",
		`{"pattern":"^func$"}`:                                   "b.txt:2: func\n",
		`{"pattern":"^func$","ignoreCase":true}`:                 "b.txt:1: FUNC\nb.txt:2: func\n",
		`{"pattern":"a|FUNC$","ignoreCase":true,"glob":"*.txt"}`: "b.txt:1: FUNC\nb.txt:2: func\n",
		`{"pattern":"func","glob":"sub/*"}`:                      "sub/c.go:1: // func\n",
		`{"pattern":"func","path":"sub","glob":"c.*"}`:           "sub/c.go:1: // func\n",
		`{"pattern":"T","path":"a.go","context":1}`:              "a.go-5- \na.go:6: func Two() {}\na.go:7: func Three() {}\n",
		`{"pattern":"One|Three","context":1}`:                    "a.go-2- \na.go:3: func One() {}\na.go-4- \n--\na.go-6- func Two() {}\na.go:7: func Three() {}\n",
		`{"pattern":"package|//","context":1}`:                   "a.go:1: package a\na.go-2- \n--\nsub/c.go:1: // func\n",
		`{"pattern":"func D","path":"ignored"}`:                  "ignored/d.go:1: func D() {}\n",
		`{"pattern":"nowhere"}`:                                  "No lines match.\n",
		`{"pattern":"One","path":"link.go"}`:                     "a.go:3: func One() {}\n",
	} {
		if got := h.ok(SearchText(Closed{}), args).Content; got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	h.refused(SearchText(Closed{}), `{"pattern":"x","path":"bin"}`, "binary")
	h.refused(SearchText(Closed{}), `{"pattern":"x","path":"none"}`, "none")
}

func TestSearchText_Capped(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("a", strings.Repeat("x\n", maxMatches+1))
	mustSay(t, h.ok(SearchText(Closed{}), `{"pattern":"x"}`).Content, "the first 500 of 501 matching lines, which are in 1 file")
	mustSay(t, h.ok(SearchText(Closed{}), `{"pattern":"x","path":"a"}`).Content, "the first 500 of 501 matching lines, which are in 1 file")
	h.write("a", strings.Repeat(strings.Repeat("y", 1000)+"x"+strings.Repeat("z", 1000)+"\n", 400))
	r := h.ok(SearchText(Closed{}), `{"pattern":"x"}`)
	if len(r.Content) > maxMatched+2*maxMatchLine {
		t.Errorf("%d bytes", len(r.Content))
	}
	mustSay(t, r.Content, "… yyy", "yxz", "zzz …\n", "of 400 matching lines")
	h.write("a", strings.Repeat("0123456789abcde\n", maxFile/16+1))
	mustSay(t, h.ok(SearchText(Closed{}), `{"pattern":"0"}`).Content, "No lines match", "skipped 1 file over 16 MiB")
}

// A search finds the lines that hold the text, with or without the short cut
// over whole files.
func TestSearchText_FindsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[ab]{0,6}`), 1, 20).Draw(rt, "lines")
		pattern := rapid.StringMatching(`[ab]{1,3}`).Draw(rt, "pattern")
		around := rapid.IntRange(0, 3).Draw(rt, "context")
		var want []string
		for i, line := range lines {
			if strings.Contains(line, pattern) {
				want = append(want, fmt.Sprintf("f:%d: %s", i+1, line))
			}
		}
		s, err := parseSearch(args{"pattern": []byte(jsonString(pattern)), "context": []byte(fmt.Sprint(around))}, "/w")
		if err != nil {
			rt.Fatal(err)
		}
		s.take(s.file(t.Context(), "f", []byte(strings.Join(lines, "\n")+"\n"), &budget{}))
		var got []string
		shown := map[string]bool{}
		for line := range strings.Lines(s.out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if line != "--" && shown[line] {
				rt.Fatalf("%q is shown twice", line)
			}
			shown[line] = true
			if strings.HasPrefix(line, "f:") {
				got = append(got, line)
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			rt.Fatalf("got %q, want %q", got, want)
		}
	})
}

func jsonString(s string) string { return fmt.Sprintf("%q", s) }
