package permission

import (
	"slices"
	"strings"
)

// git reads what git itself runs: settings of the command line that name
// programs, aliases among them, and commands that run others.
func (c *command) git(depth int) string {
	for i, w := range c.words {
		if w.fixed && strings.Contains(w.text, "ext::") {
			c.doubt(i, "ext:: is a way to another repository that is a command")
		}
	}
	i := c.gitOptions(depth)
	if i >= len(c.words) || !c.words[i].fixed {
		return ""
	}
	name, rest := c.words[i].text, i+1
	is := func(at int, text string) bool { return at < len(c.words) && c.words[at].is(text) }
	switch name {
	case "config":
		c.gitConfig(rest, depth)
	case "clone":
		c.gitLetters(rest, "u", depth)
		c.gitSettings(rest, "-c", "--config", depth)
	case "bisect":
		if is(rest, "run") {
			return c.run(rest+1, len(c.words), "", nil, depth)
		}
	case "submodule":
		return c.foreach(rest, depth)
	case "rebase", "difftool":
		c.gitLetters(rest, "x", depth)
	case "grep":
		c.gitLetters(rest, "O", depth)
	case "for-each-repo", "remote-ext", "merge-index", "hook", "shell":
		return "git " + name + " runs commands"
	}
	return ""
}

// gitOptions reads the options before the command of git, and returns where
// that stands.
func (c *command) gitOptions(depth int) int {
	i := 1
	for ; i < len(c.words) && strings.HasPrefix(c.words[i].text, "-"); i++ {
		text := c.words[i].text
		switch {
		case text == "-c" && i+1 < len(c.words):
			i++
			c.gitSetting(i, c.words[i], depth)
		case strings.HasPrefix(text, "--config-env"):
			c.doubt(i, "a setting of git comes from a variable")
			if !strings.Contains(text, "=") {
				i++
			}
		case strings.HasPrefix(text, "--exec-path="):
			c.doubt(i, "git takes its commands from another place")
		case slices.Contains([]string{"-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source"}, text):
			i++
		}
	}
	return i
}

// gitSettings reads settings given as the values of an option.
func (c *command) gitSettings(i int, short, long string, depth int) {
	for ; i < len(c.words); i++ {
		text := c.words[i].text
		value, inside := strings.CutPrefix(text, long+"=")
		if !inside {
			if value, inside = strings.CutPrefix(text, short); inside && value == "" || text == long {
				if i++; i < len(c.words) {
					c.gitSetting(i, c.words[i], depth)
				}
				continue
			}
		}
		if inside {
			c.gitSetting(i, word{text: value, fixed: c.words[i].fixed}, depth)
		}
	}
}

// gitSetting reads NAME=VALUE.
func (c *command) gitSetting(at int, w word, depth int) {
	if !w.fixed {
		c.doubt(at, "a setting of git is only known when it runs")
		return
	}
	name, value, _ := strings.Cut(w.text, "=")
	c.setting(at, name, value, depth)
}

// setting reads what a setting of git makes it run.
func (c *command) setting(at int, name, value string, depth int) {
	name = strings.ToLower(name)
	section, _, _ := strings.Cut(name, ".")
	switch script, bang := strings.CutPrefix(value, "!"); {
	case section == "alias" && !bang:
		c.line(at, fixedWord("git "+value), depth)
	case bang:
		c.line(at, fixedWord(script), depth)
	case plainSetting(name, section, value):
	case programSetting(name) && !strings.HasPrefix(section, "include"):
		c.line(at, fixedWord(value), depth)
	default:
		c.doubt(at, "the setting "+name+" may make git run programs")
	}
}

// programSetting reports whether git takes the value of a setting for a
// command line.
func programSetting(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return slices.Contains([]string{
		"core.pager", "core.editor", "core.sshcommand", "core.askpass", "core.fsmonitor", "core.gitproxy", "core.alternaterefscommand",
		"sequence.editor", "diff.external", "interactive.difffilter", "gpg.program", "credential.helper", "uploadpack.packobjectshook",
	}, name) || strings.HasPrefix(name, "pager.") ||
		slices.Contains([]string{"cmd", "command", "driver", "textconv", "clean", "smudge", "process", "uploadpack", "receivepack", "program", "path", "helper"}, last)
}

