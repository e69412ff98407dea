//go:build linux || darwin

package cmd

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// longPlan asks about a plan that no screen of these tests holds.
func longPlan(b *bench, w wired) *teletype {
	model := planScript(b)
	var plan strings.Builder
	plan.WriteString("# Long\n\n")
	for n := range 100 {
		fmt.Fprintf(&plan, "- step %d\n", n)
	}
	b.write(".mastracode/plans/greeting.md", plan.String())
	return dial(b, w, "run", "--model", model, "Do it")
}

// TestPrompts_readFromTheBeginning: what has gone out of sight is shown in the
// pager at the key ?, which decides nothing and leaves the cursor where it was.
func TestPrompts_readFromTheBeginning(t *testing.T) {
	t.Parallel()
	const approve, begins = "> Approve - go on", "revision 1, sha256:"
	for _, tt := range []struct {
		name, pager string
		do          func(x *teletype)
	}{
		{"the key ?", "head -n 3", func(x *teletype) {
			x.keys("?")
			x.sees(begins, approve)
		}},
		{"a pager that ends at once", "false", func(x *teletype) {
			lists := strings.Count(x.said(), "shows it all")
			x.keys("?")
			x.until("the list once more", func(string) bool { return strings.Count(x.raw.String(), "shows it all") > lists })
		}},
		{"no such pager", "no-such-pager", func(x *teletype) {
			x.keys("?")
			x.sees("PAGER names no program", approve)
		}},
		{"a pasted ?", "head -n 3", func(x *teletype) {
			x.keys(pasteBegins + "?" + pasteEnds)
			x.insist(up, func(screen string) bool { return strings.Contains(screen, "> Decide later") })
			x.move(down)
			if strings.Contains(x.screen(), begins) {
				t.Errorf("a paste opened the pager:\n%s", x.screen())
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			b.env["PAGER"] = tt.pager
			x := longPlan(b, wired{columns: 80, rows: 24})
			x.sees("Plan, revision 1  [Use arrows to move, ? shows it all]", "Reject")
			if strings.Contains(x.screen(), begins) {
				t.Fatalf("the plan is in sight:\n%s", x.screen())
			}
			x.move(down)
			x.sees(approve)
			tt.do(x)
			b.wantAnswers()
			x.keys(enter)
			x.ends()
			b.wantAnswers(`submit_plan tty: {"action":"approved"}`)
		})
	}
}

// TestPrompts_readStopped: a signal ends the pager and leaves the prompt.
func TestPrompts_readStopped(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.env["PAGER"] = "echo reading; exec sleep 60"
	x := longPlan(b, wired{columns: 80, rows: 24})
	x.sees("shows it all", "Reject")
	x.keys("?")
	x.sees("reading")
	x.signal(syscall.SIGTERM)
	if code := x.exits(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	b.wantAnswers()
}

// TestPrompts_readHint: where all of it is in sight, or there is no pager, the
// list does not speak of the key.
func TestPrompts_readHint(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(b *bench) *teletype{
		"in sight": func(b *bench) *teletype { return asking("ask_user", singleQuestion())(b, wired{columns: 80}) },
		"no pager": func(b *bench) *teletype {
			b.env["PAGER"] = "cat"
			return longPlan(b, wired{columns: 80, rows: 24})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := begin(newDesk(t))
			x.sees(listReady)
			if s := x.screen(); strings.Contains(s, "shows it all") || !strings.Contains(s, "Enter confirms]") {
				t.Errorf("the hint:\n%s", s)
			}
			x.keys("?")
			x.keys(ctrlC)
			if code := x.exits(); code != 3 {
				t.Errorf("exit code %d, want 3", code)
			}
		})
	}
}
