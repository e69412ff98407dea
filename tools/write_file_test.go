package tools

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

func writeArgs(path, content string) string {
	return fmt.Sprintf(`{"path":%q,"content":%q}`, path, content)
}

func TestWriteFile_New(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	r := h.ok(WriteFile("", Closed{}), writeArgs("a/b/c.txt", "hello\n"))
	if got := h.read("a/b/c.txt"); got != "hello\n" {
		t.Errorf("wrote %q", got)
	}
	digest := agent.Digest([]byte("hello\n"))
	want := jsonOf(t, agent.Result{
		Content: "Created a/b/c.txt (6 bytes).",
		Files:   []agent.FileState{{Path: "a/b/c.txt", Digest: digest}},
		Changes: []agent.FileChange{{Path: "a/b/c.txt", After: digest}},
	})
	if got := jsonOf(t, r); got != want || len(r.Blobs) != 1 || string(r.Blobs[0]) != "hello\n" {
		t.Errorf("result %s, want %s", got, want)
	}
}

func TestWriteFile_OverwritesWhatWasRead(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("run.sh", "old")
	if err := os.Chmod(filepath.Join(h.dir, "run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	h.refused(WriteFile("", Closed{}), writeArgs("run.sh", "new"), "run.sh", "read_file")
	h.ok(ReadFile(Closed{}), `{"path":"run.sh"}`)
	r := h.ok(WriteFile("", Closed{}), writeArgs("./run.sh", "new"))
	c := r.Changes[0]
	if c.Before != agent.Digest([]byte("old")) || c.After != agent.Digest([]byte("new")) || c.Mode != "0750" || string(r.Blobs[0]) != "old" || string(r.Blobs[1]) != "new" {
		t.Errorf("change %+v, blobs %q", c, r.Blobs)
	}
	info, err := os.Stat(filepath.Join(h.dir, "run.sh"))
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	h.ok(WriteFile("", Closed{}), writeArgs("run.sh", "newer")) // what it wrote it knows
	h.write("run.sh", "theirs")
	h.refused(WriteFile("", Closed{}), writeArgs("run.sh", "mine"), "changed", "read it again")
	if got := h.read("run.sh"); got != "theirs" {
		t.Errorf("overwrote it with %q", got)
	}
}

func TestWriteFile_Again(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("a", "same")
	r := h.ok(WriteFile("", Closed{}), writeArgs("a", "same"))
	if len(r.Changes) != 0 || r.Files[0].Digest != agent.Digest([]byte("same")) {
		t.Errorf("result %+v", r)
	}
}

func TestWriteFile_Modes(t *testing.T) {
	t.Parallel()
	none := agent.Mode{ID: "explore", Writes: agent.WritesNone}
	plans := agent.Mode{ID: "plan", Writes: agent.WritesPlans}
	build := agent.Mode{ID: "build", Writes: agent.WritesWorkspace}
	for _, c := range []struct {
		mode agent.Mode
		path string
		says []string // nil: allowed
	}{
		{agent.Mode{}, "a.go", nil},
		{build, "a.go", nil},
		{build, ".mastracode/plans/a.md", nil},
		{build, "sub/config.toml", nil},
		{build, ".gitignore", nil},
		{build, ".github/workflows/ci.yml", nil},
		{build, ".git/hooks/pre-commit", []string{"protected", ".git"}},
		{build, ".GIT/config", []string{"protected"}},
		{build, "sub/.git/config", []string{"protected"}},
		{build, "./x/../.git/config", []string{"protected"}},
		{build, ".mastracode/config.toml", []string{"protected"}},
		{build, "sub/.Mastracode/Config.toml", []string{"protected"}},
		{build, "../a.go", []string{"outside"}},
		{build, "/etc/agent-test", []string{"outside"}},
		{plans, ".mastracode/plans/a.md", nil},
		{plans, ".mastracode/plans/deep/a.markdown", nil},
		{plans, "a.md", []string{`"plan"`, ".mastracode/plans/"}},
		{plans, ".mastracode/plans/a.sh", []string{".md"}},
		{plans, ".mastracode/plans/../a.md", []string{".mastracode/plans/"}},
		{plans, ".mastracode/config.toml", []string{"protected"}},
		{plans, ".mastracode/plans", []string{".mastracode/plans/"}},
		{none, "a.go", []string{`"explore"`, "read-only"}},
		{none, ".mastracode/plans/a.md", []string{`"explore"`, "read-only"}},
		{agent.Mode{ID: "odd", Writes: "everything"}, "a.go", []string{`"odd"`}},
	} {
		t.Run(c.mode.ID+" "+c.path, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			h.mode = c.mode
			if c.says == nil {
				h.ok(WriteFile("", Closed{}), writeArgs(c.path, "x"))
				return
			}
			h.refused(WriteFile("", Closed{}), writeArgs(c.path, "x"), c.says...)
			entries, err := os.ReadDir(h.dir)
			if err != nil || len(entries) != 0 {
				t.Errorf("left %v, %v", entries, err)
			}
		})
	}
}

func TestWriteFile_PlansDirectory(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.mode = agent.Mode{ID: "plan", Writes: agent.WritesPlans}
	h.ok(WriteFile("docs/plans", Closed{}), writeArgs("docs/plans/a.md", "x"))
	h.ok(WriteFile("docs/plans", Closed{}), writeArgs(filepath.Join(h.dir, "docs/plans/b.md"), "x"))
	h.refused(WriteFile("docs/plans", Closed{}), writeArgs(planPath, "x"), "docs/plans/")
}

func TestWriteFile_PlansFollowNoLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ at, to, write string }{
		{planPath, "../../README.md", planPath},
		{".mastracode/plans", "../docs", ".mastracode/plans/README.md"},
		{".mastracode", "docs", ".mastracode/plans/new.md"},
		{".mastracode/plans/sub", "../../docs", ".mastracode/plans/sub/new.md"},
		{planPath, "b.md", planPath}, // even one that stays among the plans
	} {
		t.Run(c.at, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			h.mode = agent.Mode{ID: "plan", Writes: agent.WritesPlans}
			h.write("README.md", "precious")
			h.write("docs/README.md", "precious")
			h.write("docs/plans/x", "")
			h.link(c.to, c.at)
			h.ok(ReadFile(Closed{}), `{"path":"README.md"}`)
			h.ok(ReadFile(Closed{}), `{"path":"docs/README.md"}`)
			h.refused(WriteFile("", Closed{}), writeArgs(c.write, "x"), ".mastracode/plans/")
			if h.read("README.md") != "precious" || h.read("docs/README.md") != "precious" {
				t.Error("wrote through the link")
			}
			h.missing("docs/new.md")
			h.missing("docs/plans/new.md")
		})
	}
}

