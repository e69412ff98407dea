package tools

import (
	"fmt"
	"os"
	"path/filepath"
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
		{"no match", "a", `[{"oldText":"b","newText":"c"}]`, "", []string{"edits[0]", "does not occur", "nothing in the file is like it", "nothing was changed"}},
		{"two matches", "a a", `[{"oldText":"a","newText":"c"}]`, "", []string{"edits[0]", "more than once, at line 1:"}},
		{"matches on lines", "a\nb\na\n\na", `[{"oldText":"a","newText":"c"}]`, "", []string{"more than once, at lines 1, 3 and 5:", "set all"}},
		{"matches of several lines", "x\na\nb\nx\na\nb\n", `[{"oldText":"a\nb","newText":"c"}]`, "", []string{"at lines 2 and 5:"}},
		{"many matches", strings.Repeat("a\n", 40), `[{"oldText":"a","newText":"c"}]`, "", []string{"9, 10 and more:"}},
		{"near, white space", "one\n\tif x {\n\t\treturn\n\t}\n", `[{"oldText":"    if x {\n        return\n    }","newText":"c"}]`, "",
			[]string{"nearest place is line 2", "differs in white space", `the file has "\tif x {"`, `oldText "    if x {"`}},
		{"near, another word", "one\ntwo\nthree\nfour\n", `[{"oldText":"two\nTHREE\nfour","newText":"c"}]`, "", []string{"nearest place is line 3", `has "three", oldText "THREE"`}},
		{"near, one line", "alpha\nfunc Serve(ctx context.Context) error {\nomega\n", `[{"oldText":"func Serve(ctx Context) error {","newText":"c"}]`, "", []string{"nearest place is line 2", "context.Context"}},
		{"near, past the end", "one\ntwo", `[{"oldText":"one\ntwo\nthree","newText":"c"}]`, "", []string{"line 3", "the file ends before"}},
		{"near, line ends", "one\r\ntwo\nx\n", `[{"oldText":"one\ntwo","newText":"c"}]`, "", []string{"nearest place is line 1", "line ends differ"}},
		{"with line numbers", "one\ntwo\n", `[{"oldText":"     1\tone\n     2\ttwo","newText":"c"}]`, "", []string{"line numbers that read_file adds"}},
		{"a masked value in oldText", "key: hunter2\n", `[{"oldText":"key: [secret API_KEY]","newText":"c"}]`, "", []string{"not shown"}},
		{"a masked value in newText", "key: hunter2\n", `[{"oldText":"key: hunter2","newText":"key: [secret API_KEY]"}]`, "", []string{"[secret API_KEY]", "not shown", "ask the person"}},
		{"a mark that is in the file", "x [secret NAME]\n", `[{"oldText":"x [secret NAME]","newText":"y [secret NAME]"}]`, "y [secret NAME]\n", nil},
		{"binary", "a\x00b", `[{"oldText":"a","newText":"c"}]`, "", []string{"binary"}},
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

// What another program makes of the file between the look at it and the writing
// is not overwritten.
func TestEditFile_ConcurrentChange(t *testing.T) {
	t.Parallel()
	for what, meddle := range map[string]func(h *host){
		"changed":  func(h *host) { h.write("f", "theirs") },
		"replaced": func(h *host) { h.write("g", "b"); _ = os.Rename(filepath.Join(h.dir, "g"), filepath.Join(h.dir, "f")) },
		"removed":  func(h *host) { _ = os.Remove(filepath.Join(h.dir, "f")) },
		"mode":     func(h *host) { _ = os.Chmod(filepath.Join(h.dir, "f"), 0o755) },
	} {
		h := newHost(t, nil)
		h.write("f", "a")
		w, err := openWorkspace(h.call("{}"), Closed{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.close()
		file, err := fileWriter{}.aim(w, h.call("{}"), "f")
		if err != nil {
			t.Fatal(err)
		}
		meddle(h)
		want := tree(t, h.dir)
		if _, err := (change{target: file, data: []byte("mine")}).put(w); err == nil || !strings.Contains(err.Error(), "changed while it was written") {
			t.Errorf("%s: %v", what, err)
		}
		if got := tree(t, h.dir); got != want {
			t.Errorf("%s: the tree is %s, want %s", what, got, want)
		}
	}
	h := newHost(t, nil)
	w, err := openWorkspace(h.call("{}"), Closed{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	file, err := fileWriter{}.aim(w, h.call("{}"), "new")
	if err != nil {
		t.Fatal(err)
	}
	h.write("new", "theirs")
	if _, err := (change{target: file, data: []byte("mine")}).put(w); err == nil || h.read("new") != "theirs" {
		t.Errorf("made by somebody else: %v, the file holds %q", err, h.read("new"))
	}
}

// A change that a process made before it died is found, not made again.
func TestFileWriter_MadeBefore(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("f", "a b")
	h.ok(ReadFile(Closed{}), `{"path":"f"}`)
	for name, args := range map[string]string{"edit_file": `{"path":"f","edits":[{"oldText":"b","newText":"bb"}]}`, "write_file": `{"path":"f","content":"a bb"}`} {
		h.write("f", "a b")
		call := h.call(args)
		tool := toolNamed(t, name)
		changes, blobs := tool.(agent.Changer).Intent(t.Context(), call)
		if len(changes) != 1 || len(blobs) != 2 || string(blobs[0]) != "a b" || string(blobs[1]) != "a bb" || h.read("f") != "a b" {
			t.Fatalf("%s intends %+v with %q; the file holds %q", name, changes, blobs, h.read("f"))
		}
		first, err := tool.Call(t.Context(), call)
		if err != nil || first.IsError {
			t.Fatal(first.Content, err)
		}
		call.Intended = changes
		again, err := tool.Call(t.Context(), call)
		if err != nil || again.IsError || jsonOf(t, again.Changes) != jsonOf(t, changes) || jsonOf(t, first.Changes) != jsonOf(t, changes) || h.read("f") != "a bb" {
			t.Errorf("%s again: %+v, %v; the file holds %q", name, again, err, h.read("f"))
		}
		h.write("f", "somebody else's")
		if r, _ := tool.Call(t.Context(), call); !r.IsError || h.read("f") != "somebody else's" {
			t.Errorf("%s over a foreign change: %+v", name, r)
		}
	}
}

// Of the whole workspace an edit changes the bytes it names and nothing else:
// no other byte of the file, none of its permission bits, no other file.
func TestEditFile_TheRestOfTheWorkspaceStays(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("dir/beside", "beside\n")
	h.link("f", "dir/link")
	edges := []string{"", "\ufeff", "\n", "\r\n", "\r", "caf\xe9", "\t  ", "x", "日本", "last line", "\x7f\x1b[0m"}
	rapid.Check(t, func(rt *rapid.T) {
		part := rapid.Custom(func(rt *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(edges), 0, 6).Draw(rt, "part"), "")
		})
		before, after := part.Draw(rt, "before"), part.Draw(rt, "after")
		mode := os.FileMode(rapid.SampledFrom([]int{0o644, 0o600, 0o755, 0o640, 0o444, 0o777}).Draw(rt, "mode"))
		h.write("dir/f", before+"<old>"+after)
		if err := os.Chmod(filepath.Join(h.dir, "dir/f"), mode); err != nil {
			rt.Fatal(err)
		}
		h.seen["dir/f"] = agent.Digest([]byte(before + "<old>" + after))
		r := h.ok(EditFile("", Closed{}), `{"path":"`+rapid.SampledFrom([]string{"dir/f", "dir/link", "./dir/../dir/f"}).Draw(rt, "path")+`","edits":[{"oldText":"<old>","newText":"<new>"}]}`)
		info, err := os.Lstat(filepath.Join(h.dir, "dir/f"))
		if err != nil || info.Mode() != mode {
			rt.Fatalf("mode %v, want %v; %v", info.Mode(), mode, err)
		}
		if got := h.read("dir/f"); got != before+"<new>"+after || string(r.Blobs[0]) != before+"<old>"+after {
			rt.Fatalf("the file holds %q", got)
		}
		entries, err := os.ReadDir(filepath.Join(h.dir, "dir"))
		if err != nil || len(entries) != 3 || h.read("dir/beside") != "beside\n" {
			rt.Fatalf("the directory holds %v", entries)
		}
		if err := os.Remove(filepath.Join(h.dir, "dir/f")); err != nil {
			rt.Fatal(err)
		}
	})
}
