package cmd

import (
	"strings"
	"testing"
	"unicode"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// narrow is a screen of so many columns without colours, and what it shows.
func narrow(columns int) (*screen, *strings.Builder) {
	var shown strings.Builder
	return &screen{Writer: &text.Writer{W: &shown}, tty: true, columns: func() int { return columns }}, &shown
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
		{"emoji", []string{"ok ❤️ 👩‍💻"}, "┃ ok ❤️ 👩‍💻\n"},
		{"what a terminal obeys", []string{"a\x1b[2Jb\rc\u202ed"}, "┃ ab\n┃ cd\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			on, _ := narrow(22)
			g := newGutter(on, wordBar)
			var got strings.Builder
			for _, p := range tt.pieces {
				got.WriteString(string(g.add(p)))
			}
			got.WriteString(string(g.end()))
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
	on, _ := narrow(80)
	g := newGutter(on, wordBar)
	if got := g.add("Hel"); got != "┃ Hel" {
		t.Errorf("shown at once: %q", got)
	}
	g.add(strings.Repeat("x ", 30))
	if got := g.add("lo"); got != "" {
		t.Errorf("near the edge %q", got)
	}
	if got := g.add(" "); got != " lo" {
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
		on, _ := narrow(24)
		g := newGutter(on, wordBar)
		at := 0
		if len(s) > 0 {
			at = ((cut % len(s)) + len(s)) % len(s)
		}
		out := string(g.add(s[:at])) + string(g.add(s[at:])) + string(g.end())
		if out == "" {
			return
		}
		var words strings.Builder
		for _, row := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
			rest, ok := strings.CutPrefix(row, wordBar)
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

func TestHang(t *testing.T) {
	t.Parallel()
	p := palette{on: true}
	for _, tt := range []struct{ in, want string }{
		{"short", "short"},
		{"one two three four five six", "one two three four\n    five six"},
		{"a\none two three four five\nb", "a\none two three four\n    five\nb"},
		{strings.Repeat("x", 45), strings.Repeat("x", 20) + "\n    " + strings.Repeat("x", 16) + "\n    " + strings.Repeat("x", 9)},
		{string(p.bad("one two three four five")), "\x1b[31mone two three four\n    five\x1b[0m"},
		{string(p.good("twenty cells of text")), "\x1b[32mtwenty cells of text\x1b[0m"},
	} {
		if got := hang(tt.in, 20); got != tt.want {
			t.Errorf("hang(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if got := hang(tt.in, 0); got != tt.in {
			t.Errorf("without a width %q became %q", tt.in, got)
		}
	}
}
