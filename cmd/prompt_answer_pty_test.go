//go:build linux || darwin

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wantAnswers compares what a run was answered.
func (b *bench) wantAnswers(want ...string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.journal("latest").answers(b.t)); diff != "" {
		b.t.Errorf("answers:\n%s", diff)
	}
}

// says types a line and sends it.
func (x *teletype) says(words string) {
	x.t.Helper()
	x.move(words)
	x.keys(enter)
}

// takes chooses what stands so many rows below the first choice.
func (x *teletype) takes(rows int) {
	x.t.Helper()
	for range rows {
		x.move(down)
	}
	x.keys(enter)
}

// ends leaves the prompt for the next message; the run must have finished.
func (x *teletype) ends() {
	x.t.Helper()
	x.asks("Your next message?")
	x.keys(ctrlD)
	if code := x.exits(); code != 0 {
		x.t.Errorf("exit code %d, want 0:\n%s", code, x.screen())
	}
}

// TestPrompts_question answers questions in every way there is.
func TestPrompts_question(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		question dict
		do       func(x *teletype)
		want     string
	}{
		{"a label", singleQuestion(), func(x *teletype) { x.takes(1) }, `ask_user tty: "日本語"`},
		{"a label that looks like ours", singleQuestion(), func(x *teletype) { x.takes(2) }, `ask_user tty: "Decide later"`},
		{"skip", singleQuestion(), func(x *teletype) { x.move(up); x.keys(enter) }, `ask_user tty: {"skipped":true}`},
		{"own words after a second thought", singleQuestion(), func(x *teletype) {
			x.takes(4)
			x.asks("In your own words.")
			x.keys(enter) // says nothing: back to the list
			x.sees("> " + decideLater)
			x.takes(4)
			x.until("the line again", func(s string) bool {
				return strings.Count(s, "In your own words.") == 2 && strings.HasSuffix(s, "\n›\n")
			})
			x.says("ni l’un ni l’autre")
		}, `ask_user tty: {"custom":"ni l’un ni l’autre"}`},
		{"several", severalQuestion(), func(x *teletype) {
			x.move(space, down, down, space)
			x.keys(enter)
		}, `ask_user tty: ["Les tests","La façade"]`},
		{"several and skip at once", severalQuestion(), func(x *teletype) {
			x.move(space, up, space)
			x.keys(enter)
			x.sees("go alone")
			x.move(up, space)
			x.keys(enter)
		}, `ask_user tty: {"skipped":true}`},
		{"a line with second thoughts", dict{"question": "次は？"}, func(x *teletype) {
			x.move("日本語を", "\x7f", "x", "\x1b[H「", "\x1b[F\x1b[D」", "\x1b[C\x7f", " gone", "\x17」\x1b[D\x1b[3~」")
			x.sees("› 「日本語」 」")
			x.keys(enter)
		}, `ask_user tty: "「日本語」 」"`},
		{"a paste of several lines, marked", dict{"question": "Which?"}, func(x *teletype) {
			x.keys(pasteBegins + "one\ntwo\n" + pasteEnds)
			x.sees("one⏎two⏎")
			x.keys(enter)
		}, `ask_user tty: "one\ntwo"`},
		{"a paste of several lines, unmarked", dict{"question": "Which?"}, func(x *teletype) {
			x.keys("one\n\ttwo\nthree")
			x.sees("one⏎ two⏎three")
			x.keys(enter)
		}, `ask_user tty: "one\n\ttwo\nthree"`},
		{"skip instead of words", dict{"question": "Which?"}, func(x *teletype) {
			x.keys(enter)
			x.sees("Nothing was typed", skipQuestion)
			x.takes(2)
		}, `ask_user tty: {"skipped":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			x := asking("ask_user", tt.question)(b, wired{columns: 80})
			ready := lineReady
			if tt.question["options"] != nil {
				ready = skipQuestion
			}
			x.sees(ready)
			tt.do(x)
			x.ends()
			b.wantAnswers(tt.want)
		})
	}
}

// TestPrompts_severalOpen meets two questions one after another; the first is
// decided later and stays open.
func TestPrompts_severalOpen(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.write("two.yaml", `turns:
  - toolCalls:
      - {id: a, name: ask_user, args: {question: "First?", options: [{label: "A1"}]}}
      - {id: b, name: ask_user, args: {question: "Second?", options: [{label: "B1"}]}}
  - text: Done.
`)
	x := dial(b, wired{columns: 80}, "run", "--model", "script:two.yaml", "Do it")
	x.sees("First?", "1 of 2", skipQuestion)
	x.keys(enter)
	x.sees("Second?", "2 of 2", "1. B1")
	x.takes(1)
	x.sees("Still open:", "question: First?")
	if code := x.exits(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	b.wantAnswers(`ask_user tty: "B1"`)
	x = dial(b, wired{columns: 80}, "resume", "latest")
	x.sees("First?", "1. A1")
	if strings.Contains(x.screen(), "Second?") {
		t.Errorf("what is answered is asked again:\n%s", x.screen())
	}
	x.takes(1)
	x.ends()
	b.wantAnswers(`ask_user tty: "B1"`, `ask_user tty: "A1"`)
}

// editWith makes an editor of a shell script; $1 is the file.
func (b *bench) editWith(script string) {
	b.t.Helper()
	path := filepath.Join(b.env["HOME"], "my editor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		b.t.Fatal(err)
	}
	b.env["VISUAL"] = "'" + path + "'"
}

// TestPrompts_plan reviews a plan in every way there is.
func TestPrompts_plan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		do       func(x *teletype)
		decision string
		mode     string
		answers  []string
	}{
		{"approve", func(x *teletype) { x.takes(planApprove) }, "approved", "build", []string{`submit_plan tty: {"action":"approved"}`}},
		{"approve with notes", func(x *teletype) {
			x.takes(planNotes)
			x.asks("Notes for the agent.")
			x.says("but politely")
		}, "approved", "build", []string{`submit_plan tty: {"action":"approved","feedback":"but politely"}`}},
		{"notes not given", func(x *teletype) {
			x.takes(planNotes)
			x.asks("Notes for the agent.")
			x.keys(enter)
			x.sees("> " + decideLater)
			x.takes(planApprove)
		}, "approved", "build", []string{`submit_plan tty: {"action":"approved"}`}},
		{"approve, with a fresh context", func(x *teletype) { x.takes(planFresh) }, "approved", "build", []string{`submit_plan tty: {"action":"approved"}`}},
		{"request changes", func(x *teletype) {
			x.takes(planChanges)
			x.asks("What should change?")
			x.says("plus court, s’il vous plaît")
		}, "rejected", "plan", []string{`submit_plan tty: {"action":"rejected","feedback":"plus court, s’il vous plaît"}`}},
		{"reject, then the next message", func(x *teletype) {
			x.move(up)
			x.keys(enter)
			x.asks("Your next message?")
			x.says("forget it")
			x.until("the next prompt", func(s string) bool { return strings.Count(s, "Your next message?") == 2 })
		}, "rejected", "plan", []string{`submit_plan tty: {"action":"rejected"}`, ` tty: forget it`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			x := dial(b, wired{columns: 80}, "run", "--model", planScript(b), "Do it")
			x.sees("Reject")
			tt.do(x)
			x.ends()
			b.wantAnswers(tt.answers...)
			if j := b.journal("latest"); j.Plan.Decision != tt.decision || j.Mode != tt.mode {
				t.Errorf("plan %s, mode %s; want %s, %s", j.Plan.Decision, j.Mode, tt.decision, tt.mode)
			}
		})
	}
}

// TestPrompts_planEdited edits a plan during its review: the next revision is
// the person's, its diff is shown, and only then it can be approved. The editor
// gets no keys.
func TestPrompts_planEdited(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.env["SOME_API_KEY"] = "planted-secret-value"
	b.editWith(`echo "3. Wave." >>"$1"; env >"` + filepath.Join(b.dir, "env") + `"`)
	x := dial(b, wired{columns: 100, rows: 60}, "run", "--model", planScript(b), "Do it")
	x.sees("Edit in my editor…", "Reject")
	x.takes(planEdit)
	x.sees("+3. Wave.", "revision 2  [", "> "+decideLater)
	if j := b.journal("latest"); j.Status != "suspended" || j.Mode != "plan" || len(j.Plans) != 2 || j.Plans[1].Author != "tester@here" || j.Plans[1].Decision != "open" {
		t.Errorf("after the edit: %+v", j)
	}
	x.takes(1)
	x.ends()
	b.wantAnswers(`submit_plan tty: {"action":"approved"}`)
	for _, command := range []string{"plans show", "show"} {
		if got := b.run(append(strings.Fields(command), "latest")...).out; !strings.Contains(got, "revision 2, changed during review by tester@here") {
			t.Errorf("%s does not say whose revision 2 is:\n%s", command, got)
		}
	}
	if j := b.journal("latest"); j.Mode != "build" || j.Plans[0].Decision != "replaced" || j.Plans[1].Decision != "approved" {
		t.Errorf("after the approval: %+v", j)
	}
	env, err := os.ReadFile(filepath.Join(b.dir, "env"))
	if err != nil {
		t.Fatal(err)
	}
	if s := string(env); strings.Contains(s, "planted") || !strings.Contains(s, "AGENT_RUN_ID=") || strings.Contains(s, "AGENT_DB=") {
		t.Errorf("the editor's environment:\n%s", s)
	}
}

// TestPrompts_planEditedBadly: whatever an edit leaves, nothing is approved by
// it, and the review goes on.
func TestPrompts_planEditedBadly(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, script, says string }{
		{"unchanged", "true", "The file is unchanged."},
		{"removed", `rm "$1"`, "the file is gone"},
		{"emptied", `: >"$1"`, "the file holds no plan now: it is empty"},
		{"a link", `mv "$1" /tmp/away.$$; ln -s /tmp/away.$$ "$1"; rm -f /tmp/away.$$.x`, "record revision"},
		{"the editor fails", "exit 7", "exit status 7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			b.editWith(strings.ReplaceAll(tt.script, "/tmp", b.env["HOME"]))
			x := dial(b, wired{columns: 100}, "run", "--model", planScript(b), "Do it")
			x.sees("Reject")
			x.takes(planEdit)
			x.sees(tt.says)
			x.sees("> " + decideLater)
			x.keys(enter)
			if code := x.exits(); code != 3 {
				t.Errorf("exit code %d, want 3", code)
			}
			if j := b.journal("latest"); j.Status != "suspended" || len(j.Plans) != 1 || len(j.answers(t)) != 0 {
				t.Errorf("after the edit: %+v", j)
			}
		})
	}
}

// TestPrompts_planMended: what an editor has made of the file can be put right in
// the editor, and is approved as it is then.
func TestPrompts_planMended(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.editWith(`if [ -e emptied ]; then echo "# Mended" >"$1"; else touch emptied; : >"$1"; fi`)
	x := dial(b, wired{columns: 100}, "run", "--model", planScript(b), "Do it")
	x.sees("Reject")
	x.takes(planEdit)
	x.sees("the file holds no plan now", "> "+decideLater)
	x.takes(planEdit)
	x.sees("Plan, revision 2", "> "+decideLater)
	x.takes(planApprove)
	x.asks("Your next message?")
	x.keys(ctrlD)
	if code := x.exits(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if j := b.journal("latest"); len(j.Plans) != 2 || j.Mode != "build" {
		t.Errorf("after the edits: %+v", j)
	}
}

// TestPrompts_planChanged: the file changes while the prompt is open. Its
// approval approves nothing; the diff is shown and the prompt comes again.
func TestPrompts_planChanged(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	x := dial(b, wired{columns: 100, rows: 70}, "run", "--model", planScript(b), "Do it")
	x.sees("Reject")
	b.write(".mastracode/plans/greeting.md", greetingPlan+"3. Delete everything.\n")
	x.takes(1)
	x.sees("nothing was approved", "+3. Delete everything.", "revision 2  [")
	b.wantAnswers()
	x.keys(enter)
	if code := x.exits(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	if j := b.journal("latest"); j.Mode != "plan" || len(j.answers(t)) != 0 {
		t.Errorf("after the change: %+v", j)
	}
}

// TestPrompts_approval decides on a command in every way there is.
func TestPrompts_approval(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(x *teletype)
		want string
		made bool
	}{
		{"deny", func(x *teletype) { x.takes(1) }, `shell tty: {"action":"rejected"}`, false},
		{"deny with a reason", func(x *teletype) {
			x.takes(2)
			x.asks("Why not?")
			x.says("not here")
		}, `shell tty: {"action":"rejected","feedback":"not here"}`, false},
		{"once", func(x *teletype) { x.takes(3) }, `shell tty: {"action":"approved","scope":"once"}`, true},
		{"for this run", func(x *teletype) { x.takes(4) }, `shell tty: {"action":"approved","scope":"run"}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			x := asking("shell", dict{"command": "echo a > made"}, "--mode", "build")(b, wired{columns: 80})
			x.sees("Allow for this run")
			tt.do(x)
			x.ends()
			b.wantAnswers(tt.want)
			if _, err := os.Stat(filepath.Join(b.dir, "made")); (err == nil) != tt.made {
				t.Errorf("made: %v", err)
			}
		})
	}
}

