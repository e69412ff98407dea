package screen

import (
	"strings"
	"testing"
	"unicode"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

const testBar = "┃ "

// narrowScreen is a screen of so many columns without colours, and what it shows.
func narrowScreen(columns int) (*Screen, *strings.Builder) {
	var shown strings.Builder
	return &Screen{Writer: &text.Writer{W: &shown}, TTY: true, Columns: func() int { return columns }}, &shown
}

func TestGutter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		pieces []string
		want   string
	}{
		{"nothing", nil, ""},
		{"lines", []string{"one\n", "\ntwo"}, "┃ one\n┃ \n┃ two\n"},
		{"words stay whole", []string{"the quick brown foxes jump"}, "┃ the quick brown\n┃ foxes jump\n"},
		{"words in pieces stay whole", []string{"the quick brown f", "oxes ju", "mp"}, "┃ the quick brown\n┃ foxes jump\n"},
		{"a word no row holds is cut", []string{"see https://example.com/a/b/c"}, "┃ see https://example.\n┃ com/a/b/c\n"},
		{"a line as long as a row", []string{"12345678901234567890\nx"}, "┃ 12345678901234567890\n┃ x\n"},
		{"spaces at the end of a row", []string{"12345678901234567890   \nx"}, "┃ 12345678901234567890\n┃ x\n"},
		{"spaces cannot push words to the margin", []string{strings.Repeat(" ", 200) + "agent: ok?"}, "┃ agent: ok?\n"},
		{"tabs", []string{"\ta\tb"}, "┃     a   b\n"},
		{"indents", []string{"a:\n  b\n"}, "┃ a:\n┃   b\n"},
		{"Japanese", []string{"日本語の文章は空白なしで、続きます。"}, "┃ 日本語の文章は空白な\n┃ しで、続きます。\n"},
		{"no row begins with a full stop", []string{"日本語の文章は空白だ。"}, "┃ 日本語の文章は空白\n┃ だ。\n"},
		{"composed emoji stay whole", []string{"一二三四五六七八👩\u200d👩\u200d👧\u200d👦👍🏽"}, "┃ 一二三四五六七八\n┃ 👩\u200d👩\u200d👧\u200d👦👍🏽\n"},
		{"joiners keep no words together", []string{strings.Repeat("字\u200d", 12)}, "┃ " + strings.Repeat("字\u200d", 10) + "\n┃ 字\u200d字\u200d\n"},
		{"emoji", []string{"ok ❤️ 👩‍💻"}, "┃ ok ❤️ 👩‍💻\n"},
		{"what a terminal obeys", []string{"a\x1b[2Jb\rc\u202ed"}, "┃ ab\n┃ cd\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			on, _ := narrowScreen(22)
			g := NewGutter(on, testBar)
			var got strings.Builder
			for _, p := range tt.pieces {
				got.WriteString(string(g.Add(p)))
			}
			got.WriteString(string(g.End()))
			if got.String() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), tt.want)
			}
		})
	}
}

// TestGutter_prompt: what is far from the edge is shown at once, what is near
// it at the latest with the word's end.
func TestGutter_prompt(t *testing.T) {
	t.Parallel()
	on, _ := narrowScreen(80)
	g := NewGutter(on, testBar)
	if got := g.Add("Hel"); got != "┃ Hel" {
		t.Errorf("shown at once: %q", got)
	}
	g.Add(strings.Repeat("x ", 30))
	if got := g.Add("lo"); got != "" {
		t.Errorf("near the edge %q", got)
	}
	if got := g.Add(" "); got != " lo" {
		t.Errorf("after the word %q", got)
	}
}

// FuzzGutter proves what the gutter is for: every row begins with the bar and
// fits, however the text comes, and no word is lost.
func FuzzGutter(f *testing.F) {
	for _, s := range []string{"", "a b\nc", strings.Repeat("long ", 40), strings.Repeat("x", 90), "日本語、です。\n\tx", "❤️❤️❤️", "\x1b[31m\r\n"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		on, _ := narrowScreen(24)
		g := NewGutter(on, testBar)
		at := 0
		if len(s) > 0 {
			at = ((cut % len(s)) + len(s)) % len(s)
		}
		out := string(g.Add(s[:at])) + string(g.Add(s[at:])) + string(g.End())
		if out == "" {
			return
		}
		var words strings.Builder
		for _, row := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
			rest, ok := strings.CutPrefix(row, testBar)
			if !ok || text.Width(row) > 24 {
				t.Fatalf("row %q of %q", row, s)
			}
			words.WriteString(rest)
		}
		if got, want := letters(words.String()), letters(text.Clean(s[:at])+text.Clean(s[at:])); got != want {
			t.Fatalf("said %q, shown %q", want, got)
		}
	})
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) && strings.ContainsRune(" \t\n", r) {
			return -1
		}
		return r
	}, s)
}
