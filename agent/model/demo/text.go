package demo

import (
	"fmt"
	"strings"
	"unicode"
)

const shown = 5 // files a plan names

// planText is the plan as the scene has it.
func planText(s scene) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Plan: %s\n\nWritten by the scripted demo.\n\n## Task\n\n%s\n", plain(s.task), quoted(s.task))
	b.WriteString("## Decision\n\n")
	if s.assumed != "" {
		fmt.Fprintf(&b, "Assumption, because %s: %s.\n", s.assumed, plain(s.answer))
	} else {
		b.WriteString("You answered:\n\n" + quoted(s.answer))
	}
	b.WriteString("\n## What is there\n\n")
	b.WriteString(seen(s.files))
	fmt.Fprintf(&b, "\n## Steps\n\n1. Make one new file, `%s` (another name if that one is taken).\n2. Change nothing else.\n", s.madePath())
	if len(s.notes) > 0 {
		b.WriteString("\n## What you asked to be taken in\n")
		for _, n := range s.notes {
			b.WriteString("\n" + quoted(n))
		}
	}
	return b.String()
}

func seen(files []string) string {
	if len(files) == 0 {
		return "No files that I could see.\n"
	}
	var b strings.Builder
	for _, f := range files[:min(len(files), shown)] {
		fmt.Fprintf(&b, "- `%s` stays as it is\n", f)
	}
	if more := len(files) - shown; more > 0 {
		fmt.Fprintf(&b, "- and so do %d more\n", more)
	}
	return b.String()
}

// fileText is the content of the one new file.
func fileText(s scene) string {
	const from = "Made by the scripted demo."
	switch s.answer {
	case choices()[1].Label:
		return fmt.Sprintf("# %s\n\n- [x] Make this file\n- [ ] %s\n\n%s\n", plain(s.task), plain(s.task), from)
	case choices()[2].Label:
		return fmt.Sprintf("%s\n\n%s\n", s.task, from)
	}
	return fmt.Sprintf("# %s\n\nAsked for: %s\nChosen: %s\n\n%s\n", plain(s.task), plain(s.task), plain(s.answer), from)
}

// quoted is text as a Markdown quotation, so that it cannot pass for the plan.
func quoted(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text) + "\n") {
		b.WriteString(strings.TrimRight("> "+plain(strings.TrimSpace(line)), " ") + "\n")
	}
	return b.String()
}

// plain is text on one line with nothing Markdown would read as markup.
func plain(text string) string {
	var b strings.Builder
	for _, r := range oneLine(text, 2000) {
		if strings.ContainsRune("\\`*_[]<>#|", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// oneLine is the first line of text that is not blank, without control
// characters and at most n characters long.
func oneLine(text string, n int) string {
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, first))
	if out := []rune(first); len(out) > n {
		return string(out[:n]) + "…"
	}
	return first
}

// slug is a file name made of a task: lower-case words joined by dashes.
func slug(task string) string {
	words := strings.FieldsFunc(strings.ToLower(task), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := ""
	for _, w := range words[:min(len(words), 6)] {
		if len(name)+len(w) < 40 {
			name = strings.TrimPrefix(name+"-"+w, "-")
		}
	}
	if name == "" {
		return "task"
	}
	return name
}

// names finds the files in the tree list_files prints: two spaces of indent a
// level, folders end in a slash. Names that Markdown would read as markup, its
// own plans and git's files are left out.
func names(tree string) []string {
	var out, folders []string
	for line := range strings.Lines(tree) {
		line = strings.TrimRight(line, " \r\n")
		name := strings.TrimLeft(line, " ")
		depth := min((len(line)-len(name))/2, len(folders))
		folders = folders[:depth]
		path := strings.TrimPrefix(strings.Join(folders, "")+name, "./")
		if strings.HasSuffix(name, "/") {
			folders = append(folders, name)
			continue
		}
		own := strings.HasPrefix(path, ".mastracode/") || strings.HasPrefix(path, ".git/")
		if name != "" && !own && path == oneLine(path, 200) && !strings.ContainsAny(path, " `<>*()[]") {
			out = append(out, path)
		}
	}
	return out
}
