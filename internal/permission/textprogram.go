package permission

import (
	"slices"
	"strings"
)

// text reads the arguments of sed or awk: a program in their language, or
// several. Where one runs commands, nothing is known.
func (c *command) text(options wrapper, runs func(program string) bool) {
	given := false
	for i := 1; i < len(c.words); i++ {
		w := c.words[i]
		if w.is("--") || w.fixed && (len(w.text) < 2 || w.text[0] != '-') && given {
			continue
		}
		if !w.fixed || w.text[0] != '-' {
			if !given {
				c.programWord(i, w, runs)
			}
			given = true
			continue
		}
		short := w.text
		if n := strings.IndexAny(short, options.values+options.script+"i"); n > 0 && short[n] == 'i' && !strings.Contains(options.values, "i") { // of sed: the rest is a suffix
			short = short[:n+1]
		}
		o := options.option(short)
		if strings.HasPrefix(w.text, "--") {
			o = textOption(w.text)
		}
		value := word{text: o.value, fixed: true}
		if o.next {
			if i++; i >= len(c.words) {
				return
			}
			value = c.words[i]
		}
		switch {
		case o.script:
			c.programWord(i, value, runs)
			given = true
		case o.letter == 'f': // a program from a file, which is like any other
			given = true
		}
	}
}

// textOption is a long option of sed or awk.
func textOption(text string) option {
	name, value, inside := strings.Cut(text, "=")
	in := func(names ...string) bool { return slices.Contains(names, name) }
	switch {
	case in("--expression", "--source"):
		return option{value: value, next: !inside, script: true}
	case in("--file", "--exec"):
		return option{letter: 'f', next: !inside}
	case in("--field-separator", "--assign", "--include", "--load", "--line-length"):
		return option{next: !inside}
	}
	return option{}
}

func (c *command) programWord(at int, w word, runs func(string) bool) {
	switch {
	case !w.fixed:
		c.doubt(at, "the program of "+c.program()+" is only known when it runs")
	case runs(w.text):
		c.doubt(at, "the program of "+c.program()+" may run commands")
	}
}

// awkRuns reports whether a program of awk may run commands: it calls system,
// has a pipe, or calls what it is not told yet.
func awkRuns(program string) bool {
	bare := awkBare(program)
	for _, sign := range []string{"system", "getline", "|", "@"} {
		if strings.Contains(bare, sign) {
			return true
		}
	}
	return false
}

// awkBare is a program of awk without its strings, patterns, comments and the
// operator "||".
func awkBare(program string) string {
	var b strings.Builder
	last := byte('{') // what stood before, white space aside
	for i := 0; i < len(program); i++ {
		ch := program[i]
		switch {
		case ch == '"' || ch == '/' && strings.IndexByte("{}(,;!~&|\n", last) >= 0:
			if end := closing(program, i); end > i {
				i, last = end, ch
				continue
			}
		case ch == '#':
			for i+1 < len(program) && program[i+1] != '\n' {
				i++
			}
			continue
		case strings.HasPrefix(program[i:], "||"):
			i, last = i+1, '|'
			continue
		}
		if b.WriteByte(ch); ch != ' ' && ch != '\t' {
			last = ch
		}
	}
	return b.String()
}

// closing is the place of the next character like that at i, on its line and
// with no backslash before it; i if there is none.
func closing(s string, i int) int {
	for j := i + 1; j < len(s) && s[j] != '\n'; j++ {
		switch s[j] {
		case '\\':
			j++
		case s[i]:
			return j
		}
	}
	return i
}

// sedRuns reports whether a script of sed may run commands or write files: all
// may that are not made of commands known to do neither.
func sedRuns(script string) bool {
	s := script
	for s != "" {
		s = strings.TrimLeft(s, " \t\n;{}")
		if s == "" || s[0] == '#' {
			_, s, _ = strings.Cut(s, "\n")
			continue
		}
		var ok bool
		if s, ok = sedAddresses(s); !ok || s == "" {
			return true
		}
		if s, ok = sedCommand(s); !ok {
			return true
		}
	}
	return false
}

// sedAddresses skips the lines a command is about.
func sedAddresses(s string) (rest string, ok bool) {
	for s != "" {
		switch {
		case strings.IndexByte("0123456789$,~+! \t", s[0]) >= 0:
			s = s[1:]
		case s[0] == '/':
			end := closing(s, 0)
			if end == 0 {
				return "", false
			}
			s = strings.TrimLeft(s[end+1:], "IM")
		default:
			return s, true
		}
	}
	return "", true
}

// sedCommand skips one command that runs and writes nothing.
func sedCommand(s string) (rest string, ok bool) {
	switch {
	case s[0] == '{' || strings.IndexByte("pdDPgGhHxnN=lqQz", s[0]) >= 0:
		rest = strings.TrimLeft(s[1:], "0123456789 \t")
	case strings.IndexByte("btT:aic", s[0]) >= 0:
		_, rest, _ = strings.Cut(s, "\n")
		return rest, !strings.ContainsAny(s[:1], "aic") || !strings.Contains(s, "\\\n")
	case (s[0] == 's' || s[0] == 'y') && len(s) > 1 && s[1] != '\\' && s[1] != '\n':
		middle := closing(s, 1)
		end := closing(s, middle)
		if middle == 1 || end == middle {
			return "", false
		}
		rest = strings.TrimLeft(s[end+1:], "gpiIMm0123456789 \t")
	default:
		return "", false
	}
	return rest, s[0] == '{' || rest == "" || strings.IndexByte(";}\n#", rest[0]) >= 0
}
