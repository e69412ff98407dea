package screen

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	tb := Table{Head: []string{"ID", "TITLE"}, Widest: []int{4, 6}}
	tb.Add("ab", "界界界界")
	tb.Add("cd", "a\x1b[31m\nb")
	var out strings.Builder
	tb.Print(&out, 0)
	if want := "ID  TITLE\nab  界界…\ncd  a b\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	out.Reset()
	tb.Print(&out, 6)
	if want := "ID  T…\nab  …\ncd  a…\n"; out.String() != want {
		t.Errorf("cut to %q, want %q", out.String(), want)
	}
}
