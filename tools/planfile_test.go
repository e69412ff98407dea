package tools

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestPlanDir_ReadPlan_Missing(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write("outside/x", "")
	read := func(workspace, p string) error {
		_, err := PlanDir{}.ReadPlan(t.Context(), "run-1", workspace, p)
		if err == nil {
			t.Fatalf("%s was read", p)
		}
		return err
	}
	if err := read(h.dir, planPath); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing plans directory: %v", err)
	}
	h.write(".mastracode/plans/b.md", "# B")
	if err := read(h.dir, planPath); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	h.link("gone.md", ".mastracode/plans/c.md")
	for _, p := range []string{".mastracode/plans/c.md", "gone.md", ".mastracode/plans/b.md/d.md", "/none.md"} {
		if err := read(h.dir, p); errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if err := read(filepath.Join(h.dir, "gone"), planPath); errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing workspace: %v", err)
	}
}

func TestPlanDir_ReadPlan_Paths(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write(".mastracode/plans/sub/a.markdown", "# A\n")
	abs := filepath.Join(h.dir, ".mastracode", "plans", "sub", "a.markdown")
	for _, p := range []string{".mastracode/plans/sub/a.markdown", abs, "./.mastracode//plans/sub/../sub/a.markdown"} {
		file, err := PlanDir{}.ReadPlan(t.Context(), "run-1", h.dir, p)
		if err != nil {
			t.Fatal(err)
		}
		if file.Path != ".mastracode/plans/sub/a.markdown" || string(file.Source) != "# A\n" {
			t.Errorf("%s: %+v", p, file)
		}
	}
	for _, dir := range []string{"../plans", "/plans", "."} {
		if _, err := (PlanDir{Dir: dir}).ReadPlan(t.Context(), "run-1", h.dir, planPath); err == nil {
			t.Errorf("plans directory %s was taken", dir)
		}
	}
}

func TestPlanDir_ReadPlan_OpenElsewhere(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.write(planPath, "# A\n")
	reader := PlanDir{OpenElsewhere: func(_ context.Context, workspace, path, runID string) (string, error) {
		if workspace != h.dir || path != planPath || runID != "run-1" {
			t.Errorf("asked for %s %s %s", workspace, path, runID)
		}
		return "run-2", nil
	}}
	_, err := reader.ReadPlan(t.Context(), "run-1", h.dir, "./"+planPath)
	if err == nil {
		t.Fatal("a plan that another run has open was read")
	}
	mustSay(t, err.Error(), "run-2", planPath)
}

func TestPlanDir_RestorePlan(t *testing.T) {
	t.Parallel()
	plan := agent.PlanFile{Path: planPath, Source: []byte("# A\r\nstored")}
	t.Run("missing", func(t *testing.T) {
		t.Parallel()
		h := newHost(t, nil)
		if err := (PlanDir{}).RestorePlan(t.Context(), h.dir, plan); err != nil {
			t.Fatal(err)
		}
		if got := h.read(planPath); got != string(plan.Source) {
			t.Errorf("restored %q", got)
		}
		entries, err := os.ReadDir(filepath.Join(h.dir, ".mastracode/plans"))
		if err != nil || len(entries) != 1 {
			t.Errorf("left %v, %v", entries, err)
		}
	})
	t.Run("there already", func(t *testing.T) {
		t.Parallel()
		h := newHost(t, nil)
		h.write(planPath, "other")
		if err := (PlanDir{}).RestorePlan(t.Context(), h.dir, plan); !errors.Is(err, fs.ErrExist) {
			t.Errorf("got %v", err)
		}
		if got := h.read(planPath); got != "other" {
			t.Errorf("overwrote it with %q", got)
		}
	})
	for _, name := range []string{planPath, ".mastracode/plans", ".mastracode"} {
		t.Run("link at "+name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			h.write("docs/plans/README.md", "precious")
			h.link(filepath.Join(h.dir, "docs"), name)
			if err := (PlanDir{}).RestorePlan(t.Context(), h.dir, plan); err == nil {
				t.Error("wrote through a link")
			}
			h.missing("docs/a.md")
			h.missing("docs/plans/a.md")
		})
	}
}

func TestSplitPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, title, body string }{
		{"front matter", "---\ntitle: x\n---\n# T\n\nB\n", "T", "B"},
		{"TOML front matter", "+++\nx = 1\n+++\n\n# T\nB", "T", "B"},
		{"front matter behind a mark", "\ufeff---\na: b\n...\n# T\nB", "T", "B"},
		{"front matter without heading is shown", "---\ntitle: x\n---\nB\n", "Add it", "---\ntitle: x\n---\nB"},
		{"front matter that never ends", "---\n# T\n", "Add it", "---\n# T"},
		{"level 2", "## T\nB", "Add it", "## T\nB"},
		{"empty heading", "#\n\nB\n", "Add it", "#\n\nB"},
		{"heading of a comment alone", "# <!-- x -->\nB", "Add it", "# <!-- x -->\nB"},
		{"comment before the heading", "<!-- x -->\n\n# T\n", "Add it", "<!-- x -->\n\n# T"},
		{"link definition before the heading", "[a]: https://example.org\n\n# T\n", "Add it", "[a]: https://example.org\n\n# T"},
		{"hash in an underlined heading", "#1 first\n===\nB", "#1 first", "B"},
		{"indented marks", "  # T #\n  B", "T", "  B"},
		{"entity, link, autolink", "# A &amp; [b](x) <https://c.d>\n", "A & b https://c.d", ""},
		{"reference link", "# Fix [bug]\n\nB\n\n[bug]: https://example.org\n", "Fix bug", "B\n\n[bug]: https://example.org"},
		{"code keeps its escapes", "# `a\\#b &amp;`\n", `a\#b &amp;`, ""},
		{"leading blank lines", "\n \n# T\nB\n", "T", "B"},
		{"inner CRLF stays", "# T\r\n\r\nA\r\n\r\nB\r\n\r\n", "T", "A\r\n\r\nB"},
		{"underlined in a CRLF file", "T\r\n===\r\nB\r\n", "T", "B"},
		{"no line end", "# T", "T", ""},
		{"quote first", "> # T\n", "Add it", "> # T"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			title, body := splitPlan("p/add-it.md", []byte(c.source))
			if title != c.title || body != c.body {
				t.Errorf("got %q, %q; want %q, %q", title, body, c.title, c.body)
			}
		})
	}
}

// Titles do not depend on how much hostile text there is: parsed whole, each of
// these takes goldmark longer than a test may run.
func TestSplitPlan_Hostile(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"![](", "> ", "["} {
		hostile := strings.Repeat(mark, maxPlan/len(mark))
		if title, _ := splitPlan("a.md", []byte("# T\n\n"+hostile)); title != "T" {
			t.Errorf("%q below the heading: title %q", mark, title)
		}
		if title, body := splitPlan("a.md", []byte("# "+hostile)); title != "A" || body == "" {
			t.Errorf("%q in the heading: title %q", mark, title)
		}
	}
}

func TestReadableName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"a/add-dark_mode.md": "Add dark mode", ".md": "Plan", "--.markdown": "Plan", "élan.md": "Élan", "v1.2-notes.md": "V1.2 notes"} {
		if got := readableName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A heading of plain words is the title, and what follows is the body, byte
// for byte but for blank lines at its ends.
func TestSplitPlan_Any(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		title := rapid.StringMatching(`[A-Z][a-z0-9]{0,8}( [a-z0-9]{1,8}){0,3}`).Draw(rt, "title")
		body := rapid.StringMatching("[a-z#*` \\n\\t>-]{0,60}").Draw(rt, "body")
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "nl")
		head := rapid.SampledFrom([]string{"# " + title + nl, title + nl + "====" + nl, "\ufeff# " + title + " #" + nl}).Draw(rt, "head")
		gotTitle, gotBody := splitPlan("x.md", []byte(head+body))
		if gotTitle != title || gotBody != trimBlankLines(body) {
			rt.Fatalf("%q: got %q, %q", head+body, gotTitle, gotBody)
		}
	})
}

func FuzzSplitPlan(f *testing.F) {
	for _, s := range []string{"# T\n\nB", "T\n=\nB", "---\n---\n# T", "\ufeff#", "#\t`", "[a]: b\n# T", "# [", "> # T", "a\\\n=", "# &#0;\r\rB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		title, body := splitPlan("a.md", []byte(source))
		if strings.TrimSpace(title) == "" {
			t.Errorf("%q: blank title", source)
		}
		if !strings.Contains(source, body) {
			t.Errorf("%q: body %q is not part of it", source, body)
		}
	})
}
