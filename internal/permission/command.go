package permission

import (
	"path"
	"slices"
	"strings"
)

// command is a simple command of a line.
type command struct {
	src     string
	assigns []word // NAME=VALUE before it
	words   []word // the program and its arguments; at least one
	inner   []item // what it runs in turn
	// clear says that it does nothing but run inner.
	clear bool
	// guarded are words an allowing rule has to name, besides the program:
	// they make a harmless program run others.
	guarded []int
}

// full are all words, assignments in front.
func (c *command) full() []word { return append(slices.Clip(c.assigns), c.words...) }

// program is the name of the program without its directory; "" if it is not
// known.
func (c *command) program() string {
	if !c.words[0].fixed {
		return ""
	}
	return path.Base(c.words[0].text)
}

// read finds out what the command runs in turn. Why is not "" where that, or
// what the command itself is, cannot be known.
func (c *command) read(in input, depth int) (why string) {
	if !c.words[0].fixed {
		return "the program is only known when it runs"
	}
	name := c.program()
	c.guarded = guardedWords(name, c.words)
	c.variables(depth)
	c.carried(depth)
	if w, from, ok := c.wraps(); ok {
		return c.unwrap(w, from, depth)
	}
	switch {
	case slices.Contains(shells(), name):
		return c.shell(in, depth)
	case name == "find":
		return c.find(depth)
	case name == "git":
		return c.git(depth)
	}
	switch name {
	case ".", "source":
		return c.sourced()
	case "bind", "compgen", "complete":
		if len(c.words) > 1 {
			return name + " can run commands"
		}
	case "eval":
		return c.script(c.words[1:], depth)
	case "trap":
		return c.trap(depth)
	case "alias", "enable", "hash":
		if len(c.words) > 1 {
			return name + " can change what the words that follow mean"
		}
	case "at", "batch", "crontab", "tmux", "screen", "expect", "gdb", "lldb", "socat", "concurrently", "hyperfine":
		if len(c.words) > 1 && !c.words[1].is("-l", "-V", "-h", "-ls", "ls", "list-sessions", "--help", "--version") {
			return name + " runs commands of its own"
		}
	case "awk", "gawk", "mawk", "nawk", "original-awk":
		c.text(wrapper{values: "FvfEil", script: "e"}, awkRuns)
	case "sed", "gsed":
		c.text(wrapper{values: "fl", script: "e"}, sedRuns)
	case "declare", "typeset", "local", "export", "readonly", "printf", "read", "unset", "test", "[", "wait", "mapfile", "readarray", "getopts", "let":
		if slices.ContainsFunc(c.words[1:], subscript) {
			return computed
		}
	}
	return ""
}

// moves reports whether what comes next, or what the command runs, may do so in
// another directory.
func (c *command) moves() bool {
	switch c.program() {
	case "cd", "pushd", "popd":
		return true
	case "git":
		return slices.ContainsFunc(c.words[1:], func(w word) bool { return w.is("foreach") })
	case "env", "sudo", "find", "xargs", "parallel":
		return slices.ContainsFunc(c.words[1:], func(w word) bool {
			return strings.HasPrefix(w.text, "-C") || strings.HasPrefix(w.text, "-D") || strings.HasPrefix(w.text, "--chdir") || w.is("-execdir", "-okdir")
		})
	}
	return false
}

// subscript reports whether a builtin would run what stands in the brackets.
func subscript(w word) bool {
	return strings.Contains(w.text, "[") && (strings.Contains(w.text, "$(") || strings.Contains(w.text, "`"))
}

// unknownScript is why nothing is known of what a command runs.
const unknownScript = "what it runs is only known when it runs"

// script takes words, joined, for a command line.
func (c *command) script(words []word, depth int) string {
	var texts []string
	for _, w := range words {
		if !w.fixed {
			return unknownScript
		}
		texts = append(texts, w.text)
	}
	c.inner = append(c.inner, readLine(strings.Join(texts, " "), depth+1)...)
	c.clear = true
	return ""
}

