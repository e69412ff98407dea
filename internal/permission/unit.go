package permission

import (
	"slices"
	"strings"
)

// unit is one thing a call does. Of a call of a file tool it is the path.
type unit struct {
	item
	parent *unit // the command that runs this one; nil: the line itself
	places []place
	tree   bool
	free   bool // a builtin without effect
}

// doubt says why it is not known what a unit does.
func (u *unit) doubt() string {
	if u.unknown != "" {
		return u.unknown
	}
	return "what it does is only known when it runs"
}

// harmless reports whether a command is a builtin that does nothing but steer
// the others.
func harmless(c *command) bool {
	if len(c.assigns) > 0 {
		return false
	}
	switch c.words[0].text {
	case ":", "true", "false", "exit", "return", "break", "continue":
		return c.words[0].fixed
	case "test", "[":
		return !slices.ContainsFunc(c.words, func(w word) bool { return !w.fixed || w.is("-v", "-R") })
	case "[[": // to a shell that takes it for a program there is none
		return true
	}
	return false
}

// ownVariable reports whether a variable can only matter to the line that sets
// it: programs take theirs in capitals, but for a few.
func ownVariable(name string) bool {
	return name == strings.ToLower(name) && !strings.HasSuffix(name, "_proxy") && !strings.HasPrefix(name, "npm_")
}

// device reports whether writing to a path changes no file.
func device(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdout", "/dev/stderr":
		return true
	}
	n, ok := strings.CutPrefix(p, "/dev/fd/")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// network reports whether bash would open a connection instead of a file.
func network(p string) bool {
	return strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/")
}
