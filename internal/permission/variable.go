package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variables reads the variables that are set for the command, or by it, in
// which programs look for a command line: a pager, an editor, a way to another
// machine. Their places are counted back from the program.
func (c *command) variables(depth int) {
	for i, w := range c.assigns {
		c.variable(w, i-len(c.assigns), depth)
	}
	switch c.program() {
	case "export", "declare", "typeset", "readonly", "local":
		for i, w := range c.words[1:] {
			c.variable(w, i+1, depth)
		}
	}
}

func (c *command) variable(w word, at, depth int) {
	name, value, ok := strings.Cut(w.text, "=")
	name = strings.TrimSuffix(name, "+")
	switch {
	case !ok || value == "":
	case holdsCommand(name):
		c.line(at, word{text: value, fixed: w.fixed}, depth)
	case loadsCode(name):
		c.doubt(at, "what "+name+" names is run by programs")
	}
}

// holdsCommand reports whether programs take the value of a variable for a
// command.
func holdsCommand(name string) bool {
	return slices.Contains([]string{
		"PAGER", "MANPAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH", "GIT_SSH_COMMAND",
		"GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS", "SUDO_EDITOR", "BROWSER", "SHELL",
		"RSYNC_RSH", "CVS_RSH", "TAR_OPTIONS", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CC", "CXX", "LD", "AR",
		"PROMPT_COMMAND", "npm_config_script_shell", "FZF_DEFAULT_COMMAND", "BAT_PAGER", "SYSTEMD_PAGER", "SYSTEMD_EDITOR", "KUBE_EDITOR",
	}, name)
}

// loadsCode reports whether a variable makes programs run what else would not
// be: files, or what stands in a language of its own.
func loadsCode(name string) bool {
	return strings.HasPrefix(name, "GIT_CONFIG") || strings.HasPrefix(name, "DYLD_") || slices.Contains([]string{
		"LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "ENV", "SHELLOPTS", "PS4", "LESSOPEN", "LESSCLOSE", "MAKEFLAGS", "GNUMAKEFLAGS", "GIT_EXEC_PATH",
		"GIT_TEMPLATE_DIR", "GOFLAGS", "NODE_OPTIONS", "PERL5OPT", "PERL5DB", "RUBYOPT", "PYTHONSTARTUP", "JAVA_TOOL_OPTIONS",
	}, name)
}

// hold notes what variables that are set for all that follows make programs
// run.
func (r *lineReader) hold(x *syntax.CallExpr) {
	c := &command{src: sourceOf(x, r.src), assigns: r.words(x.Assigns), words: []word{fixedWord(":")}}
	c.variables(r.depth)
	for _, it := range c.inner {
		it.at, it.carried = 0, false
		r.note(it)
	}
}