func TestWriteFile_Links(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for _, c := range []struct {
		name, at, to, write string
		says                []string
		lands               string
	}{
		{"to a directory outside", "out", outside, "out/x", []string{"outside"}, ""},
		{"relative, to the outside", "out", "../../elsewhere", "out/x", []string{"outside"}, ""},
		{"into git", "g", ".git", "g/hooks/x", []string{"protected"}, ""},
		{"to itself", "loop", "loop", "loop/x", []string{"links"}, ""},
		{"inside", "in", "sub", "in/x", nil, "sub/x"},
		{"inside, up and down", "a/in", "../sub/../sub", "a/in/x", nil, "sub/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			h.write("sub/there", "")
			h.write(".git/HEAD", "")
			h.link(c.to, c.at)
			if c.says != nil {
				h.refused(WriteFile("", Closed{}), writeArgs(c.write, "x"), c.says...)
				h.missing(".git/hooks")
				if entries, _ := os.ReadDir(outside); len(entries) != 0 {
					t.Errorf("wrote outside: %v", entries)
				}
				return
			}
			r := h.ok(WriteFile("", Closed{}), writeArgs(c.write, "x"))
			if r.Files[0].Path != c.lands || h.read(c.lands) != "x" {
				t.Errorf("landed at %+v", r.Files)
			}
		})
	}
}

func TestWriteFile_AbsoluteLinkInside(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("sub/there", "")
	h.link(filepath.Join(h.dir, "sub"), "in")
	h.ok(WriteFile("", Closed{}), writeArgs("in/x", "x"))
	if h.read("sub/x") != "x" {
		t.Error("did not land in sub")
	}
}

