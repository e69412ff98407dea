package markdown

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3e5a1d81/agent/internal/golden"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

func TestRender_golden(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("testdata/*.md")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, name := range sources {
		source := readFile(t, name)
		for _, width := range []int{40, 80, 120} {
			golden.Want(t, fmt.Sprintf("%s.%d.golden", strings.TrimSuffix(name, ".md"), width), Render(source, Options{Width: width}))
		}
		golden.Want(t, strings.TrimSuffix(name, ".md")+".color.golden", visible(Render(source, Options{Color: true})))
	}
}

func TestDiff_golden(t *testing.T) {
	t.Parallel()
	source := string(readFile(t, "testdata/revision.diff"))
	golden.Want(t, "testdata/revision.40.golden", Diff(source, Options{Width: 40}))
	golden.Want(t, "testdata/revision.color.golden", visible(Diff(source, Options{Width: 80, Color: true})))
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// visible keeps escape sequences readable in golden files.
func visible(s string) string { return strings.ReplaceAll(s, "\x1b", "␛") }

// TestRender compares what a person sees, at 60 cells without colour.
func TestRender(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, source, want string }{
		{"nothing", "", ""},
		{"blank", " \n\n", ""},
		{"deeper headings keep their marks", "### three\n\n###### six", "### three\n\n###### six\n"},
		{"an empty heading", "#\n", "#\n"},
		{"start of a list", "7) a\n8) b\n", "7) a\n8) b\n"},
		{"numbers of one width", "9. a\n10. b\n", " 9. a\n10. b\n"},
		{"all items written alike", "1. a\n1. b\n1. c\n", "1. a\n2. b\n3. c\n"},
		{"written numbers that do not count", "1. a\n7. b\n", "1. a\n2. [7.] b\n"},
		{"zeros", "007. a\n", "7. [007.] a\n"},
		{"an empty item", "- a\n-\n- b\n", "• a\n•\n• b\n"},
		{"a number of an empty item", "1.\n2.\n", "1.\n2.\n"},
		{"tasks", "- [ ] a\n- [X] b\n\n1. [x] c\n", "[ ] a\n[X] b\n\n1. [x] c\n"},
		{"code in backticks", "``a`b``", "``a`b``\n"},
		{"spaces of code stay", "`a   b`", "`a   b`\n"},
		{"escapes", `\*a\* \\ \_`, "*a* \\ _\n"},
		{"entities", "&lt;b&gt; &#65;&#x42; &nbsp;x &bogus;", "<b> AB \u00a0x &bogus;\n"},
		{"an entity that reverses", "&#x202E;", "⟨U+202E⟩\n"},
		{"an entity that is a newline", "a&#10;b", "a b\n"},
		{"escape sequences", "\x1b[2J\x1b]52;c;eA==\x07", "⟨U+001B⟩[2J⟨U+001B⟩]52;c;eA==⟨U+0007⟩\n"},
		{"bytes that are no text", "a\xffb", "a⟨0xFF⟩b\n"},
		{"C1 controls", "\u009b31m", "⟨U+009B⟩31m\n"},
		{"a lone carriage return", "safe\rrm", "safe⟨U+000D⟩rm\n"},
		{"carriage returns of lines", "# a\r\n\r\nb\r\nc\r\n", "a\n━\n\nb c\n"},
		{"a byte-order mark before, and one within", "\ufeffa\ufeff", "a⟨U+FEFF⟩\n"},
		{"joiners where nothing joins", "a\u200db \u200c", "a⟨U+200D⟩b ⟨U+200C⟩\n"},
		{"joiners of Persian and of emoji", "می\u200cخواهم 👩\u200d💻 ❤\ufe0f 1\ufe0f⃣", "می\u200cخواهم 👩\u200d💻 ❤\ufe0f 1\ufe0f⃣\n"},
		{"selectors that carry data", "a\ufe0f 😀\U000e0101\U000e0102", "a⟨U+FE0F⟩ 😀⟨U+E0101⟩⟨U+E0102⟩\n"},
		{"more marks than a letter carries", "e\u0301\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301\u0301⟨U+0301⟩\n"},
		{"a link", "[a](b 'c')", "a <b \"c\">\n"},
		{"a link shown as another", "[https://good.example](https://evil.example)", "https://good.example <https://evil.example>\n"},
		{"a link that is its text", "[docs/a.md](docs/a.md)", "<docs/a.md>\n"},
		{"a link without text", "[](b)", "<b>\n"},
		{"an entity in a target", "[a](b&#46;c\\_d)", "a <b.c_d>\n"},
		{"a reference", "[Text][x]\n\n[X]: /y \"t\"\n", "Text [x] </y \"t\">\n\n┊ [X]: /y \"t\"\n"},
		{"an autolink", "<https://a.example>", "<https://a.example>\n"},
		{"an image", "![alt](p.png 'T')", "[image: alt <p.png \"T\">]\n"},
		{"a definition nothing uses", "[x]: https://evil.example", "┊ [x]: https://evil.example\n"},
		{"a comment", "<!-- hi\nyou -->\n", "[html]\n┊ <!-- hi\n┊ you -->\n"},
		{"a comment in a line", "a <!-- hi --> b", "a [html: <!-- hi -->] b\n"},
		{"a script", "<script>\nx()\n</script>\n", "[html]\n┊ <script>\n┊ x()\n┊ </script>\n"},
		{"cells without a column", "|a|\n|-|\n|b|rm -rf|\n", "a\n─\nb\n[hidden: |rm -rf|]\n"},
		{"a table with a short row", "|a|b|\n|-|-|\n|c|\n", "a │ b\n──┼──\nc │\n"},
		{"front matter", "---\na: 1\n---\nb\n", "[front matter]\n┊ ---\n┊ a: 1\n┊ ---\n\nb\n"},
		{"nested quotes", "> a\n>> b\n", "▌ a\n▌\n▌ ▌ b\n"},
		{"an empty quote", ">\n", "▌\n"},
		{"code in a list", "- a\n\n      x\n", "• a\n\n  │ x\n"},
		{"code without lines", "```\n```\n", "│\n"},
		{"a tab in code", "```\n\ta\tb\n```\n", "│     a   b\n"},
		{"Japanese lines join without space", "日本\n語 x\ny\n", "日本語 x y\n"},
		{"a hard break", "a  \nb\\\nc", "a\nb\nc\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, Render([]byte(tt.source), Options{Width: 60})); d != "" {
				t.Errorf("Render(%q) (-want +got):\n%s", tt.source, d)
			}
		})
	}
}

