package permission

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// workspaceWithLinks makes a workspace with links: docs/out leads outside, docs/src to src,
// docs/new to a file of src that does not exist, loop to itself.
func workspaceWithLinks(t *testing.T) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws := filepath.Join(base, "ws")
	for _, dir := range []string{"docs/deep", "src", "../outside"} {
		if err := os.MkdirAll(filepath.Join(ws, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"docs/out": "../../outside", "docs/src": "../src", "docs/new": "../src/new.go", "loop": "loop",
		"notes": "docs", "docs/abs": filepath.Join(ws, "src"), "../alias": "ws",
	} {
		if err := os.Symlink(target, filepath.Join(ws, name)); err != nil {
			t.Skip(err)
		}
	}
	return ws
}

func TestPolicy_paths(t *testing.T) {
	t.Parallel()
	ws := workspaceWithLinks(t)
	outside := filepath.Join(filepath.Dir(ws), "outside")
	const askFirst = "category edit ask\ncategory read ask\n"
	tests := []struct {
		rules, tool, path string
		want              agent.Action
	}{
		{"allow edit(docs/**)", "edit_file", "docs/a.md", agent.ActionAllow},
		{"allow edit(docs/**)", "edit_file", "docs/deep/a.md", agent.ActionAllow},
		{"allow edit(docs/*)", "edit_file", "docs/deep/a.md", agent.ActionAsk},
		{"allow edit(docs/)", "edit_file", "docs/deep/a.md", agent.ActionAllow},
		{"allow edit(./docs/*.md)", "edit_file", "docs/a.md", agent.ActionAllow},
		{"allow edit(docs/**)", "edit_file", "./docs//a.md", agent.ActionAllow},
		{"allow edit(docs/**)", "edit_file", "docs/../main.go", agent.ActionAsk},
		{"allow edit(docs/**)", "edit_file", "src/../docs/a.md", agent.ActionAllow},
		{"allow edit(docs/**)", "edit_file", filepath.Join(ws, "docs/a.md"), agent.ActionAllow},
		{"allow edit(docs/**)", "edit_file", filepath.Join(ws, "../alias/docs/a.md"), agent.ActionAsk},
		{"allow edit(docs/**)", "edit_file", "docs/src/a.go", agent.ActionAsk},
		{"allow edit(docs/**)", "edit_file", "docs/abs/a.go", agent.ActionAsk},
		{"allow edit(docs/**)", "edit_file", "docs/new", agent.ActionAsk},
		{"allow edit(docs/**)", "edit_file", "docs/out/a", agent.ActionAsk},
		{"allow edit(docs/**)", "edit_file", "docs/src/../a.md", agent.ActionAsk}, // to the system: ./a.md
		{"allow edit(docs/**)", "edit_file", "notes/a.md", agent.ActionAsk},
		{"allow edit(**)", "edit_file", "notes/a.md", agent.ActionAllow},
		{"allow edit(**)", "edit_file", "docs/out/a", agent.ActionAsk},
		{"allow edit(**)", "edit_file", "loop/a", agent.ActionAsk},
		{"allow edit(**)", "edit_file", "../x", agent.ActionAsk},
		{"allow edit(**)", "edit_file", "a\x00b", agent.ActionAsk},
		{"allow edit(" + outside + "/**)", "edit_file", outside + "/x", agent.ActionAllow},
		{"allow edit(README.md)", "edit_file", "README.md", agent.ActionAllow},
		{"allow edit(README.md)", "edit_file", "docs/README.md", agent.ActionAsk},
		{"allow edit(README.md)", "edit_file", "readme.md", agent.ActionAsk},
		{"allow edit(docs)", "edit_file", "docs/a.md", agent.ActionAsk},
		{`allow edit(\[a\].md)`, "edit_file", "[a].md", agent.ActionAllow},
		{"allow edit(docs/**)", "write_file", "docs/a.md", agent.ActionAllow},
		{"allow write_file(docs/**)", "edit_file", "docs/a.md", agent.ActionAsk},

		{"deny edit(src/**)", "edit_file", "docs/src/a.go", agent.ActionDeny},
		{"deny edit(src/**)", "edit_file", "docs/new", agent.ActionDeny},
		{"deny edit(docs/**)", "edit_file", "notes/a.md", agent.ActionDeny},
		{"deny edit(notes/**)", "edit_file", "notes/a.md", agent.ActionDeny},
		{"deny edit(src)", "edit_file", "src/deep/a.go", agent.ActionDeny},
		{"deny edit(src/**)", "edit_file", "SRC/a.go", agent.ActionDeny},
		{"deny edit(.env)", "edit_file", "deep/in/.env", agent.ActionDeny},
		{"deny edit(.env)", "edit_file", ".env/x", agent.ActionDeny},
		{"deny edit(*.pem)", "edit_file", "a/b.PEM", agent.ActionDeny},
		{"deny edit(.env)", "edit_file", ".envrc", agent.ActionAsk},
		{"deny edit(a/.env)", "edit_file", "b/a/.env", agent.ActionAsk},
		{"deny edit(" + outside + ")", "edit_file", "docs/out/a", agent.ActionDeny},
		{"ask edit(go.mod)\nallow edit(**)", "edit_file", "go.mod", agent.ActionAsk},

		// Tools that look through a tree: all below counts.
		{"allow read(src/**)", "search_text", "src", agent.ActionAllow},
		{"allow read(src/**)", "search_text", "src/deep", agent.ActionAllow},
		{"allow read(src/**)", "search_text", ".", agent.ActionAsk},
		{"allow read(src)", "search_text", "src", agent.ActionAsk},
		{"allow read(src/*)", "list_files", "src", agent.ActionAsk},
		{"allow read(**)", "find_files", ".", agent.ActionAllow},
		{"allow read(**)", "find_files", `{"pattern":"*.go"}`, agent.ActionAllow},
		{"allow read(**)\nask read(src/key)", "search_text", ".", agent.ActionAsk},
		{"allow read(**)\nask read(src/key)", "search_text", "docs", agent.ActionAllow},
		{"allow read(**)\nask read(src/key)", "read_file", "src/a", agent.ActionAllow},
		{"allow read(**)\nask read(.env)", "search_text", "docs", agent.ActionAsk},
		{"allow read(**)\ndeny read(src/key)", "search_text", ".", agent.ActionAllow}, // closed to the tool
		{"allow read(**)\ndeny read(src)", "search_text", "src", agent.ActionDeny},
		{"allow read(**)\ndeny search_text(src/key)", "search_text", ".", agent.ActionAsk},
		{"allow read(**)\ndeny search_text(src/key)", "search_text", "docs", agent.ActionAllow},
	}
	for _, tc := range tests {
		p, req := circumstances(t, askFirst+tc.rules, calling(t, tc.tool, tc.path))
		req.Workspace = ws
		if got := p.Decide(req); got.Action != tc.want {
			t.Errorf("%s: %s %s: %s (%s), want %s", tc.rules, tc.tool, tc.path, got.Action, got.Reason, tc.want)
		}
	}
}

// TestPolicy_offer: what "for this run" would grant is as narrow as it can be
// and still be of use, and it holds for the call it was offered for.
func TestPolicy_offer(t *testing.T) {
	t.Parallel()
	ws := workspaceWithLinks(t)
	tests := []struct{ tool, what, want string }{
		{"shell", "go test ./... | head", "shell(go test ./... | head)"},
		{"shell", "rm *.o", `shell(rm \*.o)`},
		{"edit_file", "docs/a.md", "edit(docs/a.md)"},
		{"write_file", "./docs/[a].md", `edit(docs/\[a\].md)`},
		{"read_file", "docs/a.md", "read(docs/a.md)"},
		{"search_text", "docs", "search_text(docs/**)"},
		{"list_files", ".", "list_files(**)"},
	}
	for _, tc := range tests {
		p := Policy{Read: agent.ActionAsk, Edit: agent.ActionAsk}
		req := calling(t, tc.tool, tc.what)
		req.Workspace = ws
		v := p.Decide(req)
		if v.Action != agent.ActionAsk || v.Rule != tc.want {
			t.Errorf("%s %s: %+v, want the offer %s", tc.tool, tc.what, v, tc.want)
		}
		req.Grants = []string{v.Rule}
		if v := p.Decide(req); v.Action != agent.ActionAllow {
			t.Errorf("%s %s: granted %s, yet %+v", tc.tool, tc.what, tc.want, v)
		}
	}
	for _, path := range []string{"docs/out/a", "notes/a", "../x", "a\nb"} { // links, outside, odd
		req := calling(t, "edit_file", path)
		req.Workspace = ws
		if v := (Policy{Edit: agent.ActionAsk}).Decide(req); v.Rule != exact("edit_file", req.Args) {
			t.Errorf("%s: offers %s, want this call alone", path, v.Rule)
		}
	}
}

func TestPolicy_Closed(t *testing.T) {
	t.Parallel()
	p := Policy{Rules: rulesOf(t, "deny read(.env)\ndeny read(~/keys/**)\nask read(a)\nallow read(b)\ndeny edit(c)\ndeny read\ndeny read_file(d)")}
	if got, want := p.Closed(), []string{".env", "~/keys/**"}; !slices.Equal(got, want) {
		t.Errorf("Closed = %q, want %q", got, want)
	}
}
