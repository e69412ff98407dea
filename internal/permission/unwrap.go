package permission

import (
	"regexp"
	"slices"
	"strings"
)

// wraps finds the wrapper a command is, and where its arguments begin.
func (c *command) wraps() (w wrapper, from int, ok bool) {
	name := c.program()
	if w, ok = wrapperOf(name); ok {
		return w, 1, true
	}
	if !slices.Contains(hosts(), name) {
		return w, 0, false
	}
	option := false
	for i, word := range c.words[1:] {
		if !word.fixed {
			break
		}
		text := word.text
		if strings.HasPrefix(text, "-") {
			option = !strings.Contains(text, "=")
			continue
		}
		name += " " + text
		if w, ok = wrapperOf(name); ok {
			return w, i + 2, true
		}
		if option { // it may have been the value of one
			name, option = strings.TrimSuffix(name, " "+text), false
		}
	}
	return w, 0, false
}

// unwrap finds the program a wrapper runs among the words from i on.
func (c *command) unwrap(w wrapper, i, depth int) string {
	c.clear = w.plain
	slot, joined := "", w.joined
	if w.replaces != 0 {
		slot = "{}"
	}
	for ; i < len(c.words); i++ {
		arg := c.words[i]
		if !arg.fixed {
			return unknownScript
		}
		if arg.text == "--" {
			i++
			w.after = false
			if w.operands == everywhere {
				return c.afterAll(w, i, depth)
			}
			break
		}
		if len(arg.text) < 2 || arg.text[0] != '-' {
			if w.operands == everywhere || w.after {
				continue
			}
			break
		}
		o := w.option(arg.text)
		c.clear = c.clear && o.clear
		if o.query {
			c.clear = false
			return ""
		}
		if !o.known && !w.after {
			c.inner = append(c.inner, item{what: c.src, unknown: "it is not known what " + arg.text + " means to " + c.program()})
		}
		joined = joined || o.joins
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
		if o.script {
			return c.scripted(w, value, at, depth)
		}
	}
	if w.after {
		return unknownScript // it stands nowhere, or where an older one took it
	}
	w.joined = joined
	return c.operands(w, i, slot, depth)
}

// scripted reads the command line that is the value of an option; at is the
// word it stands in.
func (c *command) scripted(w wrapper, value string, at, depth int) string {
	switch {
	case at >= len(c.words) || !c.words[at].fixed:
		return unknownScript
	case w.script == "S" && (at+1 < len(c.words) || strings.Contains(value, `\`)): // env splits words by rules of its own, and more follow
		return unknownScript
	}
	return c.nested([]word{fixedWord(value)}, depth)
}

// afterAll reads what follows "--" where options may stand anywhere: arguments
// of the shell that su starts, the program of script.
func (c *command) afterAll(w wrapper, i, depth int) string {
	if c.program() == "script" {
		return c.run(i, len(c.words), "", nil, depth)
	}
	for ; i < len(c.words); i++ {
		if strings.HasPrefix(c.words[i].text, "-") || !c.words[i].fixed {
			return unknownScript
		}
	}
	return ""
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
	value  string // in the same word
	next   bool   // the value is the next word
	known  bool
	clear  bool
	query  bool
	script bool // its value is a command line
	joins  bool // what follows is one
}

func (w wrapper) option(text string) option {
	if strings.HasPrefix(text, "--") {
		return w.longOption(text)
	}
	o := option{clear: true, known: true}
	in := func(letters string, letter byte) bool { return strings.IndexByte(letters, letter) >= 0 }
	for i := 1; i < len(text); i++ {
		o.letter = text[i]
		o.clear = o.clear && (w.clear == "*" || in(w.clear, o.letter))
		o.query = o.query || in(w.queries, o.letter)
		o.joins = o.joins || in(w.joins, o.letter)
		if in(w.values+w.script, o.letter) {
			o.value, o.next = text[i+1:], i+1 == len(text)
			o.script = in(w.script, o.letter)
			break
		}
		o.known = o.known && in(w.flags+w.joins, o.letter)
	}
	return o
}

func (w wrapper) longOption(text string) option {
	name, value, inside := strings.Cut(text, "=")
	short := func(long string) bool { return strings.HasPrefix(long, name) } // names may be cut short
	o := option{value: value, known: inside || slices.ContainsFunc(w.bare, short), clear: w.clear == "*"}
	scripts := []string{"--command", "--call", "--session-command"}
	if strings.Contains(w.script, "S") {
		scripts = []string{"--split-string"}
	}
	switch {
	case w.script != "" && slices.ContainsFunc(scripts, short):
		o.script, o.known, o.next = true, true, !inside
	case slices.ContainsFunc(w.long, short), slices.Contains(w.long, "*") && !o.known:
		o.known, o.next = true, !inside
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
	if w.script != "" && c.words[i].is("-"+w.script) && i+1 < len(c.words) {
		return c.nested(c.words[i+1:i+2], depth)
	}
	switch {
	case w.joined && w.appends:
		return c.parallel(i, depth)
	case w.joined:
		return c.nested(c.words[i:], depth)
	}
	var more []word
	if w.appends {
		more = []word{{many: true}}
	}
	why := c.run(i, len(c.words), slot, more, depth)
	for n, it := range c.inner {
		if it.command != nil && len(assigns) > 0 {
			it.command.assigns, it.command.src = assigns, sources(assigns)+" "+it.command.src
			it.command.variables(depth)
			c.inner[n].what = it.command.src
		}
	}
	return why
}

// parallel reads the words of GNU parallel: a command line with places that
// are filled in, or, where there is none, lines that are given after ":::".
func (c *command) parallel(i, depth int) string {
	sources := slices.IndexFunc(c.words[i:], func(w word) bool { return strings.HasPrefix(w.text, ":::") })
	if sources == 0 {
		for _, w := range c.words[i+1:] {
			if !w.fixed || w.text == "::::" {
				return unknownScript
			}
			if why := c.nested([]word{w}, depth); why != "" {
				return why
			}
		}
		return ""
	}
	end := len(c.words)
	if sources > 0 {
		end = i + sources
	}
	placeholder := regexp.MustCompile(`\{[^{}\s]*\}`) // here, not before main: few lines have one
	var line []word
	for _, w := range c.words[i:end] {
		if w.fixed {
			w.text = placeholder.ReplaceAllString(w.text, `"$$1"`)
		}
		line = append(line, w)
	}
	return c.nested(append(line, fixedWord(`"$@"`)), depth)
}