func TestRender_wraps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		width        int
		want         string
	}{
		{"words", "one two three", 10, "one two\nthree\n"},
		{"what is longer than a line", "a abcdefghijklmno", 10, "a\nabcdefghij\nklmno\n"},
		{"between wide characters", "設定ファイルを読む", 10, "設定ファイ\nルを読む\n"},
		{"no line begins with a full stop", "設定ファイ。読む", 10, "設定ファ\nイ。読む\n"},
		{"code, marked", "```\nabcdefghijkl\n```\n", 10, "│ abcdefgh\n↪ ijkl\n"},
		{"lists hang", "- one two three\n", 10, "• one two\n  three\n"},
		{"a table with more columns than fit", "|a|b|c|d|\n|-|-|-|-|\n|long|words|every|where|\n", 12,
			"a: long\nb: words\nc: every\nd: where\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, Render([]byte(tt.source), Options{Width: tt.width})); d != "" {
				t.Errorf("Render(%q) (-want +got):\n%s", tt.source, d)
			}
		})
	}
}

// TestRender_color holds every line to its own style: begun and ended there.
func TestRender_color(t *testing.T) {
	t.Parallel()
	source := readFile(t, "testdata/plan.md")
	got := Render(source, Options{Width: 40, Color: true})
	if strings.Count(got, "\x1b[") < 100 {
		t.Error("hardly any colour")
	}
	for line := range strings.Lines(got) {
		at := strings.LastIndex(line, "\x1b[")
		if at >= 0 && !strings.HasPrefix(line[at:], "\x1b[0m") {
			t.Errorf("line ends in a style: %q", line)
		}
	}
}

var sgr = regexp.MustCompile(`\x1b\[0(;[1-4])*(;3[1256])?m`)

// check finds what must not be in a result for source.
func check(source []byte, got string, o Options) error {
	bare := got
	if o.Color {
		bare = sgr.ReplaceAllString(got, "")
	}
	if bare != "" && !strings.HasSuffix(bare, "\n") {
		return fmt.Errorf("no newline at the end of %q", bare)
	}
	for line := range strings.Lines(bare) {
		line = strings.TrimSuffix(line, "\n")
		if w := text.Width(line); w > o.width() {
			return fmt.Errorf("%d cells, %d allowed: %q", w, o.width(), line)
		}
		for _, r := range line {
			if unicode.IsControl(r) || text.Directional(r) || r == utf8.RuneError && !bytes.ContainsRune(source, r) && !bytes.ContainsAny(source, "&") {
				return fmt.Errorf("%U in %q", r, line)
			}
		}
	}
	return nil
}

// letters is all letters and digits of s, without what wrapping puts between.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

var entities = regexp.MustCompile(`&#?\w+;`)

var word = regexp.MustCompile(`[\pL\p{Nd}]+`)

// missing returns a word of source that is not in got. Entities are shown as
// what they stand for, so they do not count.
func missing(source []byte, got string) string {
	shown := letters(sgr.ReplaceAllString(got, ""))
	for _, w := range word.FindAllString(entities.ReplaceAllString(string(lineEnds(source)), " "), -1) {
		if !strings.Contains(shown, w) {
			return w
		}
	}
	return ""
}

