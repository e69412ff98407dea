package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, args, want string }{
		{"whole", "one\ntwo\n", `{"path":"f"}`, "     1\tone\n     2\ttwo\n"},
		{"no line end", "one\ntwo", `{"path":"f"}`, "     1\tone\n     2\ttwo\n[no line end after the last line]\n"},
		{"CRLF", "one\r\ntwo\r\n", `{"path":"f"}`, "     1\tone\n     2\ttwo\n[lines end in CRLF]\n"},
		{"byte-order mark", "\ufeffone\n", `{"path":"f"}`, "     1\tone\n"},
		{"empty", "", `{"path":"f"}`, "[f is empty]\n"},
		{"range", "1\n2\n3\n4\n", `{"path":"f","offset":2,"limit":2}`, "     2\t2\n     3\t3\n[lines 2 to 3 of 4; more with offset 4]\n"},
		{"end of range", "1\n2\n3", `{"path":"f","offset":3}`, "     3\t3\n[no line end after the last line]\n"},
		{"not UTF-8", "caf\xe9\n", `{"path":"f"}`, "     1\tcaf\ufffd\n[bytes that are no UTF-8 are shown as \ufffd; edits of other text keep them]\n"},
		{"CRLF elsewhere", "a\r\nb\nc\n", `{"path":"f","offset":2}`, "     2\tb\n     3\tc\n"},
		{"a byte-order mark alone", "\ufeff", `{"path":"f"}`, "     1\t\n[no line end after the last line]\n"},
		{"blank lines", "\n\n", `{"path":"f"}`, "     1\t\n     2\t\n"},
		{"nulls", "x\n", `{"path":"f","offset":null,"limit":null,"other":1}`, "     1\tx\n"},
		{"whole numbers as floats", "x\ny\n", `{"path":"f","offset":2.0}`, "     2\ty\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			h.write("f", c.file)
			r := h.ok(ReadFile(Closed{}), c.args)
			if r.Content != c.want {
				t.Errorf("content %q, want %q", r.Content, c.want)
			}
			if len(r.Files) != 1 || r.Files[0] != (agent.FileState{Path: "f", Digest: agent.Digest([]byte(c.file))}) {
				t.Errorf("files %+v", r.Files)
			}
		})
	}
}

func TestReadFile_Refused(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("dir/bin", "PNG\x00\x01")
	h.write("f", "one\n")
	h.link("/etc/hostname", "out")
	h.link("../../etc/hostname", "up")
	h.link("gone", "dangling")
	for p, says := range map[string]string{
		"dir": "list_files", "dir/bin": "binary", "none": "does not exist", "../f": "outside", "/etc/hostname": "outside",
		"out": "outside", "up": "outside", "dangling": "does not exist", "f/x": "not a directory",
	} {
		h.refused(ReadFile(Closed{}), fmt.Sprintf(`{"path":%q}`, p), says)
	}
	h.refused(ReadFile(Closed{}), `{"path":"f","offset":2}`, "past the end", "1 line")
	if len(h.seen) != 0 {
		t.Errorf("seen %v", h.seen)
	}
}

func TestReadFile_LongLines(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("f", strings.Repeat("é", maxLine)+"\nshort\n"+strings.Repeat("x", 200<<10)+"\nlast\n")
	r := h.ok(ReadFile(Closed{}), `{"path":"f"}`)
	lines := strings.Split(r.Content, "\n")
	if !strings.HasPrefix(lines[0], "     1\té") || !strings.HasSuffix(lines[0], "é [cut, the line has 4001 bytes]") {
		t.Errorf("line 1 begins %q and ends %q", lines[0][:20], lines[0][len(lines[0])-50:])
	}
	if lines[1] != "     2\tshort" || lines[3] != "     4\tlast" || !strings.HasSuffix(lines[2], "[cut, the line has 204801 bytes]") {
		t.Errorf("lines %q %q", lines[1], lines[3])
	}
}

func TestReadFile_Pages(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("f", strings.Repeat("x\n", 5000))
	mustSay(t, h.ok(ReadFile(Closed{}), `{"path":"f"}`).Content, "[lines 1 to 2000 of 5000; more with offset 2001]")
	h.write("wide", strings.Repeat(strings.Repeat("y", 1000)+"\n", 1000))
	r := h.ok(ReadFile(Closed{}), `{"path":"wide"}`)
	if len(r.Content) > maxPage+2*maxLine {
		t.Errorf("a page of %d bytes", len(r.Content))
	}
	mustSay(t, r.Content, "of 1000; more with offset")
}

func TestReadFile_Huge(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("f", strings.Repeat("0123456789abcde\n", maxFile/16+1))
	r := h.ok(ReadFile(Closed{}), `{"path":"f","offset":3,"limit":2}`)
	mustSay(t, r.Content, "     3\t0123456789abcde\n     4\t", "too large to be edited; more with offset 5")
	if len(r.Files) != 0 {
		t.Error("a file that cannot be edited counts as read")
	}
}

