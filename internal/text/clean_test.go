package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "Hello, world\n\tindented", "Hello, world\n\tindented"},
		{"other scripts stay", "多行 ✓ é 👩‍💻 नमस्ते", "多行 ✓ é 👩‍💻 नमस्ते"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"private parameters", "\x1b[?25lx\x1b[>4;2my", "xy"},
		{"clipboard write ended by BEL", "a\x1b]52;c;aGk=\ab", "ab"},
		{"clipboard write ended by ST", "a\x1b]52;c;aGk=\x1b\\b", "ab"},
		{"title that never ends is shown", "a\x1b]0;title", "a0;title"},
		{"string does not swallow lines", "a\x1b]0;title\nnext\a", "a0;title\nnext"},
		{"device control, application command", "\x1bPq#0\x1b\\x\x1b_Ga=T\x1b\\y", "xy"},
		{"8-bit introducers", "a\u009b31mb\u009d0;t\ac", "abc"},
		{"reset and charset", "\x1bcx\x1b(By", "xy"},
		{"lone escape", "x\x1b", "x"},
		{"escape before escape", "\x1b\x1b[31mx", "x"},
		{"bell, backspace, delete, NUL", "a\ab\bc\x7fd\x00e", "abcde"},
		{"carriage return cannot overwrite", "approve? no\rapprove? yes", "approve? no\napprove? yes"},
		{"CRLF", "a\r\nb", "a\nb"},
		{"bidi overrides and isolates", "a\u202eb\u2066c\u200fd\u061ce", "abcde"},
		{"tag characters", "a\U000e0041\U000e007fb", "ab"},
		{"broken UTF-8", "a\xff\xc3b", "a\uFFFD\uFFFDb"},
		{"a raw 0x9b byte is no introducer in UTF-8", "a\x9b31mb", "a\uFFFD31mb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	if got := Line("  two\n\tlines \x1b[2J\r here "); got != "two lines here" {
		t.Errorf("Line = %q", got)
	}
}

// FuzzClean proves what every sink relies on: nothing a terminal obeys comes
// out, cleaning twice changes nothing, and ordinary text is untouched.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31m", "\x1b]52;c;x\a", "\u009b1m\u202e", "\x1b\x1b]\x1b\\", "\xc2", "a\r\rb", "\x1b[\x1b[m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Clean(%q) = %q is not UTF-8", s, got)
		}
		if i := strings.IndexFunc(got, obeyed); i >= 0 {
			t.Fatalf("Clean(%q) = %q holds %q", s, got, got[i:])
		}
		if again := Clean(got); again != got {
			t.Fatalf("Clean is not stable: %q, %q", got, again)
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, obeyed) && got != s {
			t.Fatalf("Clean(%q) = %q changed ordinary text", s, got)
		}
	})
}