func TestRender_hidesNothing(t *testing.T) {
	t.Parallel()
	parts := []string{"# ", "## ", "- ", "* ", "1. ", "23) ", "> ", "    ", "\t", "```", "~~~", "`", "*", "**", "_", "~~", "[", "]", "(", ")",
		"!", "<", ">", "<!--", "-->", "<b>", "</b>", "<div>", "<script>", "|", "|-|-|\n", "---\n", "===\n", "\n", "\n\n", "  \n", "\\", "\\\n",
		": ", "\"", "'", "[ ] ", "[x] ", "[a]: ", "[a]", "![", "](", "&copy;", "&#65;", "alpha", "beta", "Gamma7", "42", "日本語", "é", " ", " ",
		"https://a.example/x", "\u200b", "\u202e", "\x1b[31m", "👩‍💻", "🇫🇷", "\r\n", "\x00", "+++\n"}
	rapid.Check(t, func(t *rapid.T) {
		source := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 60).Draw(t, "parts"), ""))
		o := Options{Width: rapid.IntRange(10, 90).Draw(t, "width"), Color: rapid.Bool().Draw(t, "color")}
		got := Render(source, o)
		if err := check(source, got, o); err != nil {
			t.Fatalf("Render(%q): %v", source, err)
		}
		if w := missing(source, got); w != "" {
			t.Fatalf("Render(%q) hides %q:\n%s", source, w, got)
		}
	})
}

func FuzzRender(f *testing.F) {
	for _, name := range []string{"plan.md", "francais.md", "nihongo.md"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, 20, true)
	}
	f.Add([]byte("|a|b|\n|-|:-:|\n|`x\\|y`|[z][z]|w|\n\n[z]: <q> (r)\n"), 33, false)
	f.Fuzz(func(t *testing.T, source []byte, width int, color bool) {
		o := Options{Width: max(width, 10) % 300, Color: color}
		if err := check(source, Render(source, o), o); err != nil {
			t.Errorf("Render(%q, %v): %v", source, o, err)
		}
		if err := check(source, Diff(string(source), o), o); err != nil {
			t.Errorf("Diff(%q, %v): %v", source, o, err)
		}
	})
}

// hostile are texts that make parsers slow.
func hostile(size int) map[string][]byte {
	rep := func(s string) []byte { return bytes.Repeat([]byte(s), size/len(s)) }
	cat := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	m := map[string][]byte{
		"escaped pipes":  cat([]byte("|a|\n|-|\n"), rep("|`x\\|y`|\n")),
		"many columns":   cat(rep("|a")[:4000], []byte("|\n"), rep("|-")[:4000], []byte("|\n"), rep("a\n")),
		"one wide table": cat(rep("|a"), []byte("|\n"), rep("|-"), []byte("|\n")),
		"a big table":    cat([]byte("|a|b|c|\n|-|-|-|\n"), rep("|some cell|other|and more words|\n")),
		"deep quotes":    cat(bytes.Repeat([]byte(">"), 10000), []byte(" x\n")),
		"deep lists":     cat(bytes.Repeat([]byte("- "), 10000), []byte("x\n")),
		"ordered deep":   cat(bytes.Repeat([]byte("1. "), 10000), []byte("x\n")),
		"indent stairs":  stairs(size),
		"one heading":    cat([]byte("# "), rep("[a](")),
	}
	for _, s := range []string{"[", "![", "[a](", "[a]: b (\n", "[a]: b '\n\n", "*a ", "**a _b ", "_a__", "`a``b", "<", "<!--", "<!-- \n", "<a ", "<a b=\"", "<?", "<!A ", "&", "\\", "[a][b]", "[[a]", "a](", "~~a ~", "> > > >\n", "> ", "- a\n", "1.\n", "x\n", "\t", " ", "\n", "e\u0301", "\u0301", "👩‍💻", "\u200d", "\xff", "```\n", "<div>\n", "|-", "|", "#", "[ ] ", "-\n\n", "- - a\n", "> - ", "&#x202e;", "*", "![a](b)", "[a](b) ", "- [a]\n  -\n"} {
		m[fmt.Sprintf("%q", s)] = rep(s)
	}
	return m
}

func stairs(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		b.Write(bytes.Repeat([]byte(" "), 2*(i%500)))
		b.WriteString("- a\n")
	}
	return b.Bytes()
}

// TestRender_bounded allows hostile input far more than it needs, as other work
// on the machine may delay it, but not thrice.
func TestRender_bounded(t *testing.T) {
	t.Parallel()
	for name, source := range hostile(64 << 10) {
		o := Options{Width: 20, Color: true}
		got, took := Render(source, o), time.Duration(0)
		for range 3 {
			start := time.Now()
			Render(source, o)
			if took = time.Since(start); took < 2*time.Second {
				break
			}
		}
		if took >= 2*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		if len(got) > 60*len(source) {
			t.Errorf("%s: %d bytes of %d", name, len(got), len(source))
		}
		if err := check(source, got, o); err != nil {
			t.Errorf("%s: %.300s", name, err)
		}
	}
}
