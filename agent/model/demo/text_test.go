package demo

import (
	"slices"
	"strings"
	"testing"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	tests := []struct{ task, want string }{
		{"Add a greeting", "add-a-greeting"},
		{"  Fix #12: ../../etc/passwd!  ", "fix-12-etc-passwd"},
		{"挨拶を追加", "task"},
		{"", "task"},
		{"one two three four five six seven", "one-two-three-four-five-six"},
		{strings.Repeat("x", 300), "task"},
	}
	for _, tc := range tests {
		if got := slug(tc.task); got != tc.want {
			t.Errorf("slug(%q) = %q, want %q", tc.task, got, tc.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"\n\n first \nsecond", "first"},
		{"a\x1b[1mb\u202ec", "a[1mbc"},
		{"123456789", "123456…"},
		{"äöüäöü", "äöüäöü"},
		{" \n ", ""},
	}
	for _, tc := range tests {
		if got := oneLine(tc.text, 6); got != tc.want {
			t.Errorf("oneLine(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	if got, want := quoted("one\n\n# two\n"), "> one\n>\n> \\# two\n"; got != want {
		t.Errorf("quoted = %q, want %q", got, want)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, listing string
		want          []string
	}{
		{"paths", "a.go\nb/c.go\n./d\n", []string{"a.go", "b/c.go", "d"}},
		{"folders", "a/\nb/ \n", nil},
		{"columns", "a.go\t12 B\nb.go  12 B\n", []string{"a.go", "b.go"}},
		{"prose", "3 entries\n(empty)\n\n", nil},
		{"a tree's children", "a/\n  b.go\n", nil},
		{"its own and git's", ".mastracode/plans/a.md\n.git/config\n.gitignore\n", []string{".gitignore"}},
		{"names that are markup", "a`b\n<c>\nd\x1b[0m\n", nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := names(tc.listing); !slices.Equal(got, tc.want) {
				t.Errorf("names = %q, want %q", got, tc.want)
			}
		})
	}
}
