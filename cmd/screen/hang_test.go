package screen

import (
	"strings"
	"testing"
)

func TestHang(t *testing.T) {
	t.Parallel()
	p := Palette{On: true}
	for _, tt := range []struct{ in, want string }{
		{"short", "short"},
		{"one two three four five six", "one two three four\n    five six"},
		{"a\none two three four five\nb", "a\none two three four\n    five\nb"},
		{strings.Repeat("x", 45), strings.Repeat("x", 20) + "\n    " + strings.Repeat("x", 16) + "\n    " + strings.Repeat("x", 9)},
		{string(p.Bad("one two three four five")), "\x1b[31mone two three four\n    five\x1b[0m"},
		{string(p.Good("twenty cells of text")), "\x1b[32mtwenty cells of text\x1b[0m"},
	} {
		if got := hang(tt.in, 20); got != tt.want {
			t.Errorf("hang(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if got := hang(tt.in, 0); got != tt.in {
			t.Errorf("without a width %q became %q", tt.in, got)
		}
	}
}
