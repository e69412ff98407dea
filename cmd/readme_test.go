//go:build linux || darwin

package cmd

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/internal/golden"
)

// stable takes out of an output what differs from run to run.
func stable(b *bench, output string) string {
	output = strings.ReplaceAll(output, b.dir, "/home/ann/app")
	output = regexp.MustCompile(`01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`).ReplaceAllString(output, "0193-7a42")
	output = regexp.MustCompile(`sha256:([0-9a-f]{8})[0-9a-f]{56}`).ReplaceAllString(output, "sha256:$1…")
	return regexp.MustCompile(`\b\d+(\.\d+)?(ms|µs|s)\b`).ReplaceAllString(output, "2ms")
}

// readmeBench is an empty repository for what the README shows.
func readmeBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.env["EDITOR"] = "vi"
	b.write(".git/HEAD", "ref: refs/heads/main\n")
	b.write("README.md", "# App\n")
	b.write("main.go", "package main\n")
	return b
}

// TestReadme_session holds the README's session against the program: each
// command runs, and prints what stands there.
func TestReadme_session(t *testing.T) {
	t.Parallel()
	b := readmeBench(t)
	var session strings.Builder
	for _, c := range []struct {
		shown string
		args  []string
	}{
		{`agent run --model demo "Add a greeting" </dev/null; echo $?`, []string{"run", "--model", "demo", "Add a greeting"}},
		{`agent resume latest --answer "Short note" </dev/null; echo $?`, []string{"resume", "latest", "--answer", "Short note"}},
		{`agent resume latest --approve; echo $?`, []string{"resume", "latest", "--approve"}},
	} {
		var both bytes.Buffer
		r := b.runWith(func(s *iostreams.Streams) { s.Out, s.Err = &both, &both }, c.args...)
		fmt.Fprintf(&session, "$ %s\n%s%d\n", c.shown, stable(b, both.String()), r.code)
	}
	readme := filepath.Join("..", "README.md")
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	begin, rest, ok := strings.Cut(string(text), "<!-- session -->\n")
	_, end, ok2 := strings.Cut(rest, "<!-- /session -->")
	if !ok || !ok2 {
		t.Fatal("the README has no session")
	}
	golden.Want(t, readme, begin+"<!-- session -->\n```console\n"+session.String()+"```\n<!-- /session -->"+end)
}

// TestReadme_screens draws the README's pictures from the program on a real
// terminal.
func TestReadme_screens(t *testing.T) {
	t.Parallel()
	b := readmeBench(t)
	x := dial(b, wired{columns: 84, rows: 18}, "run", "--model", "demo", "Add a greeting")
	x.sees("Skip this question")
	golden.Want(t, filepath.Join("..", "docs", "screen-question.svg"), x.svg())
	x.keys(ctrlC)
	x.exits()
	y := dial(b, wired{columns: 84, rows: 40}, "resume", "latest")
	y.sees("Skip this question")
	y.move(down)
	y.keys(enter)
	y.sees("Reject - and wait")
	golden.Want(t, filepath.Join("..", "docs", "screen-plan.svg"), y.svg())
	y.keys(ctrlC)
	y.exits()
}

const (
	cellWidth  = 8.4
	cellHeight = 18
)

// svg draws the screen.
func (x *teletype) svg() string {
	x.changed.L.Lock()
	defer x.changed.L.Unlock()
	var rows []string
	for y := range x.emu.Height() {
		rows = append(rows, x.row(y))
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	width, height := float64(x.emu.Width())*cellWidth+24, len(rows)*cellHeight+24
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" fill="#d8dee9">`+"\n", width, height)
	b.WriteString(`<rect width="100%" height="100%" rx="8" fill="#1f2430"/>` + "\n")
	for y, row := range rows {
		if row != "" {
			fmt.Fprintf(&b, `<text xml:space="preserve" y="%d">%s</text>`+"\n", y*cellHeight+26, row)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// row draws one row: a piece for each style, at its column.
func (x *teletype) row(y int) string {
	var out, piece strings.Builder
	var style uv.Style
	at := 0
	flush := func(next int) {
		text := stable(x.b, piece.String())
		if strings.TrimSpace(text) != "" {
			fmt.Fprintf(&out, `<tspan x="%.1f"%s>%s</tspan>`, 12+float64(at)*cellWidth, attributes(style), html.EscapeString(strings.TrimRight(text, " ")))
		}
		piece.Reset()
		at = next
	}
	for col := 0; col < x.emu.Width(); col++ {
		c := x.emu.CellAt(col, y)
		if c == nil || c.Width == 0 {
			continue
		}
		if !c.Style.Equal(&style) {
			flush(col)
			style = c.Style
		}
		piece.WriteString(c.Content)
	}
	flush(0)
	return out.String()
}

func attributes(s uv.Style) string {
	var out string
	if s.Fg != nil {
		c, _ := color.RGBAModel.Convert(s.Fg).(color.RGBA)
		out += fmt.Sprintf(` fill="#%02x%02x%02x"`, lighter(c.R), lighter(c.G), lighter(c.B))
	}
	if s.Attrs&uv.AttrBold != 0 {
		out += ` font-weight="bold"`
	}
	if s.Attrs&uv.AttrFaint != 0 {
		out += ` opacity="0.6"`
	}
	if s.Underline != uv.UnderlineNone {
		out += ` text-decoration="underline"`
	}
	return out
}

// lighter makes the terminal's dark colours readable on the picture's ground.
func lighter(v uint8) uint8 { return 96 + v/2 }
