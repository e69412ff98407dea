package permission

import (
	"slices"
	"strings"
)

// wrapper is a program that runs another one, which stands among its
// arguments.
type wrapper struct {
	values   string   // letters of options whose value follows
	long     []string // long options whose value is the next word
	operands int      // words before the program
	assigns  bool     // NAME=VALUE may stand before it
	clear    string   // letters of options with which it adds nothing; "*": all
	plain    bool     // it adds nothing of its own
	script   byte     // option whose value is a command line; 0: none
	joined   bool     // the words are joined to a command line
	queries  string   // letters of options with which nothing is run
	replaces byte     // option that names what is replaced in the words
	appends  bool     // words from elsewhere follow
	opaque   byte     // option after which nothing is known
}

// everywhere stands for operands between which options may stand.
const everywhere = 1 << 20

// wrapperOf knows the programs that run others. One that only adds priorities,
// time limits and the like is as allowed as what it runs.
func wrapperOf(program string) (wrapper, bool) {
	switch program {
	case "command":
		return wrapper{plain: true, clear: "p", queries: "vV"}, true
	case "builtin", "nohup":
		return wrapper{plain: true}, true
	case "exec":
		return wrapper{plain: true, values: "a", clear: "cl"}, true
	case "nice":
		return wrapper{plain: true, values: "n", long: []string{"--adjustment"}, clear: "*"}, true
	case "ionice":
		return wrapper{plain: true, values: "cnpPu", long: []string{"--class", "--classdata"}, clear: "cnt"}, true
	case "timeout":
		return wrapper{plain: true, values: "sk", long: []string{"--signal", "--kill-after"}, operands: 1, clear: "*"}, true
	case "stdbuf":
		return wrapper{plain: true, values: "ioe", long: []string{"--input", "--output", "--error"}, clear: "*"}, true
	case "setsid", "chronic":
		return wrapper{plain: true, clear: "*"}, true
	case "time":
		return wrapper{plain: true, values: "fo", long: []string{"--format", "--output"}, clear: "pv"}, true
	case "env":
		return wrapper{plain: true, values: "uCa", long: []string{"--unset", "--chdir", "--argv0"}, assigns: true, opaque: 'S'}, true
	case "busybox", "toybox", "setpriv", "entr", "bunx", "uvx", "dbus-run-session":
		return wrapper{}, true
	case "sudo":
		return wrapper{values: "ugpCTrtDRhU", long: []string{"--user", "--group", "--prompt", "--close-from", "--chdir", "--chroot", "--role", "--type", "--other-user", "--host"}, assigns: true, queries: "klKvV"}, true
	case "doas":
		return wrapper{values: "uC"}, true
	case "pkexec":
		return wrapper{long: []string{"--user"}}, true
	case "su":
		return wrapper{values: "cgGsw", long: []string{"--command", "--group", "--shell"}, script: 'c', operands: everywhere}, true
	case "runuser":
		return wrapper{values: "ucgGsw", script: 'c'}, true
	case "chroot", "taskset", "setarch":
		return wrapper{operands: 1}, true
	case "linux32", "linux64", "i386", "x86_64", "uname26", "prlimit":
		return wrapper{}, true
	case "choom":
		return wrapper{values: "n", long: []string{"--adjust"}}, true
	case "unshare":
		return wrapper{values: "wRSG"}, true
	case "nsenter":
		return wrapper{values: "tSGwr"}, true
	case "xargs":
		return wrapper{values: "adEILnPs", long: []string{"--arg-file", "--delimiter", "--max-lines", "--max-args", "--max-procs", "--max-chars", "--replace", "--process-slot-var"}, replaces: 'I', appends: true}, true
	case "flock":
		return wrapper{values: "wEc", long: []string{"--timeout", "--wait", "--conflict-exit-code", "--command"}, operands: 1, script: 'c'}, true
	case "watch":
		return wrapper{values: "nq", long: []string{"--interval", "--equexit"}, joined: true}, true
	case "ssh":
		return wrapper{values: "BbcDEeFIiJLlmOopQRSWw", operands: 1, joined: true}, true
	case "script":
		return wrapper{values: "cEIOoBT", script: 'c', operands: everywhere, long: []string{"--command"}}, true
	case "strace":
		return wrapper{values: "aeEoOpPsSuUbIX"}, true
	case "ltrace":
		return wrapper{values: "aeFlnopsuxAD"}, true
	case "chrt":
		return wrapper{values: "TPD", operands: 1}, true
	case "fakeroot":
		return wrapper{values: "libs"}, true
	case "npx":
		return wrapper{values: "pc", long: []string{"--package", "--call"}, script: 'c'}, true
	case "xvfb-run":
		return wrapper{values: "efnpsw"}, true
	case "systemd-run":
		return wrapper{values: "pEMHutd", long: []string{"--unit", "--property", "--uid", "--gid", "--slice"}}, true
	case "caffeinate":
		return wrapper{values: "tw"}, true
	case "parallel":
		return wrapper{values: "jISaN", joined: true, appends: true}, true
	}
	return wrapper{}, false
}

