package tools

import "strings"

// wildmatch reports whether text matches a pattern as git matches paths: "*"
// and "?" stay within one name, "**" between slashes spans directories, "[ ]"
// is a set, and a backslash takes the meaning from what follows. It goes by
// bytes, as git does, and a pattern that is malformed matches nothing.
func wildmatch(pattern, text string) bool { return wild(pattern, text) == wildYes }

// wildResult is what became of a try. What is not wildYes says how far up it is
// of no use to try again, which keeps patterns of many stars from taking for
// ever.
type wildResult int

const (
	wildNo      wildResult = iota
	wildYes                // it matches
	wildOver               // no more text: no star can help
	wildPastDir            // a slash is in the way: only ** can help
)

func wild(pattern, text string) wildResult {
	for p := 0; p < len(pattern); p++ {
		c := pattern[p]
		if c == '*' {
			return wildStar(pattern, p, text)
		}
		if text == "" {
			return wildOver
		}
		switch c {
		case '?':
			if text[0] == '/' {
				return wildNo
			}
		case '[':
			length, in := wildSet(pattern[p:], text[0])
			if length == 0 {
				return wildOver
			}
			if !in || text[0] == '/' {
				return wildNo
			}
			p += length - 1
		default:
			if c == '\\' {
				if p++; p == len(pattern) {
					return wildNo
				}
			}
			if pattern[p] != text[0] {
				return wildNo
			}
		}
		text = text[1:]
	}
	if text != "" {
		return wildNo
	}
	return wildYes
}

// wildStar goes on at the star at pattern[at].
func wildStar(pattern string, at int, text string) wildResult {
	rest := strings.TrimLeft(pattern[at:], "*")
	spans := len(pattern)-at-len(rest) > 1 && (at == 0 || pattern[at-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
	switch {
	case spans && strings.HasPrefix(rest, "/") && wild(rest[1:], text) == wildYes: // a/**/b is a/b too
		return wildYes
	case rest == "" && (spans || !strings.Contains(text, "/")):
		return wildYes
	case rest == "":
		return wildPastDir
	case !spans && rest[0] == '/': // nothing but the next slash can follow
		slash := strings.IndexByte(text, '/')
		if slash < 0 {
			return wildOver
		}
		return wild(rest[1:], text[slash+1:])
	}
	for ; text != ""; text = text[1:] {
		switch r := wild(rest, text); {
		case r == wildYes, r == wildOver, r == wildPastDir && !spans:
			return r
		case !spans && text[0] == '/':
			return wildPastDir
		}
	}
	return wildOver
}

// wildSet says how long the set at the beginning of the pattern is, 0 if it is
// malformed, and whether c is in it.
func wildSet(pattern string, c byte) (length int, in bool) {
	p := 1
	negated := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if negated {
		p++
	}
	before := byte(0) // the member before, which a "-" may make the begin of a range
	for first := true; ; first = false {
		switch {
		case p >= len(pattern):
			return 0, false
		case pattern[p] == ']' && !first:
			return p + 1, in != negated
		}
		low, next := before, p+1
		ranged := pattern[p] == '-' && before != 0 && next < len(pattern) && pattern[next] != ']'
		if ranged {
			p = next
		} else if strings.HasPrefix(pattern[p:], "[:") {
			name, named := className(pattern[p+2:])
			if named {
				class, known := wildClass(name, c)
				if !known {
					return 0, false
				}
				in, before = in || class, 0
				p += len("[:") + len(name) + len(":]")
				continue
			}
		}
		if pattern[p] == '\\' {
			if p++; p >= len(pattern) {
				return 0, false
			}
		}
		before = pattern[p]
		if !ranged {
			low = before
		}
		in = in || low <= c && c <= before
		if ranged {
			before = 0
		}
		p++
	}
}

// className is the name in the rest of a "[:name:]"; without the colon before
// the next bracket there is none, and the "[" is a member like others.
func className(rest string) (name string, named bool) {
	end := strings.IndexByte(rest, ']')
	if end < 1 || rest[end-1] != ':' {
		return "", false
	}
	return rest[:end-1], true
}

// wildClass says whether c is of the class of that name.
func wildClass(name string, c byte) (in, known bool) {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := '!' <= c && c <= '~'
	switch name {
	case "alpha":
		in = lower || upper
	case "alnum":
		in = lower || upper || digit
	case "blank":
		in = c == ' ' || c == '\t'
	case "cntrl":
		in = c < ' ' || c == 0x7f
	case "digit":
		in = digit
	case "graph":
		in = graph
	case "lower":
		in = lower
	case "print":
		in = graph || c == ' '
	case "punct":
		in = graph && !lower && !upper && !digit
	case "space":
		in = c == ' ' || '\t' <= c && c <= '\r'
	case "upper":
		in = upper
	case "xdigit":
		in = digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	default:
		return false, false
	}
	return in, true
}