// plainSetting reports whether a setting makes git run nothing.
func plainSetting(name, section, value string) bool {
	switch section {
	case "color", "user", "author", "committer", "advice", "log", "column", "status", "push", "pull", "fetch", "commit", "tag", "branch", "safe", "gc", "index", "pack", "feature", "rerere", "i18n", "format", "blame", "apply", "http", "transfer", "protocol", "checkout", "worktree", "stash", "rebase", "help":
		return name != "protocol.ext.allow"
	}
	switch name {
	case "init.defaultbranch", "core.quotepath", "core.autocrlf", "core.eol", "core.safecrlf", "core.filemode", "core.ignorecase", "core.longpaths", "core.symlinks",
		"core.abbrev", "core.compression", "core.commentchar", "core.precomposeunicode", "core.whitespace", "core.untrackedcache", "core.preloadindex", "core.bare",
		"diff.renames", "diff.algorithm", "diff.context", "diff.noprefix", "diff.mnemonicprefix", "diff.colormoved", "diff.submodule", "diff.wserrorhighlight",
		"merge.conflictstyle", "merge.ff", "merge.renames", "submodule.recurse", "submodule.fetchjobs", "lfs.fetchexclude", "grep.linenumber", "grep.patterntype":
		return true
	case "core.fsmonitor", "core.pager", "core.editor":
		return slices.Contains([]string{"", "true", "false", "cat", ":"}, value)
	case "core.hookspath":
		return value == "/dev/null"
	}
	switch last := name[strings.LastIndexByte(name, '.')+1:]; section {
	case "remote":
		return slices.Contains([]string{"url", "pushurl", "fetch", "push", "tagopt", "prune"}, last)
	case "filter":
		return last == "required"
	}
	return strings.HasPrefix(name, "pager.") && slices.Contains([]string{"true", "false"}, value)
}

// gitConfig reads a setting that is written to a file of git: it holds from
// then on.
func (c *command) gitConfig(i, depth int) {
	var operands []int
	for ; i < len(c.words); i++ {
		switch w := c.words[i]; {
		case w.is("-f", "--file", "--blob", "--type", "--default", "--comment", "--value", "--url"):
			i++
		case w.is("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--unset", "--unset-all", "list", "get", "unset"):
			return
		case w.is("set") && len(operands) == 0, w.fixed && strings.HasPrefix(w.text, "-"):
		default:
			operands = append(operands, i)
		}
	}
	if len(operands) < 2 {
		return
	}
	name, value := c.words[operands[0]], c.words[operands[1]]
	if !name.fixed || !value.fixed {
		c.doubt(operands[1], "a setting of git is only known when it runs")
		return
	}
	c.setting(operands[1], name.text, value.text, depth)
}

// foreach reads what git runs in every submodule: one word is a command line.
func (c *command) foreach(i, depth int) string {
	for i < len(c.words) && c.words[i].fixed && strings.HasPrefix(c.words[i].text, "-") {
		i++
	}
	if i >= len(c.words) || !c.words[i].is("foreach") {
		return ""
	}
	for i++; i < len(c.words) && c.words[i].is("--recursive", "--quiet", "-q", "--"); i++ {
	}
	if i+1 == len(c.words) {
		c.line(i, c.words[i], depth)
		return ""
	}
	return c.run(i, len(c.words), "", nil, depth)
}

// gitLetters reads the command lines that are values of short options of one
// command of git.
func (c *command) gitLetters(i int, letters string, depth int) {
	k := carrier{letters: letters}
	for ; i < len(c.words); i++ {
		value, at, ok := k.find(c.words, i)
		if ok && (letters != "O" || at == i) && !strings.HasPrefix(c.words[i].text, "--") {
			c.line(at, value, depth)
		}
	}
}