func TestWriteFile_LinkToAFile(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("AGENTS.md", "old")
	h.link("AGENTS.md", "CLAUDE.md")
	h.refused(WriteFile("", Closed{}), writeArgs("CLAUDE.md", "new"), "AGENTS.md", "read_file")
	h.ok(ReadFile(Closed{}), `{"path":"CLAUDE.md"}`)
	h.ok(WriteFile("", Closed{}), writeArgs("CLAUDE.md", "new"))
	info, err := os.Lstat(filepath.Join(h.dir, "CLAUDE.md"))
	if err != nil || info.Mode().Type() != fs.ModeSymlink || h.read("AGENTS.md") != "new" {
		t.Errorf("the link became %v (%v), AGENTS.md holds %q", info.Mode(), err, h.read("AGENTS.md"))
	}
}

func TestWriteFile_WorkspaceThroughALink(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	real := h.dir
	h.dir = filepath.Join(t.TempDir(), "ws")
	if err := os.Symlink(real, h.dir); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"a", filepath.Join(h.dir, "b"), filepath.Join(real, "c")} {
		h.ok(WriteFile("", Closed{}), writeArgs(p, "x"))
	}
	if h.read("a")+h.read("b")+h.read("c") != "xxx" {
		t.Error("not all were written")
	}
}

func TestWriteFile_NotAFile(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("dir/x", "")
	h.refused(WriteFile("", Closed{}), writeArgs("dir", "x"), "directory")
	h.refused(WriteFile("", Closed{}), writeArgs("dir/x/y", "x"), "not a directory")
	h.refused(WriteFile("", Closed{}), writeArgs(".", "x"), "directory")
	h.refused(WriteFile("", Closed{}), `{"path":"a\u0000b","content":""}`, "no file name")
}

func TestDenied_EveryTool(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("data/runs.db", "secret rows")
	h.write("data/runs.db-wal", "secret rows")
	h.write("runs.db", "secret rows")
	h.write("runs.db-wal", "secret rows")
	h.write("open.txt", "rows")
	if err := os.Link(filepath.Join(h.dir, "runs.db"), filepath.Join(h.dir, "hard")); err != nil {
		t.Fatal(err)
	}
	h.link("data", "soft")
	cfg := Config{Denied: []string{filepath.Join(h.dir, "data"), filepath.Join(h.dir, "runs.db")}}
	tools := map[string]agent.Tool{}
	for _, tool := range All(cfg) {
		tools[tool.Definition().Name] = tool
	}
	for _, p := range []string{"data/runs.db", "data", "runs.db", "runs.db-wal", "runs.db-journal", "hard", "soft/runs.db", "data/new"} {
		h.refused(tools["read_file"], fmt.Sprintf(`{"path":%q}`, p), "closed to all tools")
		h.refused(tools["write_file"], writeArgs(p, "x"), "closed to all tools")
		h.refused(tools["edit_file"], fmt.Sprintf(`{"path":%q,"edits":[{"oldText":"s","newText":"t"}]}`, p), "closed to all tools")
		h.refused(tools["search_text"], fmt.Sprintf(`{"path":%q,"pattern":"s"}`, p), "closed to all tools")
		h.refused(tools["list_files"], fmt.Sprintf(`{"path":%q}`, p), "closed to all tools")
	}
	if got := h.ok(tools["list_files"], `{}`).Content; got != "./\n  open.txt\n  soft -> data\n" {
		t.Errorf("listed %q", got)
	}
	if got := h.ok(tools["search_text"], `{"pattern":"rows"}`).Content; got != "open.txt:1: rows\n" {
		t.Errorf("searched %q", got)
	}
	h.refused(tools["shell"], `{"command":"true"}`, "database")
}

func TestDenied_Proc(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip(err)
	}
	for dir, p := range map[string]string{"/": "proc/self/environ", "/proc": "self/environ"} {
		h := newHost(t, nil)
		h.dir = dir
		h.refused(ReadFile(Closed{}), fmt.Sprintf(`{"path":%q}`, p), "closed to all tools")
		h.refused(SearchText(Closed{}), fmt.Sprintf(`{"path":%q,"pattern":"PATH"}`, p), "closed to all tools")
	}
}