// TestPrompts_doubt says what became of a call.
func TestPrompts_doubt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		row  int
		want string
		code int
	}{
		{"happened", 1, `shell tty: {"action":"happened"}`, 0},
		{"again", 2, `shell tty: {"action":"again"}`, 0},
		{"stop", 3, `shell tty: {"action":"stop"}`, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			b.kill()
			x := dial(b, wired{columns: 80}, "resume", "latest", "--yolo")
			x.sees("Stop the run")
			x.takes(tt.row)
			if tt.code == 0 {
				x.ends()
			} else if code := x.exits(); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			b.wantAnswers(tt.want)
		})
	}
}

// TestPrompts_start types the task and, after the turn, the next message; a
// text may be written in the editor.
func TestPrompts_start(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.write("say.yaml", "turns:\n  - {text: Done., expect: Say hello}\n  - {text: And again., expect: /once\\nmore/}\n")
	b.editWith(`grep -q "not sent" "$1" && grep -q "Done." "$1" && printf 'once\nmore' >"$1"`)
	x := dial(b, wired{columns: 80}, "run", "--model", "script:say.yaml")
	x.asks("What should the agent do?")
	x.says("Say hello")
	x.asks("Your next message?")
	x.keys(ctrlG)
	x.until("the next prompt", func(s string) bool {
		return strings.Count(s, "Your next message?") == 2 && strings.HasSuffix(s, "\n›\n")
	})
	x.keys(enter)
	if code := x.exits(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	b.wantAnswers(" tty: once\nmore")
}

// TestPrompts_editorNotSaved: an editor that is left without saving has sent
// nothing, not even what was typed before it was opened.
func TestPrompts_editorNotSaved(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.editWith(`echo "the editor was here"`)
	x := asking("ask_user", dict{"question": "Which?"})(b, wired{columns: 80})
	x.sees(lineReady)
	x.keys("half typed")
	x.sees("› half typed")
	x.keys(ctrlG)
	x.sees("the editor was here\n› half typed")
	x.keys(ctrlC)
	if code := x.exits(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	b.wantAnswers()
}

// TestPrompts_picker resumes the run that is picked, and asks what it asks.
func TestPrompts_picker(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.run("run", "--model", planScript(b), "First")
	b.run("run", "--model", b.asks("ask_user", singleQuestion()), "Second")
	x := dial(b, wired{columns: 80}, "resume")
	x.sees("  First")
	x.takes(1)
	x.sees(skipQuestion)
	x.takes(3)
	x.ends()
	b.wantAnswers(`ask_user tty: "Français"`)
}

// TestPrompts_pickerOfMany says that there are more than it offers.
func TestPrompts_pickerOfMany(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	model := b.asks("ask_user", singleQuestion())
	for n := range offeredRuns + 1 {
		b.run("run", "--model", model, fmt.Sprintf("Task %d", n))
	}
	x := dial(b, wired{columns: 80}, "resume")
	x.sees("The newest 20 are offered. All of them: agent list --waiting", "  Task 20", "  Task 1 ")
	x.move(up)
	x.sees("> ")
	x.keys(enter)
	x.sees(skipQuestion)
	x.keys(ctrlC)
	if code := x.exits(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
}

// TestPrompts_late: a plan nobody could decide on in CI is reviewed on a
// terminal later; a run with nothing left to decide asks for a message.
func TestPrompts_late(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.env["CI"] = "1"
	b.run("run", "--model", planScript(b), "Do it")
	delete(b.env, "CI")
	x := dial(b, wired{columns: 80}, "resume", "latest")
	x.sees("undecided plan", "Reject")
	x.keys(ctrlC)
	if code := x.exits(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	b.wantAnswers()
	x = dial(b, wired{columns: 80}, "resume", "latest")
	x.sees("undecided plan", "Reject")
	x.takes(1)
	x.ends()
	if j := b.journal("latest"); j.Mode != "build" || j.Plan.Decision != "approved" {
		t.Errorf("after the approval: %+v", j)
	}
	x = dial(b, wired{columns: 80}, "resume", "latest")
	x.ends()
}

// TestPrompts_answeredElsewhere: somebody else answers while the prompt is
// open; the second answer is refused and says so.
func TestPrompts_answeredElsewhere(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	x := asking("ask_user", singleQuestion())(b, wired{columns: 80})
	x.sees(skipQuestion)
	b.run("resume", "latest", "--answer", "Français").wants(t, 0)
	x.takes(1)
	x.sees("was already answered by")
	if code := x.exits(); code != 5 {
		t.Errorf("exit code %d, want 5", code)
	}
	b.wantAnswers(`ask_user flag: "Français"`)
}

// TestPrompts_plainTerminals: without colours, with stdout in a file, on a dumb
// terminal and where CI is set.
func TestPrompts_plainTerminals(t *testing.T) {
	t.Parallel()
	begin := asking("ask_user", singleQuestion())
	t.Run("no colour", func(t *testing.T) {
		t.Parallel()
		x := begin(newDesk(t), wired{columns: 80, env: map[string]string{"NO_COLOR": "1"}})
		x.sees(skipQuestion)
		x.move(down)
		x.keys(ctrlC)
		x.exits()
		for _, code := range varyingColours.FindAllString(x.said(), -1) {
			if code != "\x1b[0m" {
				t.Errorf("a colour: %q", code)
			}
		}
	})
	t.Run("stdout is a file", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t)
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		x := asking("ask_user", singleQuestion(), "--output", "json")(b, wired{columns: 80, stdout: out})
		x.sees(skipQuestion)
		x.takes(1)
		if code := x.exits(); code != 0 { // nobody is asked to go on
			t.Errorf("exit code %d, want 0", code)
		}
		got, err := os.ReadFile(out.Name())
		if err != nil || strings.Contains(string(got), "\x1b") || !strings.HasPrefix(string(got), `{"version":1`) || strings.Count(string(got), "\n") != 1 {
			t.Errorf("stdout: %q, %v", got, err)
		}
	})
	for name, env := range map[string]map[string]string{
		"dumb": {"TERM": "dumb"}, "suspend": {"AGENT_ON_QUESTION": "suspend"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			x := begin(b, wired{columns: 80, env: env})
			if code := x.exits(); code != 3 {
				t.Errorf("exit code %d, want 3", code)
			}
			if raw := x.said(); strings.Contains(raw, listReady) || strings.Contains(raw, markPastes) {
				t.Errorf("a prompt was shown:\n%s", raw)
			}
			b.wantAnswers()
		})
	}
}

// TestPrompts_resized chooses after the terminal changed its size.
func TestPrompts_resized(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{60, 160} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			x := asking("ask_user", singleQuestion())(b, wired{columns: 80})
			x.sees(skipQuestion)
			x.resize(columns, 24)
			x.move(down, down)
			if focus := focus(x.screen()); !strings.HasPrefix(focus, "> 2. Decide later") {
				t.Errorf("the cursor stands on %q:\n%s", focus, x.screen())
			}
			x.takes(1)
			x.ends()
			b.wantAnswers(`ask_user tty: "Français"`)
		})
	}
}