// sourced is what a shell reads as its own commands: a file like any other
// program, but for what only comes to be when it runs.
func (c *command) sourced() string {
	if len(c.words) > 1 && (!c.words[1].fixed || stream(c.words[1].text)) {
		return unknownScript
	}
	return ""
}

// stream reports whether a path is no file, but what a process is given.
func stream(path string) bool {
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}

// trap runs its first argument when a signal comes, or at the end.
func (c *command) trap(depth int) string {
	rest := c.words[1:]
	if len(rest) > 0 && rest[0].is("--") {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[0].is("-", "", "-p", "-l") {
		return ""
	}
	return c.script(rest[:1], depth)
}

func shells() []string {
	return []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh", "rbash", "rksh", "fish", "csh", "tcsh", "pwsh", "powershell"}
}

// shell reads the arguments of a shell: a script after -c, a file, or standard
// input.
func (c *command) shell(in input, depth int) string {
	if name := c.program(); slices.Contains([]string{"fish", "csh", "tcsh", "pwsh", "powershell"}, name) {
		return "the language of " + name + " is not read"
	}
	takes, interactive, reads := false, false, false
	i := 1
	for ; i < len(c.words); i++ {
		w := c.words[i]
		if !w.fixed {
			return unknownScript
		}
		flag := len(w.text) > 1 && (w.text[0] == '-' || w.text[0] == '+')
		if !flag {
			break
		}
		if w.text == "--" {
			i++
			break
		}
		if strings.HasPrefix(w.text, "--") {
			if w.is("--rcfile", "--init-file") {
				return "it reads a file before anything else"
			}
			continue
		}
		takes = takes || w.text[0] == '-' && strings.Contains(w.text, "c")
		reads = reads || strings.Contains(w.text, "s")
		interactive = interactive || strings.Contains(w.text, "i")
		i += strings.Count(w.text[1:], "o") + strings.Count(w.text[1:], "O")
	}
	switch {
	case interactive:
		return "an interactive shell reads files of its own, which may give words another meaning"
	case takes && i < len(c.words):
		return c.script(c.words[i:i+1], depth)
	case !takes && i < len(c.words) && !reads && stream(c.words[i].text):
		return unknownScript
	case takes || i < len(c.words) && !reads:
		return "" // nothing, or a file like any other program
	case in.script != nil:
		return c.script([]word{fixedWord(*in.script)}, depth)
	}
	return "a shell runs what it reads"
}

// find runs what stands between -exec and ";" or "+".
func (c *command) find(depth int) string {
	for i := 1; i < len(c.words); i++ {
		if !c.words[i].is("-exec", "-execdir", "-ok", "-okdir") {
			continue
		}
		from := i + 1
		for i++; i < len(c.words) && !c.words[i].is(";") && !c.words[i].is("+"); i++ {
		}
		if why := c.run(from, i, "{}", nil, depth); why != "" {
			return why
		}
	}
	return ""
}

// run takes the words from, up to to, for a command. Those that hold slot are
// replaced by something else when it runs; more follow them.
func (c *command) run(from, to int, slot string, more []word, depth int) string {
	if from >= to {
		return ""
	}
	words := slices.Clone(c.words[from:to])
	for i, w := range words {
		if slot != "" && strings.Contains(w.text, slot) {
			words[i] = unknownWord(w.src, false)
		}
	}
	words = append(words, more...)
	inner := &command{src: sources(words), words: words}
	if depth >= maxDepth {
		return "its commands are nested too deeply"
	}
	why := inner.read(input{piped: true}, depth+1)
	if why != "" {
		c.inner = append(c.inner, item{what: inner.src, unknown: why})
	}
	c.inner = append(c.inner, item{what: inner.src, command: inner, at: from})
	return ""
}

func sources(words []word) string {
	var out []string
	for _, w := range words {
		if w.src != "" {
			out = append(out, w.src)
		}
	}
	return strings.Join(out, " ")
}
