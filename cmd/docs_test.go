package cmd

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func readDoc(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestDocs_cli keeps docs/cli.md complete: every command and flag is in it, and
// every command has a help text with an example.
func TestDocs_cli(t *testing.T) {
	t.Parallel()
	doc := readDoc(t, "cli.md")
	root := newRootCmd(newBench(t).streams(nil, nil), &globals{})
	list := strings.Split(doc, "```")[1]
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && !strings.Contains(list, "agent "+c.Name()+" ") {
			t.Errorf("the list of docs/cli.md lacks agent %s", c.Name())
		}
	}
	walk(root, func(c *cobra.Command) {
		if name := c.Name(); !c.Hidden && !strings.Contains(doc, name) {
			t.Errorf("docs/cli.md lacks the command %s", c.CommandPath())
		}
		if c.Runnable() && c.Example == "" && !strings.Contains(c.CommandPath(), "completion") && !c.HasSubCommands() && c.Name() != "help" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		if c.Long == "" && c.Name() != "help" {
			t.Errorf("%s has no long help", c.CommandPath())
		}
		if strings.Contains(c.CommandPath(), "completion") {
			return // cobra's own flags
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !strings.Contains(doc, "--"+f.Name) {
				t.Errorf("docs/cli.md lacks --%s of %s", f.Name, c.CommandPath())
			}
		})
	})
}

// TestDocs_environment: the topic and the page name the same variables.
func TestDocs_environment(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(readDoc(t, "cli.md"), "\n## Environment\n")
	table, _, _ := strings.Cut(rest, "\nProvider keys")
	name := regexp.MustCompile(`\b([A-Z][A-Z_]*[A-Z]|(Local)?AppData)\b`)
	inPage, inTopic := map[string]bool{}, map[string]bool{}
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			for _, n := range name.FindAllString(cells[1], -1) {
				inPage[n] = true
			}
		}
	}
	listed, _, _ := strings.Cut(environmentText, "\nKeys and")
	for _, n := range name.FindAllString(listed, -1) {
		inTopic[n] = true
	}
	if !maps.Equal(inPage, inTopic) || len(inPage) < 20 {
		t.Errorf("docs/cli.md names %v\nagent help environment %v", slices.Sorted(maps.Keys(inPage)), slices.Sorted(maps.Keys(inTopic)))
	}
}

func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		walk(sub, visit)
	}
}

// TestDocs_map: each package below this one is a room of docs/architecture.md,
// those of internal are named there, and each file here is a command's or
// answers a question there, as each of agent does.
func TestDocs_map(t *testing.T) {
	t.Parallel()
	doc := readDoc(t, "architecture.md")
	_, rooms, _ := strings.Cut(doc, "\ninternal/ ")
	rooms, _, _ = strings.Cut(rooms, "\ndocs/ ")
	for _, depth := range []string{"*", "*/*"} {
		files, _ := filepath.Glob("../internal/" + depth + "/*.go")
		for _, file := range files {
			if name := filepath.Base(filepath.Dir(file)); name != "testdata" && !slices.Contains(regexp.MustCompile(`\w+`).FindAllString(rooms, -1), name) {
				t.Errorf("docs/architecture.md does not name %s", filepath.Dir(file))
			}
		}
	}
	files, _ := filepath.Glob("../agent/*.go")
	for _, file := range files {
		if name := filepath.Base(file); !strings.HasSuffix(name, "_test.go") && !strings.Contains(doc, "`"+name+"`") {
			t.Errorf("docs/architecture.md does not say what agent/%s is for", name)
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir():
			if name != "testdata" && !strings.Contains(doc, "\ncmd/"+name+"/ ") {
				t.Errorf("docs/architecture.md has no room cmd/%s/", name)
			}
		case strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go"):
		default:
			subject, _, _ := strings.Cut(strings.TrimSuffix(name, ".go"), "_")
			source, _ := os.ReadFile(subject + ".go") // where there is none the page has to name it
			command := regexp.MustCompile(`(?m)^func new\w+Cmd\(`).Match(source)
			if !command && !strings.Contains(doc, "`"+subject+".go`") && !strings.Contains(doc, "`"+subject+"_") {
				t.Errorf("docs/architecture.md does not say what cmd/%s is for", name)
			}
		}
	}
}
