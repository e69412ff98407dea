package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// closedHost has a workspace with the user's home and the agent's data in it,
// so that every place is in reach of the file tools.
func closedHost(t *testing.T) (*host, map[string]agent.Tool) {
	t.Helper()
	h := newHost(t, nil)
	for _, name := range []string{".env", "home/.ssh/id", "config/secrets/deep/b", "data/trust.json"} {
		h.write(name, "marker\n")
	}
	h.link(".env", "link-env")
	h.link("link-env", "chain")
	h.link("home/.ssh", "link-ssh")
	h.link(filepath.Join(h.dir, "home/.ssh"), "abs-ssh")
	h.link("home/.ssh/id", ".env.example.link.example")
	cfg := Config{
		Home:   filepath.Join(h.dir, "home"),
		Denied: DeniedFor(filepath.Join(h.dir, "runs.db"), filepath.Join(h.dir, "data")),
		Secrets: []string{
			"*.pem", "config/secrets/", "./**/vault", "~/.kube", "~/tokens/*.json", filepath.Join(h.dir, "abs") + "/*.txt", filepath.Join(h.dir, "flat"), "[broken", "", " key.txt ",
		},
	}
	all := map[string]agent.Tool{}
	for _, tool := range All(cfg) {
		all[tool.Definition().Name] = tool
	}
	return h, all
}

// pathRows are paths as a model may name them, and whether they are closed.
var pathRows = []struct {
	path   string
	closed bool
}{
	{".env", true},
	{"./.env", true},
	{"sub/../.env", true},
	{"WORKSPACE/.env", true},
	{".env.local", true},
	{".env.production.local", true},
	{".envrc", true},
	{".environment", true},
	{".env/bin/activate", true},
	{".envs/.local/django", true},
	{"sub/.env", true},
	{"sub/deep/.env.test", true},
	{".ENV", true},
	{".Env.Local", true},
	{".env.", true},
	{".env ", true},
	{".env~", true},
	{".env::$DATA", true},
	{".e\u200cnv", true},
	{".env.example.bak", true},
	{".env.examples", true},
	{"link-env", true},
	{"chain", true},
	{".env.example.link.example", true},
	{".env.example", false},
	{".env.sample", false},
	{".env.template", false},
	{".env.dist", false},
	{".ENV.Example", false},
	{".env.local.example", false},
	{"sub/.env.example", false},
	{"env", false},
	{"x.env", false},
	{"environ", false},
	{"home/.ssh/id", true},
	{"home/.ssh/new", true},
	{"home/.SSH/id", true},
	{"home/.aws/credentials", true},
	{"home/.gnupg/private-keys-v1.d/a.key", true},
	{"home/x/../.ssh/id", true},
	{"WORKSPACE/home/.ssh/id", true},
	{"link-ssh/id", true},
	{"abs-ssh/new", true},
	{"home/.sshx/id", false},
	{"home/ssh", false},
	{"sub/.ssh/config", false},
	{"prod.pem", true},
	{"sub/deep/Prod.PEM", true},
	{"prod.pem.txt", false},
	{"config/secrets/deep/b", true},
	{"config/secrets/new", true},
	{"config/secretsx", false},
	{"sub/config/secrets/a", false},
	{"vault/a", true},
	{"sub/deep/vault/a", true},
	{"vaults/a", false},
	{"home/.kube/config", true},
	{"sub/.kube/config", false},
	{"home/tokens/a.json", true},
	{"home/tokens/a.yaml", false},
	{"abs/a.txt", true},
	{"abs/deep/a.txt", false},
	{"flat/a", true},
	{"flats", false},
	{"[broken", true},
	{"b", false},
	{"key.txt", true},
	{"data/trust.json", true},
	{"runs.db", true},
	{"runs.db-wal", true},
	{"runs.db-shm", true},
	{"runs.db-journal", true},
	{"runs.db-owners/0192.lock", true},
	{"runs.dbx", false},
}