func TestReadFile_Interrupted(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("f", "x\n")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	cancel(why)
	for name, args := range map[string]string{"read_file": `{"path":"f"}`, "list_files": `{}`, "find_files": `{"pattern":"*"}`, "search_text": `{"pattern":"x"}`} {
		if _, err := toolNamed(t, name).Call(ctx, h.call(args)); !errors.Is(err, why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Pages put together are the file.
func TestReadFile_PagesAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-zé]{0,5}`), 1, 20).Draw(rt, "lines")
		limit := rapid.IntRange(1, 8).Draw(rt, "limit")
		file := strings.Join(lines, "\n") + "\n"
		var got []string
		for at := 1; at <= len(lines); at += limit {
			p := page{first: at, limit: limit}
			r, err := p.read(t.Context(), "f", strings.NewReader(file), int64(len(file)))
			if err != nil {
				rt.Fatal(err)
			}
			for line := range strings.Lines(r.Content) {
				if _, text, ok := strings.Cut(line, "\t"); ok {
					got = append(got, strings.TrimSuffix(text, "\n"))
				}
			}
		}
		if strings.Join(got, "\n") != strings.Join(lines, "\n") {
			rt.Fatalf("got %q, want %q", got, lines)
		}
	})
}

// Lines that are passed over are counted right, wherever the reading of the
// file is cut.
func TestReadFile_FarOffsets(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	r := rand.New(rand.NewPCG(3, 3))
	var b strings.Builder
	lines := 0
	for b.Len() < 3*pageBuffer {
		length := r.IntN(200)
		if lines%500 == 7 {
			length = pageBuffer/3 + r.IntN(1000)
		}
		b.WriteString(strings.Repeat("x", length) + fmt.Sprint(" ", lines+1, "\n"))
		lines++
	}
	for _, size := range []int64{int64(b.Len()), maxFile + 1} { // as a small file, and as a huge one
		for _, offset := range []int{1, 2, 7, 8, 9, lines / 3, lines / 2, lines - 1, lines} {
			p := page{first: offset, limit: 1}
			result, err := p.read(t.Context(), "f", strings.NewReader(b.String()), size)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(result.Content, "\n")
			if !strings.HasPrefix(line, fmt.Sprintf("%6d\t", offset)) || !strings.HasSuffix(line, fmt.Sprint(" ", offset)) && !strings.Contains(line, "[cut, the line has") {
				t.Errorf("offset %d: %q", offset, clip(line, 80))
			}
			if size <= maxFile && result.Files[0].Digest != agent.Digest([]byte(b.String())) {
				t.Errorf("offset %d: another digest", offset)
			}
		}
	}
	h.write("f", b.String())
	h.refused(ReadFile(Closed{}), fmt.Sprintf(`{"path":"f","offset":%d}`, lines+1), "past the end", fmt.Sprintf("%d lines", lines))
}

func TestReadFile_OtherEncodings(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	for text, says := range map[string]string{
		"\xff\xfea\x00b\x00": "UTF-16", "\xfe\xff\x00a": "UTF-16", "\xff\xfe\x00\x00a\x00\x00\x00": "UTF-32", "a\x00b\x00": "binary", "\x7fELF\x00": "binary",
	} {
		h.write("f", text)
		h.refused(ReadFile(Closed{}), `{"path":"f"}`, says, fmt.Sprint(len(text), " bytes"))
	}
}

// What is wanted: at most 20 ms and 10 MiB.
func BenchmarkReadFile_100MB(b *testing.B) {
	h := &host{dir: b.TempDir()}
	const line = "the quick brown fox jumps over the lazy dog, again and again\n"
	const lines = 100_000_000 / len(line)
	if err := os.WriteFile(filepath.Join(h.dir, "f"), bytes.Repeat([]byte(line), lines), 0o644); err != nil {
		b.Fatal(err)
	}
	for name, offset := range map[string]int{"beginning": 1, "middle": lines / 2, "end": lines - 50} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := ReadFile(Closed{}).Call(b.Context(), h.call(fmt.Sprintf(`{"path":"f","offset":%d,"limit":50}`, offset)))
				if err != nil || strings.Count(r.Content, "quick") != 50 {
					b.Fatal(r.Content, err)
				}
			}
		})
	}
}

// What is wanted: at most 5 ms. The floor is one fsync of the same bytes.
func BenchmarkEditFile(b *testing.B) {
	h := &host{dir: b.TempDir(), seen: map[string]string{}}
	text := strings.Repeat("some line of a source file\n", 1000) + "marker a\n"
	put := func() {
		if err := os.WriteFile(filepath.Join(h.dir, "f"), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	put()
	b.Run("edit", func(b *testing.B) {
		h.seen["f"] = agent.Digest([]byte(text))
		from, to := "a", "b"
		for b.Loop() {
			r, err := EditFile("", Closed{}).Call(b.Context(), h.call(fmt.Sprintf(`{"path":"f","edits":[{"oldText":"marker %s","newText":"marker %s"}]}`, from, to)))
			if err != nil || r.IsError {
				b.Fatal(r.Content, err)
			}
			h.seen["f"] = r.Files[0].Digest
			from, to = to, from
		}
	})
	b.Run("fsync", func(b *testing.B) {
		for b.Loop() {
			f, err := os.Create(filepath.Join(h.dir, "g"))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = f.WriteString(text)
			_ = f.Sync()
			_ = f.Close()
		}
	})
}
