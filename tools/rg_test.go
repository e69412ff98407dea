package tools

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// largeTree makes a repository of n files in dir, the same each time: source
// text in directories up to four deep, some of it binary, in other scripts, with
// CRLF, without a last line end, or long; ignore files at several levels.
func largeTree(tb testing.TB, dir string, n int) {
	tb.Helper()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			tb.Error(err)
		}
	}
	sub := func(i int) string { return fmt.Sprintf("d%d/e%d/f%d", i%7, i/7%11, i/77%13) }
	for i := range min(n, 7*11*13) {
		if err := os.MkdirAll(filepath.Join(dir, sub(i)), 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	var makers sync.WaitGroup
	for maker := range 4 {
		makers.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(maker)))
			for i := maker; i < n; i += 4 {
				put(fmt.Sprintf("%s/file%d.%s", sub(i), i, []string{"go", "ts", "md", "log", "o"}[i%5]), sourceText(r, i))
			}
		})
	}
	makers.Wait()
	put(ignoreFile, "*.log\n/d6/\n")
	put("d1/"+ignoreFile, "!*.log\ne3\n")
	put("d2/.hidden.go", "needle in a hidden file\n")
	git(tb, dir, "", "init", "-q")
}

func sourceText(r *rand.Rand, i int) string {
	words := strings.Fields("alpha beta gamma delta return func error context Größe 数据 package import buffer request response Handler serve client KELVIN kelvin Strasse")
	end := "\n"
	if i%41 == 0 {
		end = "\r\n"
	}
	var b strings.Builder
	if i%5 == 4 {
		b.WriteString("\x7fELF\x00\x01") // so early that rg has not shown lines by then
	}
	for range 20 + r.IntN(60) {
		b.WriteString(strings.Repeat("\t", r.IntN(3)))
		for range r.IntN(12) {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		b.WriteString(end)
	}
	switch {
	case i%97 == 0:
		b.WriteString("the Needle, a needle in the haystack" + end)
	case i%89 == 0:
		b.WriteString("20\u212a, \u017ferver; caf\xe9 no end")
	}
	return b.String()
}

// rgLines are the matching lines that rg finds under the same rules: hidden
// files too, but for .git; the ignore files of git and no others; no binary
// files.
func rgLines(tb testing.TB, dir string, args ...string) []string {
	tb.Helper()
	if _, err := exec.LookPath("rg"); err != nil {
		tb.Skip("rg is not installed")
	}
	cmd := exec.Command("rg", append([]string{"--no-config", "--hidden", "--glob=!.git", "--no-ignore-dot", "--no-ignore-global", "--crlf"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		tb.Fatalf("rg %q: %v", args, err)
	}
	return slices.Sorted(strings.Lines(string(out)))
}

// ourLines are the matching lines that a search finds, each as rg prints it.
func ourLines(t *testing.T, dir, args string) (lines []string) {
	t.Helper()
	h := newHost(t, nil)
	h.dir = dir
	a, err := decodeArgs([]byte(args))
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseSearch(a, dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := openWorkspace(h.call("{}"), Closed{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	wk := walk[fileMatches]{w: w, into: func(entry) bool { return true }}
	wk.look = func(entries []entry) (found []fileMatches) {
		for _, e := range entries { // each by itself, so that all it has is shown
			found = append(found, s.met(t.Context(), w, ".", []entry{e})...)
		}
		return found
	}
	wk.tell = func(m fileMatches) {
		if m.count != len(m.blocks) {
			t.Errorf("%d matches counted, %d shown", m.count, len(m.blocks))
		}
		for _, b := range m.blocks {
			name, rest, _ := strings.Cut(b.text, ":")
			number, _, _ := strings.Cut(rest, ":")
			lines = append(lines, name+":"+number+"\n")
		}
	}
	if err := wk.run(t.Context(), "."); err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

func TestSearchText_EqualsRg(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes 20,000 files")
	}
	generated := t.TempDir()
	largeTree(t, generated, 20000)
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{
		"needle in",
		"(?i)needle",
		"(?i)kelvin|serve",
		"(?i)20k",
		"ne+dle,?\\s+(a|in)",
		"error context|Handler serve client|数据 Größe",
		"^$",
		"^\\t*return.*buffer $",
		"no end$", // on lines that are no UTF-8; there alone "." differs, which is any byte for us
		"[[:upper:]]{6}",
		"\\bfunc\\b.*\\bpackage\\b",
		"(needle|hidden|absent){1,3} (in|file)",
		"func .*Errorf?\\(",
		"TODO|nowhere at all",
	} {
		for _, dir := range []string{generated, repository} {
			t.Run(filepath.Base(dir)+" "+pattern, func(t *testing.T) {
				same(t, pattern, ourLines(t, dir, `{"pattern":`+jsonOf(t, pattern)+`}`), cutText(rgLines(t, dir, "-n", "--no-heading", "-e", pattern)))
			})
		}
	}
	t.Run("files", func(t *testing.T) {
		for _, dir := range []string{generated, repository} {
			var ours []string
			for _, name := range shownBy(t, dir, ".") {
				ours = append(ours, name+"\n")
			}
			same(t, "all files", ours, rgLines(t, dir, "--files"))
		}
	})
}

// cutText leaves "name:number" of what rg prints.
func cutText(lines []string) []string {
	for i, line := range lines {
		parts := strings.SplitN(line, ":", 3)
		lines[i] = strings.Join(parts[:2], ":") + "\n"
	}
	return lines
}

// Both are timed in one run, on the same files: their ratio says more than the
// figures.
func BenchmarkLargeTree(b *testing.B) {
	dir := b.TempDir()
	largeTree(b, dir, 20000)
	h := &host{dir: dir}
	for _, c := range []struct {
		name, args string
		tool       func(Closed) agent.Tool
		rg         []string
	}{
		{"Text", `{"pattern":"needle in"}`, SearchText, []string{"-n", "needle in"}},
		{"NoCase", `{"pattern":"needle in","ignoreCase":true}`, SearchText, []string{"-n", "-i", "needle in"}},
		{"Regexp", `{"pattern":"ne+dle,?\\s+(a|in)"}`, SearchText, []string{"-n", `ne+dle,?\s+(a|in)`}},
		{"Nothing", `{"pattern":"no such words"}`, SearchText, []string{"-n", "no such words"}},
		{"FindFiles", `{"pattern":"**/file19*.go"}`, FindFiles, []string{"--files", "-g", "**/file19*.go"}},
	} {
		tool := c.tool(Closed{})
		b.Run(c.name+"/ours", func(b *testing.B) {
			for b.Loop() {
				if r, err := tool.Call(b.Context(), h.call(c.args)); err != nil || r.IsError {
					b.Fatal(r.Content, err)
				}
			}
		})
		b.Run(c.name+"/rg", func(b *testing.B) {
			for b.Loop() {
				rgLines(b, dir, c.rg...)
			}
		})
	}
}
