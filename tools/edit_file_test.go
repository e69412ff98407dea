package tools

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestEditFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, edits, after string
		says                       []string
	}{
		{"one", "a b c", `[{"oldText":"b","newText":"x"}]`, "a x c", nil},
		{"delete", "a b c", `[{"oldText":" b","newText":""}]`, "a c", nil},
		{"one after another", "a", `[{"oldText":"a","newText":"b"},{"oldText":"b","newText":"c"}]`, "c", nil},
		{"all", "a a a", `[{"oldText":"a","newText":"aa","all":true}]`, "aa aa aa", nil},
		{"there and back", "a b", `[{"oldText":"a","newText":"c"},{"oldText":"c","newText":"a"}]`, "a b", nil},
		{"CRLF", "one\r\ntwo\r\nthree\r\n", `[{"oldText":"one\ntwo","newText":"1\n2\n2b"}]`, "1\r\n2\r\n2b\r\nthree\r\n", nil},
		{"CRLF, one line", "one\r\ntwo", `[{"oldText":"one","newText":"a\r\nb"}]`, "a\r\nb\r\ntwo", nil},
		{"mixed line ends", "one\r\ntwo\nthree", `[{"oldText":"two\nthree","newText":"2\n3"}]`, "one\r\n2\n3", nil},
		{"byte-order mark", "\ufeffone\n", `[{"oldText":"one","newText":"two"}]`, "\ufefftwo\n", nil},
		{"no line end", "one\ntwo", `[{"oldText":"two","newText":"2"}]`, "one\n2", nil},
		{"Latin-1 around it", "\xe9 a \xff", `[{"oldText":"a","newText":"b"}]`, "\xe9 b \xff", nil},
		{"no match", "a", `[{"oldText":"b","newText":"c"}]`, "", []string{"edits[0]", "does not occur", "nothing was changed"}},
		{"two matches", "a a", `[{"oldText":"a","newText":"c"}]`, "", []string{"edits[0]", "more than once"}},
		{"matches that overlap", "aaa", `[{"oldText":"aa","newText":"c"}]`, "", []string{"more than once"}},
		{"all or nothing", "a b", `[{"oldText":"a","newText":"c"},{"oldText":"a","newText":"d"}]`, "", []string{"edits[1]", "nothing was changed"}},
		{"all without a match", "a", `[{"oldText":"b","newText":"c","all":true}]`, "", []string{"does not occur"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			h.write("f", c.before)
			h.seen["f"] = agent.Digest([]byte(c.before))
			args := fmt.Sprintf(`{"path":"f","edits":%s}`, c.edits)
			if c.says != nil {
				h.refused(EditFile("", Closed{}), args, c.says...)
				c.after = c.before
			} else {
				h.ok(EditFile("", Closed{}), args)
			}
			if got := h.read("f"); got != c.after {
				t.Errorf("file holds %q, want %q", got, c.after)
			}
		})
	}
}

func TestEditFile_Seen(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	const args = `{"path":"f","edits":[{"oldText":"a","newText":"b"}]}`
	h.refused(EditFile("", Closed{}), args, "does not exist", "write_file")
	h.write("f", "a")
	h.refused(EditFile("", Closed{}), args, "not read", "read_file")
	h.ok(ReadFile(Closed{}), `{"path":"f"}`)
	h.write("f", "a ")
	h.refused(EditFile("", Closed{}), args, "changed", "read it again")
	h.ok(ReadFile(Closed{}), `{"path":"f"}`)
	r := h.ok(EditFile("", Closed{}), args)
	if r.Content != "Edited f: 1 replacement." || string(r.Blobs[0]) != "a " || r.Changes[0].Before != agent.Digest([]byte("a ")) {
		t.Errorf("result %+v", r)
	}
	h.ok(EditFile("", Closed{}), `{"path":"f","edits":[{"oldText":"b","newText":"c"}]}`)
	h.mode = agent.Mode{ID: "explore", Writes: agent.WritesNone}
	h.refused(EditFile("", Closed{}), `{"path":"f","edits":[{"oldText":"c","newText":"d"}]}`, "read-only")
}

func TestEditFile_PartReadIsEnough(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("f", "one\ntwo\nthree\n")
	h.ok(ReadFile(Closed{}), `{"path":"f","offset":2,"limit":1}`)
	h.ok(EditFile("", Closed{}), `{"path":"f","edits":[{"oldText":"three","newText":"3"}]}`)
}

func TestEditFile_TooLarge(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("f", strings.Repeat("0123456789abcde\n", maxFile/16)+"x")
	h.refused(EditFile("", Closed{}), `{"path":"f","edits":[{"oldText":"x","newText":"y"}]}`, "larger than 16 MiB")
	h.refused(WriteFile("", Closed{}), writeArgs("f", "x"), "larger than 16 MiB")
}

// Nothing but the one place changes, whatever is around it.
func TestEditFile_NothingElseChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		piece := rapid.StringMatching("[a-c \ufeff\t]{0,8}(\n|\r\n|\r)?[a-c]{0,5}(\n|\r\n)?")
		before, after := piece.Draw(rt, "before"), piece.Draw(rt, "after")
		old, replacement := "<"+rapid.StringMatching(`[a-c\n]{0,4}`).Draw(rt, "old")+">", rapid.StringMatching(`[a-c\n]{0,6}`).Draw(rt, "new")
		crlf := onlyCRLF([]byte(before + "<>" + after)) // not joined: "\r" and "\n" would become a line end
		file := before + old + after
		want := before + replacement + after
		if crlf {
			file, want = before+toCRLF(old)+after, before+toCRLF(replacement)+after
		} else if onlyCRLF([]byte(file)) {
			rt.Skip("the old text alone decides on the line ends")
		}
		got, n, err := applyEdits(file, []edit{{old: old, new: replacement}})
		if err != nil || n != 1 || got != want {
			rt.Fatalf("%q: got %q, %d, %v; want %q", file, got, n, err, want)
		}
	})
}

func TestEditFile_AllChangesEveryPlace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringMatching("[a-c\n]{0,6}"), 2, 6).Draw(rt, "parts")
		got, n, err := applyEdits(strings.Join(parts, "<>"), []edit{{old: "<>", new: "x<>", all: true}})
		if want := strings.Join(parts, "x<>"); err != nil || got != want || n != len(parts)-1 {
			rt.Fatalf("got %q, %d, %v; want %q", got, n, err, want)
		}
	})
}
