package tell

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
)

// narrow is a screen of so many columns without colours, and what it shows.
func narrow(columns int) (*screen.Screen, *strings.Builder) {
	var shown strings.Builder
	return screenOn(&shown, columns), &shown
}

func changedBy(tool string, args any, before string) agent.ResultPayload {
	raw, _ := json.Marshal(args) //nolint:errchkjson // plain values
	return agent.ResultPayload{
		CallPayload: agent.CallPayload{ToolName: tool, Args: raw},
		Result:      agent.Result{Changes: []agent.FileChange{{Path: "a", Before: before, After: "x"}}},
	}
}

func TestDiffOfCall(t *testing.T) {
	t.Parallel()
	edit := func(pairs ...string) any {
		var edits []any
		for i := 0; i < len(pairs); i += 2 {
			edits = append(edits, map[string]string{"oldText": pairs[i], "newText": pairs[i+1]})
		}
		return map[string]any{"path": "a", "edits": edits}
	}
	for _, tt := range []struct {
		name  string
		p     agent.ResultPayload
		count string
		want  string
	}{
		{"a line", changedBy("edit_file", edit("a\nb\nc", "a\nB\nc"), "y"), "+1 −1", "  │  a\n  │ -b\n  │ +B\n  │  c\n"},
		{"two edits", changedBy("edit_file", edit("a", "b", "c", ""), "y"), "+1 −2", "  │ -a\n  │ +b\n  │ ⋯\n  │ -c\n"},
		{"CRLF", changedBy("edit_file", edit("a\r\nb", "a\r\nc"), "y"), "+1 −1", "  │  a\n  │ -b\n  │ +c\n"},
		{"a line that looks like a place", changedBy("edit_file", edit("@@ -1 +1 @@", "-- x"), "y"), "+1 −1", "  │ -@@ -1 +1 @@\n  │ +-- x\n"},
		{"a new file", changedBy("write_file", map[string]string{"content": "a\n\nb"}, ""), "+3 −0", "  │ +a\n  │ +\n  │ +b\n"},
		{"another text", changedBy("write_file", map[string]string{"content": "a\n"}, "y"), "1 line, replaced", "  │ +a\n"},
		{"an empty file", changedBy("write_file", map[string]string{"content": ""}, ""), "+0 −0", ""},
		{"what cannot be seen", changedBy("write_file", map[string]string{"content": "a\u202eb\x1b[31m"}, ""), "+1 −0", "  │ +a⟨U+202E⟩b⟨U+001B⟩[31m\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := diffOfCall(tt.p)
			if d == nil {
				t.Fatal("no diff")
			}
			on, shown := narrow(60)
			d.print(on, diffRows)
			if d.count() != tt.count || shown.String() != tt.want {
				t.Errorf("%s:\n%s\nwant %s:\n%s", d.count(), shown.String(), tt.count, tt.want)
			}
		})
	}
}

func TestDiffOfCall_none(t *testing.T) {
	t.Parallel()
	refused := changedBy("edit_file", map[string]any{"edits": []any{map[string]string{"oldText": "a", "newText": "b"}}}, "")
	refused.Result.IsError = true
	unchanged := changedBy("write_file", map[string]string{"content": "a"}, "")
	unchanged.Result.Changes = nil
	for name, p := range map[string]agent.ResultPayload{
		"refused": refused, "unchanged": unchanged, "another tool": changedBy("shell", map[string]string{"content": "x"}, ""),
		"other arguments": changedBy("edit_file", []int{1}, ""), "no edits": changedBy("edit_file", map[string]int{}, ""),
	} {
		if d := diffOfCall(p); d != nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestEditDiff_bounded(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"lines": strings.Repeat("x\n", 1000), "a long line": strings.Repeat("x", 100_000)} {
		d := diffOfCall(changedBy("write_file", map[string]string{"content": content}, ""))
		on, shown := narrow(60)
		d.print(on, diffRows)
		if n := strings.Count(shown.String(), "\n"); n != diffRows+1 || !strings.HasSuffix(shown.String(), "    … more (-v shows all)\n") {
			t.Errorf("%s: %d rows", name, n)
		}
		on, shown = narrow(60)
		d.print(on, 0)
		if got := strings.Count(shown.String(), "x"); got != strings.Count(content, "x") {
			t.Errorf("%s: all shows %d", name, got)
		}
	}
}
