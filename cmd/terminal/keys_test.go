package terminal

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// TestChooser_admit: which of the keys that came at once a list of choices
// obeys.
func TestChooser_admit(t *testing.T) {
	t.Parallel()
	const up, down = "\x1b[A", "\x1b[B"
	tests := []struct {
		name, typed string
		one, many   string // what survey reads in a list of one choice, of several
	}{
		{"an arrow", down, down, down},
		{"an arrow of another mode", "\x1bOA", up, up},
		{"arrows held down", down + down + up, down + down + up, down + down + up},
		{"Enter", "\r", "\r", "\r"},
		{"space", " ", "", " "},
		{"a letter", "j", "", ""},
		{"tab", "\t", "", ""},
		{"Esc", "\x1b", "", ""},
		{"arrows and Enter over a slow line", down + "\r", down + "\r", down + "\r"},
		{"space among arrows", " " + down + " \r", "", " " + down + " \r"},
		{"words with a newline", "Approve\n", "", ""},
		{"blanks with a newline", "  \n", "", ""},
		{"newlines", "\n\n", "", ""},
		{"more after Enter", down + "\r\r", "", ""},
		{"words among arrows", down + "a\r", "", ""},
		{"a marked newline", pasteBegins + "\n" + pasteEnds, "", ""},
		{"a marked arrow", pasteBegins + down + pasteEnds, "", ""},
		{"a marked paste, then Enter", pasteBegins + "a" + pasteEnds + "\r", "", ""},
		{"what the terminal reports", "\x1b[24;80R", "", ""},
		{"broken text", "\xff", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for want, several := range map[string]bool{tt.one: false, tt.many: true} {
				if tt.one == tt.many {
					several = true
				}
				c := &chooser{sitting: &sitting{}, place: &place{several: several}}
				if got := c.admit(c.keys([]byte(tt.typed))); got != want {
					t.Errorf("several %v: %q, want %q", several, got, want)
				}
			}
		})
	}
}

// TestLeaves: Ctrl-C and Ctrl-D leave, among other keys too, but not inside a
// paste, unless the paste never ends.
func TestLeaves(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		typed []string // bursts
		want  bool
	}{
		{"Ctrl-C", []string{"\x03"}, true},
		{"Ctrl-D", []string{"\x04"}, true},
		{"behind words", []string{"abc\x03"}, true},
		{"behind Esc", []string{"\x1b\x03"}, true},
		{"nothing", []string{"abc\r"}, false},
		{"in a paste", []string{pasteBegins + "a\x03b" + pasteEnds}, false},
		{"behind a paste", []string{pasteBegins + "ab" + pasteEnds + "\x03"}, true},
		{"in a paste without end", []string{pasteBegins + "a", "\x03"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, got := &sitting{}, false
			for _, typed := range tt.typed {
				got = leaves(s.keys([]byte(typed)))
			}
			if got != tt.want {
				t.Errorf("leaves: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestOrdered: which keys end a line.
func TestOrdered(t *testing.T) {
	t.Parallel()
	tests := []struct {
		typed string
		want  keyCode
	}{
		{"\r", keyEnter}, {"yes\r", keyEnter}, {"yes\r\n", keyEnter}, {"\x07", keyEditor},
		{"yes", keyOther}, {"a\nb", keyOther}, {"a\nb\n", keyOther}, {"a\nb\x07", keyOther},
		{pasteBegins + "a\n" + pasteEnds, keyOther}, {pasteBegins + "a" + pasteEnds + "\r", keyEnter},
		{pasteBegins + "a\nb" + pasteEnds + "\r", keyEnter}, {"", keyOther},
	}
	for _, tt := range tests {
		s := &sitting{}
		if got := ordered(s.keys([]byte(tt.typed))); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.typed, got, tt.want)
		}
	}
}

// FuzzKeys proves that every byte is read once, that bursts may be cut
// anywhere, and that text comes out as it was typed.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"", "日本語\r", "\x1b[", "\x1b[200~a\x1b[201~", "\x1bO", "\x1b\x1b[A", "é\xe9", "\x1bé"} {
		f.Add(s, 2)
	}
	f.Fuzz(func(t *testing.T, typed string, cut int) {
		s := &sitting{}
		keys := s.keys([]byte(typed))
		if len(keys) > len(typed) {
			t.Errorf("%d keys of %d bytes", len(keys), len(typed))
		}
		var got strings.Builder
		for _, k := range keys {
			if k.code == keyChar {
				got.WriteRune(k.char)
			}
		}
		if text.Clean(typed) == typed && !strings.Contains(typed, "\n") && got.String() != typed {
			t.Errorf("%q was read as %q", typed, got.String())
		}
		if text.Clean(typed) != typed || cut < 0 || cut > len(typed) {
			return
		}
		halves := &sitting{}
		if in := slices.Concat(halves.keys([]byte(typed[:cut])), halves.keys([]byte(typed[cut:]))); !slices.Equal(in, keys) {
			t.Errorf("%q cut at %d: %v, whole: %v", typed, cut, in, keys)
		}
	})
}

// FuzzLine proves that a line never takes more than its row, wherever its
// cursor stands, and that what was typed is kept.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "日本語を書く", "a\nb\tc", "e\u0301\u202e", strings.Repeat("長", 100)} {
		f.Add(s, 3, 10)
	}
	f.Fuzz(func(t *testing.T, typed string, at, width int) {
		if width < 2 || width > 300 {
			return
		}
		l := &line{}
		for _, r := range typed {
			l.press(key{code: keyChar, char: r})
		}
		if string(l.text) != string([]rune(typed)) {
			t.Errorf("%q became %q", typed, string(l.text))
		}
		l.at = max(0, min(at, len(l.text)))
		row, back := l.row(width)
		if w := text.Width(row); w > width || back > width || back < 0 {
			t.Errorf("row %q of %d cells, %d of them behind the cursor; %d fit", row, w, back, width)
		}
		for _, code := range []keyCode{keyKillWord, keyBackspace, keyDelete, keyKillRest, keyKillLine, keyLeft, keyRight} {
			l.press(key{code: code})
		}
		if len(l.text) != 0 || l.at != 0 {
			t.Errorf("%d characters are left", len(l.text))
		}
	})
}
