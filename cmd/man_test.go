package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/manual"
)

// TestManPages: each command and topic has a page, each flag stands in it, and
// nothing in a help text is taken for an order to the formatter.
func TestManPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := ManPages(dir, time.Date(2026, 12, 1, 1, 0, 0, 0, time.FixedZone("", 2*3600))); err != nil {
		t.Fatal(err)
	}
	written, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		pages++
		section := "1"
		if c.IsAdditionalHelpTopicCommand() {
			section = "7"
		}
		data, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+"."+section))
		if err != nil {
			t.Error(err)
		}
		checkPage(t, c, string(data))
		for _, sub := range manual.Below(c) {
			walk(sub)
		}
	}
	walk(newRootCmd(&iostreams.Streams{}, &globals{}))
	if pages < 35 || pages != len(written) {
		t.Errorf("%d commands, %d pages", pages, len(written))
	}
}

func checkPage(t *testing.T, c *cobra.Command, text string) {
	t.Helper()
	if !strings.Contains(text, " 2026-11-30 ") {
		t.Errorf("the page of %s has another date", c.CommandPath())
	}
	known := regexp.MustCompile(`^\.(TH|SH|PP|TP|B|nf|fi)( |$)`)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !known.MatchString(line) {
			t.Errorf("the page of %s orders %q", c.CommandPath(), line)
		}
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !strings.Contains(text, strings.ReplaceAll("--"+f.Name, "-", `\-`)) {
			t.Errorf("the page of %s lacks --%s", c.CommandPath(), f.Name)
		}
	})
}

// TestManPages_formatted holds the pages against the formatter: it warns of
// nothing, and prints what was meant.
func TestManPages_formatted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("groff is not installed")
	}
	dir := t.TempDir()
	if err := ManPages(dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var out, warned bytes.Buffer
	c := exec.Command("groff", append([]string{"-k", "-man", "-Tutf8", "-ww", "-P-cbou"}, pages...)...)
	c.Stdout, c.Stderr = &out, &warned
	if err := c.Run(); err != nil || warned.Len() > 0 {
		t.Errorf("groff: %v\n%s", err, warned.String())
	}
	for _, want := range []string{
		`agent resume 0192abcd --tool-call call_3 --approve --digest sha256:…`, `rc=0; agent wait 0192abcd --timeout 30m || rc=$?`,
		`agent permissions check 'shell(git push)'`, `-m, --message`, `"${fpath[1]}/_agent"`, "~/.config/fish/completions",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no page says %s", want)
		}
	}
}
