package permission

import (
	"slices"
	"strings"
)

// carrier are the arguments of a program that hold a command line: its pager,
// its filter, what it hands to another machine. A rule that allows has to name
// such an argument or allow what is in it; one that denies looks into it.
type carrier struct {
	letters string   // short options, whose value is in the same word or the next
	long    []string // long options, which may be cut short
	words   []string // options of several letters after one dash, with and without "="
	keys    []string // the value holds one only after one of these; nil: always
	plus    bool     // words with a plus in front do as well
	rest    bool     // all words that follow are it, up to a ";"
	editor  bool     // the value is for an editor: a command line after "!", else nothing is known
	opaque  bool     // the value is in a language that is not read
	assigns bool     // words with NAME=VALUE, where they look like command lines
	bundle  bool     // the first argument may be short options without a dash
}

// carriersOf knows the programs with such arguments.
func carriersOf(program string) []carrier {
	switch program {
	case "tar", "gtar", "bsdtar":
		return []carrier{{letters: "IF", bundle: true, long: []string{"--to-command", "--use-compress-program", "--rsh-command", "--info-script", "--new-volume-script"}}, {long: []string{"--checkpoint-action"}, keys: []string{"exec="}}}
	case "rsync":
		return []carrier{{letters: "e", long: []string{"--rsh", "--rsync-path"}}}
	case "ssh", "scp", "sftp":
		return []carrier{{letters: "o", keys: []string{"proxycommand", "localcommand", "knownhostscommand"}}}
	case "sort":
		return []carrier{{long: []string{"--compress-program"}}}
	case "split":
		return []carrier{{long: []string{"--filter"}}}
	case "man":
		return []carrier{{letters: "P", long: []string{"--pager", "--html"}}}
	case "bat", "batcat", "delta":
		return []carrier{{long: []string{"--pager"}}}
	case "less", "more", "most":
		return []carrier{{plus: true, editor: true}}
	case "vi", "vim", "nvim", "view", "ex", "gvim", "vimdiff", "rvim":
		return []carrier{{letters: "cS", long: []string{"--cmd"}, plus: true, editor: true}}
	case "fd", "fdfind":
		return []carrier{{letters: "xX", long: []string{"--exec", "--exec-batch"}, rest: true}}
	case "rg":
		return []carrier{{long: []string{"--pre", "--hostname-bin"}}}
	case "fzf", "sk":
		return []carrier{{long: []string{"--preview"}}, {long: []string{"--bind"}, opaque: true}}
	case "go":
		return []carrier{{words: []string{"-exec", "-toolexec", "-vettool"}}}
	case "zip":
		return []carrier{{words: []string{"-TT"}, long: []string{"--unzip-command"}}}
	case "nc", "ncat", "netcat":
		return []carrier{{letters: "ec", long: []string{"--exec", "--sh-exec", "--lua-exec"}}}
	case "tcpdump":
		return []carrier{{letters: "z"}}
	case "wget":
		return []carrier{{long: []string{"--use-askpass"}}}
	case "npm", "pnpm":
		return []carrier{{long: []string{"--script-shell"}}}
	case "nodemon":
		return []carrier{{letters: "x", long: []string{"--exec"}}}
	case "nix-shell", "nix":
		return []carrier{{long: []string{"--run", "--command"}}}
	case "make", "gmake", "bmake":
		return []carrier{{letters: "E", long: []string{"--eval"}, opaque: true}, {assigns: true}}
	case "git":
		return []carrier{{long: []string{"--upload-pack", "--receive-pack", "--exec", "--extcmd", "--open-files-in-pager", "--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd", "--httpd", "--access-hook", "--setup", "--env-filter", "--tree-filter", "--index-filter", "--msg-filter", "--parent-filter", "--commit-filter", "--tag-name-filter"}}}
	}
	return nil
}

// carried reads the command lines that stand in arguments.
func (c *command) carried(depth int) {
	for _, k := range carriersOf(c.program()) {
		for i := 1; i < len(c.words); i++ {
			value, at, found := k.find(c.words, i)
			switch {
			case !found:
			case k.rest && at > i:
				c.handed(at, depth)
				i = len(c.words)
			default:
				c.carry(k, value, at, depth)
			}
		}
	}
}

// find reports whether a word is such an argument, with its value and the
// place of the word that holds it.
func (k carrier) find(words []word, i int) (value word, at int, ok bool) {
	text := words[i].text
	next := func() (word, int, bool) {
		if i+1 < len(words) {
			return words[i+1], i + 1, true
		}
		return word{}, 0, false
	}
	in := func(value string) (word, int, bool) { return word{text: value, fixed: words[i].fixed}, i, true }
	name, inside, cut := strings.Cut(text, "=")
	switch {
	case k.assigns:
		ok = !strings.HasPrefix(name, "-") && cut && (name == "SHELL" || strings.ContainsAny(inside, ";|&$`()<>\n") || strings.Contains(inside, " ") && inside[0] != '-')
		return word{text: inside, fixed: words[i].fixed}, i, ok
	case k.plus && strings.HasPrefix(text, "+"):
		return in(text[1:])
	case slices.Contains(k.words, name) || slices.Contains(k.words, strings.TrimPrefix(name, "-")) && strings.HasPrefix(name, "--"):
	case strings.HasPrefix(name, "--"):
		if len(name) < 4 || !slices.ContainsFunc(k.long, func(l string) bool { return strings.HasPrefix(l, name) }) {
			return word{}, 0, false
		}
	case k.bundle && i == 1 && !strings.HasPrefix(text, "-") && strings.ContainsAny(text, k.letters):
		return word{}, i, true // which of the words that follow is its value is not known
	case strings.HasPrefix(text, "-"):
		n := strings.IndexAny(text[1:], k.letters)
		switch {
		case n < 0:
			return word{}, 0, false
		case n+2 < len(text):
			return in(strings.TrimPrefix(text[n+2:], "="))
		}
		return next()
	default:
		return word{}, 0, false
	}
	if cut {
		return in(inside)
	}
	return next()
}

// carry reads the value of such an argument.
func (c *command) carry(k carrier, value word, at, depth int) {
	switch {
	case k.opaque:
		c.doubt(at, "what "+c.program()+" is told there is not read")
		return
	case k.editor && value.fixed:
		script, ok := strings.CutPrefix(strings.TrimLeft(value.text, ": "), "!")
		if !ok {
			c.doubt(at, "what "+c.program()+" is told there may run commands")
			return
		}
		value.text = script
	case k.keys != nil && value.fixed:
		text := strings.ToLower(value.text)
		key := slices.IndexFunc(k.keys, func(key string) bool { return strings.HasPrefix(text, key) })
		if key < 0 {
			return
		}
		value.text = strings.TrimLeft(value.text[len(k.keys[key]):], "= \t")
	}
	c.line(at, value, depth)
}

// line notes a word whose text is a command line.
func (c *command) line(at int, value word, depth int) {
	if !value.fixed {
		c.doubt(at, unknownScript)
		return
	}
	for _, it := range readLine(value.text, depth+1) {
		it.at, it.carried = at, true
		c.inner = append(c.inner, it)
	}
}

// doubt notes that a word may make the command run anything.
func (c *command) doubt(at int, why string) {
	c.inner = append(c.inner, item{what: c.src, unknown: why, at: at, carried: true})
}

// handed reads the words from i on, up to a ";", as a command.
func (c *command) handed(i, depth int) {
	end := i
	for end < len(c.words) && !c.words[end].is(";") {
		end++
	}
	if why := c.run(i, end, "{", nil, depth); why != "" {
		c.inner = append(c.inner, item{what: c.src, unknown: why})
	}
}
