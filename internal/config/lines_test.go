package config

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	const source = `# comment = 1
a = "x # no"
b.c = [ # list
  1, "]", '''
]''',
]
"q.r" = 1
[t] # [no]
x = { y = 1 }
s = """
z = 2
\""""
'l' = 1
[[modes]]
id = "one"
[modes.metadata]
k = 1
[[modes]]

id = "two"
[u . "v w"]
end = 1`
	want := map[string]int{
		"a": 2, "b": 3, "b.c": 3, "b.c[0]": 4, "b.c[1]": 4, `"q.r"`: 7, "t": 8, "t.x": 9, "t.s": 10, "t.l": 13, "modes": 14, "modes[0]": 14, "modes[0].id": 15,
		"modes[0].metadata": 16, "modes[0].metadata.k": 17, "modes[1]": 18, "modes[1].id": 20, "u": 21, `u."v w"`: 21, `u."v w".end`: 22,
	}
	got, err := locate(source)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("locate = %v, %v\nwant     %v", got, err, want)
	}
	if _, err := toml.Decode(source, new(map[string]any)); err != nil {
		t.Fatalf("the sample is no TOML: %v", err)
	}
}

func TestLocate_Depth(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"a = " + strings.Repeat("[", 1<<20),
		"a = " + strings.Repeat("{b=", 1<<18),
		strings.Repeat("a.", 1<<19),
		"[" + strings.Repeat("a.", 1<<19) + "b]",
		"a = {" + strings.Repeat("b.", 1<<19) + "c = 1}",
		"a = [{" + strings.Repeat("b . ", 1<<18) + "c = 1}]",
	} {
		if _, err := locate(source); err == nil {
			t.Errorf("%.20q… passed", source)
		}
	}
	if _, err := locate("a = [" + strings.Repeat("1.5, ", 1000) + "2]\n"); err != nil {
		t.Errorf("a long list: %v", err)
	}
}

// FuzzLoad feeds both files: no text makes Load panic, and no untrusted one
// makes it fail or loosen anything.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{everything, hostile, "modes = [{id=\"a\"}]", "[a]\n[a.b]\n[[a.c]]", "\ufeffmodel='x'", "x = 1979-05-27", "\"\" = 1"} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content string) {
		repo, home := filepath.Join(dir, "repo"), filepath.Join(dir, "home")
		project, user := filepath.Join(repo, ProjectPath), filepath.Join(home, "agent", "config.toml")
		for _, file := range []string{project, user} {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c, err := Load(Options{Workspace: repo, Tools: productTools()})
		if err != nil {
			t.Fatalf("an untrusted project stops the command: %v", err)
		}
		if c.Model.Value != "" || len(c.Permissions.Allow)+len(c.Providers) > 0 || c.Hooks != (Hooks{}) {
			t.Errorf("taken from an untrusted project: %+v", c)
		}
		_ = c.IgnoredLine()
		c, err = Load(Options{Getenv: func(name string) string { return map[string]string{"XDG_CONFIG_HOME": home}[name] }})
		if err == nil {
			_ = c.Settings()
		}
	})
}

// FuzzLocate holds the lines against those the TOML reader knows, which it
// tells in its errors only.
func FuzzLocate(f *testing.F) {
	f.Add("a = 1\nb = [\n1]\nc = '''\n'''\nd = \"x\"")
	f.Add(everything)
	f.Add("# x\n\n\"k\\u0041\" = 1\n\r\nz = {a = [\n1]}\n")
	f.Fuzz(func(t *testing.T, source string) {
		lines, err := locate(source)
		if err != nil {
			return
		}
		var table map[string]toml.Primitive
		md, err := toml.Decode(source, &table)
		if err != nil {
			return
		}
		for name, value := range table {
			switch md.Type(name) {
			case "Hash", "ArrayHash", "":
				continue // tables may be opened at several places
			}
			var pe toml.ParseError
			err := md.PrimitiveDecode(value, refusing{})
			if !errors.As(err, &pe) {
				t.Fatalf("%q: %v", name, err)
			}
			got := lines[join("", name)]
			// Of a text over several lines the reader tells the last.
			if got != pe.Position.Line && (md.Type(name) != "String" || got < 1 || got > pe.Position.Line) {
				t.Errorf("%q is at line %d, located at %d", name, pe.Position.Line, got)
			}
		}
	})
}

// refusing makes the TOML reader tell where a value is.
type refusing struct{}

func (refusing) UnmarshalTOML(any) error { return os.ErrInvalid }
