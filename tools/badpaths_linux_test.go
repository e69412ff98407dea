package tools

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-3e5a1d81/agent/agent"
)

// byPath are calls of the file tools with one path.
func byPath(t *testing.T, path string) map[string]string {
	t.Helper()
	p := jsonOf(t, path)
	return map[string]string{
		"read_file":   `{"path":` + p + `}`,
		"write_file":  `{"path":` + p + `,"content":"x"}`,
		"edit_file":   `{"path":` + p + `,"edits":[{"oldText":"a","newText":"b"}]}`,
		"search_text": `{"pattern":"a","path":` + p + `}`,
		"find_files":  `{"pattern":"*","path":` + p + `}`,
		"list_files":  `{"path":` + p + `}`,
	}
}

// What is no regular file, or cannot be named, is an error result that says so,
// of every tool and at once.
func TestBadPaths(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("file", "a")
	h.write("dir/x", "a")
	in := func(name string) string { return filepath.Join(h.dir, name) }
	if err := unix.Mkfifo(in("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: in("socket"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	paths := map[string]string{
		"fifo": "not a regular file", "socket": "not a regular file", "dir": "directory", "file/below": "not a directory", "nul\x00": "no file name",
		"../file": "outside", "/etc/passwd": "outside", "out": "outside", "loop": "too many", strings.Repeat("n", 300): "name too long", "": "", " ": "",
	}
	if unix.Mknod(in("device"), unix.S_IFCHR|0o666, 1<<8|3) == nil { // not everybody may
		paths["device"] = "not a regular file"
	}
	h.link("loop", "loop")
	h.link("/etc/passwd", "out")
	h.link("fifo", "to-fifo")
	paths["to-fifo"] = "not a regular file"
	for path, says := range paths {
		for tool, args := range byPath(t, path) {
			lists := tool == "find_files" || tool == "list_files"
			switch {
			case path == "dir" && (lists || tool == "search_text"), strings.TrimSpace(path) == "" && (lists || tool == "search_text"):
				continue // that is what they take, or nothing said
			case strings.Contains(says, "not a regular") && lists:
				says = "not a directory"
			}
			h.refused(toolNamed(t, tool), args, says)
			says = paths[path]
		}
	}
	if got := h.read("file"); got != "a" {
		t.Errorf("the file holds %q", got)
	}
	// On a walk they are in nobody's way.
	if got := h.ok(SearchText(Closed{}), `{"pattern":"a"}`).Content; got != "dir/x:1: a\nfile:1: a\n" {
		t.Errorf("search: %q", got)
	}
}

// A name that is no UTF-8 cannot be said in JSON. It is shown quoted, and a
// search goes through the file.
func TestBadPaths_NotUTF8(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("caf\xe9", "needle\n")
	h.write("café", "needle\n")
	if got, want := h.ok(SearchText(Closed{}), `{"pattern":"needle"}`).Content, "\"caf\\xe9\":1: needle\ncafé:1: needle\n"; got != want && got != "café:1: needle\n\"caf\\xe9\":1: needle\n" {
		t.Errorf("search: %q, want %q", got, want)
	}
	for _, tool := range []agent.Tool{ListFiles(Closed{}), FindFiles(Closed{})} {
		mustSay(t, h.ok(tool, `{"pattern":"c*"}`).Content, `"caf\xe9"`)
	}
	h.refused(ReadFile(Closed{}), `{"path":"caf\ufffd"}`, "does not exist")
}

// What may not be read or written is an error result that says so. The thread
// gives up the rights of root, if it has them.
func TestBadPaths_NotPermitted(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("closed", "a")
	h.write("locked/x", "a")
	h.write("readonly/x", "a")
	for name, mode := range map[string]os.FileMode{"closed": 0, "locked": 0, "readonly": 0o555, "readonly/x": 0o644, "..": 0o755, ".": 0o755} {
		if err := os.Chmod(filepath.Join(h.dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(h.dir, "locked"), 0o755)
	runtime.LockOSThread() // for good: the thread ends with the test
	if os.Getuid() == 0 {
		if err := unix.Setfsuid(65534); err != nil {
			t.Skip(err)
		}
		defer func() { _ = unix.Setfsuid(0) }()
	}
	for tool, args := range byPath(t, "closed") {
		if tool != "find_files" && tool != "list_files" {
			h.refused(toolNamed(t, tool), args, "closed", "permission denied")
		}
	}
	h.refused(ReadFile(Closed{}), `{"path":"locked/x"}`, "locked/x", "permission denied")
	h.refused(ListFiles(Closed{}), `{"path":"locked"}`, "permission denied")
	h.ok(ReadFile(Closed{}), `{"path":"readonly/x"}`)
	h.refused(WriteFile("", Closed{}), writeArgs("readonly/x", "b"), "readonly/x", "permission denied")
	h.refused(WriteFile("", Closed{}), writeArgs("readonly/new", "b"), "permission denied")
}