// unwrap finds the program a wrapper runs.
func (c *command) unwrap(w wrapper, depth int) string {
	c.clear = w.plain
	slot := ""
	if w.replaces != 0 {
		slot = "{}"
	}
	i := 1
	for ; i < len(c.words); i++ {
		arg := c.words[i]
		if !arg.fixed {
			return unknownScript
		}
		if arg.text == "--" {
			i++
			break
		}
		if len(arg.text) < 2 || arg.text[0] != '-' {
			if w.operands == everywhere {
				continue
			}
			break
		}
		o := w.option(arg.text)
		if w.opaque != 0 && (o.letter == w.opaque || strings.HasPrefix(o.name, "--s")) {
			return unknownScript
		}
		c.clear = c.clear && o.clear
		if o.query {
			c.clear = false
			return ""
		}
		value, at := o.value, i
		if o.next {
			i++
			if i < len(c.words) {
				value, at = c.words[i].text, i
			}
		}
		if o.letter != 0 && o.letter == w.replaces {
			slot = value
		}
		if o.letter != 0 && o.letter == w.script || o.name == "--command" || o.name == "--call" {
			if at >= len(c.words) || !c.words[at].fixed {
				return unknownScript
			}
			return c.nested([]word{fixedWord(value)}, depth)
		}
	}
	return c.operands(w, i, slot, depth)
}

// nested is script where the wrapper stays what it is.
func (c *command) nested(words []word, depth int) string {
	clear := c.clear
	why := c.script(words, depth)
	c.clear = clear
	return why
}

// option is one argument of a wrapper that begins with a dash.
type option struct {
	letter byte   // of the last short option in it
	name   string // of a long one
	value  string // in the same word
	next   bool   // the value is the next word
	clear  bool
	query  bool
}

func (w wrapper) option(text string) option {
	if strings.HasPrefix(text, "--") {
		name, value, inside := strings.Cut(text, "=")
		short := func(long string) bool { return strings.HasPrefix(long, name) } // names may be cut short
		if i := slices.IndexFunc(w.long, short); i >= 0 {
			return option{name: w.long[i], value: value, next: !inside, clear: w.clear == "*"}
		}
		return option{name: name, clear: w.clear == "*"}
	}
	o := option{clear: true}
	for i := 1; i < len(text); i++ {
		o.letter = text[i]
		o.clear = o.clear && (w.clear == "*" || strings.IndexByte(w.clear, text[i]) >= 0)
		o.query = o.query || strings.IndexByte(w.queries, text[i]) >= 0
		if strings.IndexByte(w.values, text[i]) >= 0 || text[i] == w.opaque {
			o.value, o.next = text[i+1:], i+1 == len(text)
			break
		}
	}
	return o
}

// operands skips what stands before the program, and reads it.
func (c *command) operands(w wrapper, i int, slot string, depth int) string {
	var assigns []word
	for ; w.assigns && i < len(c.words) && strings.Contains(c.words[i].text, "="); i++ {
		assigns = append(assigns, c.words[i])
	}
	i += w.operands
	if i >= len(c.words) {
		return ""
	}
	if w.script != 0 && c.words[i].is("-"+string(rune(w.script))) && i+1 < len(c.words) {
		return c.nested(c.words[i+1:i+2], depth)
	}
	if w.joined {
		return c.nested(c.words[i:], depth)
	}
	var more []word
	if w.appends {
		more = []word{{many: true}}
	}
	why := c.run(i, len(c.words), slot, more, depth)
	for _, it := range c.inner {
		if it.command != nil && len(assigns) > 0 {
			it.command.assigns, it.command.src = assigns, sources(assigns)+" "+it.command.src
		}
	}
	return why
}