// TestPrompts_long shows more choices than rows, each longer than a row, and a
// question longer than the screen: the list stays whole and in sight.
func TestPrompts_long(t *testing.T) {
	t.Parallel()
	var options []dict
	for n := range 30 {
		options = append(options, dict{"label": fmt.Sprintf("choice %d 👩\u200d👩\u200d👧 %s", n+1, strings.Repeat("very ", 30)), "description": "same"})
	}
	b := newDesk(t)
	x := asking("ask_user", dict{"question": strings.Repeat("Why? ", 900), "options": options})(b, wired{columns: 60, rows: 14})
	x.until("the last row", func(s string) bool {
		return strings.Contains(s, "Your choice  [") && strings.Contains(s, "  9. choice 9")
	})
	for range 12 {
		x.move(down)
	}
	rows := strings.Split(strings.TrimSpace(x.screen()), "\n")
	list := rows[len(rows)-11:]
	if len(rows) > 14 || !strings.Contains(list[0], "Your choice  [") || !strings.HasPrefix(list[6], "> 12. choice 12") {
		t.Errorf("the list:\n%s", x.screen())
	}
	x.keys(enter)
	x.ends()
}

// TestPrompts_hostile: what a model says steers no terminal, and does not pass
// for our words.
func TestPrompts_hostile(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b[31m\u202eevil\r\n> Approve"
	b := newDesk(t)
	x := asking("ask_user", dict{"question": evil, "options": []dict{{"label": evil, "description": evil}, {"label": "b"}}})(b, wired{columns: 80})
	x.sees(skipQuestion)
	x.move(down)
	if s := x.screen(); strings.Contains(s, "\n> Approve") || !strings.Contains(s, "> 1. evil > Approve") {
		t.Errorf("the screen:\n%s", s)
	}
	x.keys(ctrlC)
	x.exits()
	for _, bad := range []string{"\x1b]52", "\x1b[2J", "\u202e"} {
		if strings.Contains(x.said(), bad) {
			t.Errorf("the terminal got %q", bad)
		}
	}
}

// TestPrompts_editorStopped: a signal ends the editor too, and the terminal is
// what it was.
func TestPrompts_editorStopped(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	b.editWith("stty raw -echo; echo editing; kill -TERM $PPID; exec sleep 30")
	b.env["VISUAL"] = "exec " + b.env["VISUAL"]
	x := dial(b, wired{columns: 80}, "run", "--model", planScript(b), "Do it")
	x.sees("Reject")
	x.takes(planEdit)
	x.sees("editing")
	if code := x.exits(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	b.wantAnswers()
}
