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
		{"a tree", "./\n  a.go\n  b/\n    c.go\n    d/\n      e.go\n  f.go\n", []string{"a.go", "b/c.go", "b/d/e.go", "f.go"}},
		{"a subtree", "b/\n  c.go\n", []string{"b/c.go"}},
		{"folders not shown further", "./\n  a/ ...\n  b.go\n", []string{"b.go"}},
		{"links and notes", "./\n  l -> a.go\n[more than 1000 entries: name a path]\n[empty, or everything in it is ignored]\n", nil},
		{"its own and git's", "./\n  .gitignore\n  .mastracode/\n    plans/\n      a.md\n", []string{".gitignore"}},
		{"nothing", "", nil},
		{"names that are markup", "./\n  a`b\n  <c>\n  d\x1b[0m\n", nil},
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