func TestClosed_EveryFileTool(t *testing.T) {
	t.Parallel()
	for _, c := range pathRows {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			h, all := closedHost(t)
			p := strings.Replace(c.path, "WORKSPACE", h.dir, 1)
			arg := jsonOf(t, p)
			calls := map[string]string{
				"read_file":   fmt.Sprintf(`{"path":%s}`, arg),
				"search_text": fmt.Sprintf(`{"path":%s,"pattern":"marker"}`, arg),
				"list_files":  fmt.Sprintf(`{"path":%s}`, arg),
				"find_files":  fmt.Sprintf(`{"path":%s,"pattern":"*"}`, arg),
				"edit_file":   fmt.Sprintf(`{"path":%s,"edits":[{"oldText":"marker","newText":"changed"}]}`, arg),
				"write_file":  fmt.Sprintf(`{"path":%s,"content":"marker\n"}`, arg),
			}
			if !c.closed {
				h.ok(all["write_file"], calls["write_file"])
				mustSay(t, h.ok(all["read_file"], calls["read_file"]).Content, "marker")
				mustSay(t, h.ok(all["search_text"], calls["search_text"]).Content, "marker")
				h.ok(all["edit_file"], calls["edit_file"])
				return
			}
			before := tree(t, h.dir)
			for name, args := range calls {
				h.refused(all[name], args, "closed to all tools")
			}
			if after := tree(t, h.dir); after != before {
				t.Errorf("the tree was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// linked reports whether closedHost made a link of p, or of where it lies.
func linked(p string) bool {
	return strings.Contains(p, "link") || p == "chain" || strings.HasPrefix(p, "abs-ssh")
}

// tree is everything in a directory, with its content.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var data []byte
			data, err = os.ReadFile(p)
			p += " " + string(data)
		}
		b.WriteString(p + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What is closed is passed over in silence where nobody named it.
func TestClosed_ListAndSearch(t *testing.T) {
	t.Parallel()
	h, all := closedHost(t)
	var open []string
	for _, c := range pathRows {
		if filepath.ToSlash(filepath.Clean(c.path)) == c.path && c.path != ".env/bin/activate" && !strings.HasPrefix(c.path, "WORKSPACE") && !linked(c.path) {
			h.write(c.path, "marker\n")
		}
		if !c.closed {
			open = append(open, c.path)
		}
	}
	slices.Sort(open)
	found := strings.Split(strings.TrimSpace(h.ok(all["find_files"], `{"pattern":"**"}`).Content), "\n")
	found = slices.DeleteFunc(found, linked) // shown, not followed
	slices.Sort(found)
	if !slices.Equal(found, open) {
		t.Errorf("found %q, want %q", found, open)
	}
	matches := strings.Split(strings.TrimSpace(h.ok(all["search_text"], `{"pattern":"marker"}`).Content), "\n")
	for i := range matches {
		matches[i] = strings.TrimSuffix(matches[i], ":1: marker")
	}
	slices.Sort(matches)
	if !slices.Equal(matches, open) {
		t.Errorf("searched %q, want %q", matches, open)
	}
	listed := h.ok(all["list_files"], `{"depth":9}`).Content
	for _, hidden := range []string{"  .env\n", ".envrc", ".aws", ".gnupg", "private-keys", "prod.pem\n", "runs.db\n", "runs.db-", "data/", "trust.json", "  vault/", "[broken", "key.txt"} {
		if strings.Contains(listed, hidden) {
			t.Errorf("%q is listed:\n%s", hidden, listed)
		}
	}
}

// A workspace that lies in a closed place is closed as a whole.
func TestClosed_Workspace(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"home/.ssh", "home/.ssh/deep", "home/.kube/x", "data", "data/x", "flat"} {
		h, all := closedHost(t)
		h.write(dir+"/open", "marker\n")
		h.dir = filepath.Join(h.dir, dir)
		h.refused(all["list_files"], `{}`, "closed to all tools")
		h.refused(all["read_file"], `{"path":"open"}`, "closed to all tools")
		h.refused(all["write_file"], writeArgs("new", "x"), "closed to all tools")
		h.refused(all["shell"], `{"command":"true"}`, "workspace")
	}
	// Names and patterns of the workspace's own say nothing about where it lies.
	for _, dir := range []string{".envs/app", "x.pem/app", "sub/vault/app"} {
		h, _ := closedHost(t)
		h.write(dir+"/open", "marker\n")
		h.dir = filepath.Join(h.dir, dir)
		h.ok(ReadFile(Closed{Secrets: []string{"*.pem", "**/vault"}}), `{"path":"open"}`)
	}
}

// The home directory and a denied path may be reached by links.
func TestClosed_LinkedHome(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("real/.ssh/id", "marker\n")
	h.write("real/tokens/a.json", "marker\n")
	h.write("store/open", "")
	h.link("real", "home")
	h.link("store", "link")
	closed := Closed{
		Home: filepath.Join(h.dir, "home"), Secrets: []string{"~/tokens/*", filepath.Join(h.dir, "link") + "/*.key"},
		Paths: []string{filepath.Join(h.dir, "link", "not", "there.db")},
	}
	for _, p := range []string{"real/.ssh/id", "home/.ssh/id", "real/tokens/a.json", "real/.aws/new", "store/a.key", "store/not/there.db", "link/not/there.db-wal"} {
		h.refused(WriteFile("", closed), writeArgs(p, "x"), "closed to all tools")
	}
	h.ok(ReadFile(closed), `{"path":"link/open"}`)
}

func TestClosed_HardLinkOfTheDatabase(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("runs.db", "rows")
	if err := os.Link(filepath.Join(h.dir, "runs.db"), filepath.Join(h.dir, "hard")); err != nil {
		t.Fatal(err)
	}
	closed := Closed{Paths: DeniedFor(filepath.Join(h.dir, "runs.db"), "")}
	h.refused(ReadFile(closed), `{"path":"hard"}`, "own data")
	if got := h.ok(ListFiles(closed), `{}`).Content; strings.Contains(got, "hard") {
		t.Errorf("listed %q", got)
	}
}

func TestClosed_HomeOfTheSystem(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	h := newHost(t, nil)
	h.dir = home
	h.write(".ssh/id", "marker\n")
	h.refused(ReadFile(Closed{}), `{"path":".ssh/id"}`, "closed to all tools")
}

// Of the directory a database lies in only the database is closed.
func TestDeniedFor(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, c := range []struct {
		what, db, data string
		shell          bool // commands run: the data is not in the workspace
	}{
		{"in the workspace", "work/runs.db", "share/agent", false},
		{"below", "work/deep/runs.db", "share/agent", false},
		{"above", "runs.db", "share/agent", true},
		{"beside", "share/agent/runs.db", "share/agent", true},
		{"data directory in the workspace", "runs.db", "work/data", false},
		{"no data directory", "runs.db", "", true},
		{"no database", "", "share/agent", true},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			h.dir = filepath.Join(base, strings.ReplaceAll(c.what, " ", "-"), "work")
			h.write("deep/open", "marker\n")
			under := func(p string) string {
				if p == "" {
					return ""
				}
				return filepath.Join(filepath.Dir(h.dir), filepath.FromSlash(p))
			}
			closed := Closed{Paths: DeniedFor(under(c.db), under(c.data))}
			h.ok(ReadFile(closed), `{"path":"deep/open"}`)
			h.ok(WriteFile("", closed), writeArgs("new", "x"))
			if strings.HasPrefix(c.db, "work/") {
				for _, suffix := range []string{"", "-wal", "-shm", "-journal", "-owners", "-owners/x"} {
					h.refused(WriteFile("", closed), writeArgs(strings.TrimPrefix(c.db, "work/")+suffix, "x"), "own data")
				}
				h.ok(WriteFile("", closed), writeArgs(strings.TrimPrefix(c.db, "work/")+"-notes", "x"))
			}
			if strings.HasPrefix(c.data, "work/") {
				h.refused(WriteFile("", closed), writeArgs("data/trust.json", "x"), "own data")
			}
			if r := h.run(Shell(ShellConfig{Closed: closed}), `{"command":"true"}`); r.IsError == c.shell {
				t.Errorf("shell says %q", r.Content)
			}
		})
	}
}

// SQLite keeps its files beside the database a link leads to.
func TestDeniedFor_Link(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("real/rows.db", "rows")
	h.link("real/rows.db", "runs.db")
	paths := DeniedFor(filepath.Join(h.dir, "runs.db"), filepath.Join(h.dir, "data"))
	for _, p := range []string{"runs.db", "runs.db-wal", "real/rows.db", "real/rows.db-shm", "real/rows.db-owners", "data"} {
		if real := realPath(h.dir); !slices.Contains(paths, filepath.Join(h.dir, p)) && !slices.Contains(paths, filepath.Join(real, p)) {
			t.Errorf("%s is missing in %q", p, paths)
		}
	}
	closed := Closed{Paths: paths}
	for _, p := range []string{"runs.db", "real/rows.db", "real/rows.db-wal", "real/rows.db-owners/x"} {
		h.refused(WriteFile("", closed), writeArgs(p, "x"), "own data")
	}
	h.ok(WriteFile("", closed), writeArgs("real/other.db", "x"))
}
