package demo

import (
	"fmt"
	"slices"
	"strings"
)

const plansDir = ".mastracode/plans/"

// move is what the demo does next: it says something, and calls tools or ends
// its turn.
type move struct {
	text  string
	calls []call
}

type call struct {
	tool string
	args map[string]any
}

func say(format string, args ...any) move { return move{text: fmt.Sprintf(format, args...)} }

// next decides. Every branch either ends the turn or brings the scene further:
// a question once, a file at most maxNames times, a submission for each
// version of the plan.
func next(s scene, has map[string]bool) move {
	switch {
	case s.stop != "":
		return say("I stop here: %s\n\nI am the scripted demo and know no other way. Send a message to let me try again.", s.stop)
	case s.made.path != "" && s.talking:
		return say("I am the scripted demo: one question, one plan and one file are all I do, and %s is written. Start another run to see it again, or choose a real model with --model.", s.made.path)
	case s.made.path != "":
		return say("Done. I made one small file, %s, and changed nothing else. This was the scripted demo; a real model would now do the work of %q.", s.made.path, s.task)
	case s.verdict == approval:
		return build(s, has)
	case !s.asked && has["ask_user"]:
		return ask(s, has)
	case !has["write_file"]:
		return say("This mode lets me write nothing, so the scripted demo ends here. %s", mention(s.files))
	case !has["submit_plan"]:
		return build(s, has)
	case s.verdict == waiting:
		return say("The plan %s is written and waits undecided: nobody has approved it, so I have changed nothing else. (I am the scripted demo.)", s.plan.path)
	}
	return plan(s, has)
}

// plan writes the plan, then submits it.
func plan(s scene, has map[string]bool) move {
	switch {
	case s.plan.changed && !has["read_file"]:
		return say("I stop here: %s was changed by somebody else and I cannot read it.", s.plan.path)
	case s.plan.changed:
		return move{"The plan file was changed meanwhile; I read it before I write it again.", []call{
			{"read_file", map[string]any{"path": s.plan.path}},
		}}
	case s.plan.current:
		return move{"The plan is ready for you to decide on.", []call{
			{"submit_plan", map[string]any{"path": s.plan.path}},
		}}
	}
	path := s.plan.path
	if path == "" {
		path = free(plansDir+slug(s.task), ".md", s.plan.refused)
	}
	text := "I write down a plan."
	if len(s.notes) > 0 {
		text = "I revise the plan with what you said."
	}
	return move{text, []call{{"write_file", map[string]any{"path": path, "content": planText(s)}}}}
}

// build makes the one file.
func build(s scene, has map[string]bool) move {
	if !has["write_file"] {
		return say("The plan is approved, but this mode lets me write nothing. The scripted demo ends here.")
	}
	path := s.madePath()
	return move{
		fmt.Sprintf("I make one new file, %s.", path),
		[]call{{"write_file", map[string]any{"path": path, "content": fileText(s)}}},
	}
}

// madePath is the name of the new file, as far as is known not taken.
func (s scene) madePath() string {
	return free("demo-"+slug(s.task), extension(s.answer), slices.Concat(s.files, s.made.refused))
}

// free returns the first of stem, stem-2, stem-3, … that is not taken.
func free(stem, ext string, taken []string) string {
	path := stem + ext
	for n := 2; slices.Contains(taken, path); n++ {
		path = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
	return path
}

// ask asks the one question, and looks around in the same step.
func ask(s scene, has map[string]bool) move {
	m := move{text: "I am the scripted demo: no language model is at work here and no network is used. " +
		"I show the whole way on your workspace: a question, a plan for you to approve, then one small new file."}
	if has["list_files"] {
		m.calls = append(m.calls, call{"list_files", map[string]any{"depth": 2}})
	}
	m.calls = append(m.calls, call{"ask_user", map[string]any{
		"question":      fmt.Sprintf("What shall the one new file for %q be?", oneLine(s.task, 60)),
		"options":       choices(),
		"selectionMode": "single_select",
	}})
	return m
}

type choice struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

func choices() []choice {
	return []choice{
		{"Short note", "A few lines of Markdown that say what was asked for"},
		{"Checklist", "A Markdown list of steps to tick off"},
		{"Plain text", "The same in a .txt file, without any markup"},
	}
}

func extension(answer string) string {
	if answer == choices()[2].Label {
		return ".txt"
	}
	return ".md"
}

func mention(files []string) string {
	if len(files) == 0 {
		return "I saw no files in the workspace."
	}
	return "Files I saw in the workspace: " + strings.Join(files[:min(len(files), shown)], ", ") + "."
}
