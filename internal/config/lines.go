package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Bounds of nesting. The TOML reader recurses over values and is quadratic in
// the parts of a key, so a file from a stranger is measured before it is read.
const (
	maxDepth = 16
	maxParts = 8
)

var errDeep = errors.New("is nested too deeply")

// locate finds the lines of the keys of a TOML text: "limits.maxSteps",
// "modes[1].id", tables included, and of the texts in a list, as
// "permissions.deny[0]". Keys inside inline tables and arrays are not listed;
// their parent is. The text need not be valid. The error names the
// line where it is nested beyond the bounds.
func locate(source string) (map[string]int, error) {
	s := &scanner{rest: strings.TrimPrefix(source, "\ufeff"), line: 1, lines: map[string]int{}, items: map[string]int{}}
	for s.blank(); s.rest != ""; s.blank() {
		if s.rest[0] == '[' {
			s.header()
		} else {
			s.pair()
		}
		if s.err != nil {
			return s.lines, fmt.Errorf("line %d %w", s.line, s.err)
		}
	}
	return s.lines, nil
}

type scanner struct {
	rest  string
	line  int
	table string         // path of the table the keys belong to
	items map[string]int // tables so far of each array of tables
	lines map[string]int
	err   error
}

// take consumes n bytes.
func (s *scanner) take(n int) string {
	taken := s.rest[:n]
	s.line += strings.Count(taken, "\n")
	s.rest = s.rest[n:]
	return taken
}

// blank consumes white space, empty lines and comments.
func (s *scanner) blank() {
	for s.rest != "" {
		switch s.rest[0] {
		case ' ', '\t', '\r', '\n':
			s.take(1)
		case '#':
			s.take(s.until("\n"))
		default:
			return
		}
	}
}

// until is how far it is to the next of the bytes in set, or to the end.
func (s *scanner) until(set string) int {
	if i := strings.IndexAny(s.rest, set); i >= 0 {
		return i
	}
	return len(s.rest)
}

// header reads [table] or [[array of tables]].
func (s *scanner) header() {
	array := strings.HasPrefix(s.rest, "[[")
	s.take(1)
	if array {
		s.take(1)
	}
	line := s.line
	parts := s.key(']')
	path := ""
	for i, part := range parts {
		path = join(path, part)
		if i == len(parts)-1 && array {
			s.items[path]++
		}
		s.note(path, line)
		if n := s.items[path]; n > 0 {
			path = fmt.Sprintf("%s[%d]", path, n-1)
			s.note(path, line)
		}
	}
	s.table = path
	s.take(s.until("\n"))
}

// pair reads key = value.
func (s *scanner) pair() {
	line := s.line
	path := s.table
	for _, part := range s.key('=') {
		path = join(path, part)
		s.note(path, line)
	}
	s.value(path)
}

func (s *scanner) note(path string, line int) {
	if _, ok := s.lines[path]; !ok {
		s.lines[path] = line
	}
}

// key reads the parts of a dotted key and its end, which it consumes. It stops
// before a line break, which no key can hold.
func (s *scanner) key(end byte) []string {
	var parts []string
	for s.rest != "" && s.rest[0] != '\n' {
		switch c := s.rest[0]; c {
		case end:
			s.take(1)
			return parts
		case ' ', '\t', '\r', '.':
			s.take(1)
		case '"', '\'':
			parts = append(parts, unquote(s.text()))
		default:
			n := s.until(" \t\r\n.\"'" + string(end))
			parts = append(parts, s.take(n))
		}
		if len(parts) > maxParts {
			s.err = errDeep
			return nil
		}
	}
	return parts
}

func unquote(token string) string {
	if v, err := strconv.Unquote(token); err == nil && token[0] == '"' {
		return v
	}
	return strings.Trim(token, token[:1])
}

// text consumes a string of one of the four kinds.
func (s *scanner) text() string {
	quote := s.rest[:1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s.rest, long) {
		return s.take(3) + s.take(s.closing(long))
	}
	return s.take(1) + s.take(s.closing(quote))
}

// closing is how far it is to the end of a string, with its closing quotes. A
// short string that is not closed ends with its line.
func (s *scanner) closing(quote string) int {
	for i := 0; i < len(s.rest); i++ {
		switch {
		case s.rest[i] == '\\' && quote[0] == '"':
			i++
		case s.rest[i] == '\n' && len(quote) == 1:
			return i
		case strings.HasPrefix(s.rest[i:], quote):
			return i + len(quote)
		}
	}
	return len(s.rest)
}

// value consumes a value: up to the end of the line outside of brackets. The
// texts of a list are noted as items of path.
func (s *scanner) value(path string) {
	depth, dots, items := 0, 0, 0
	listed := strings.HasPrefix(strings.TrimLeft(s.rest, " \t"), "[")
	for s.rest != "" && s.err == nil {
		switch c := s.rest[0]; c {
		case '"', '\'':
			if listed && depth == 1 {
				s.note(fmt.Sprintf("%s[%d]", path, items), s.line)
				items++
			}
			s.text()
			continue
		case '#':
			s.take(s.until("\n"))
			continue
		case '[', '{':
			depth++
			dots = 0
		case ']', '}':
			depth--
		case ',', '=':
			dots = 0
		case '.':
			dots++
		case '\n':
			if depth <= 0 {
				return
			}
			dots = 0
		}
		if depth > maxDepth || dots > maxParts {
			s.err = errDeep
			return
		}
		s.take(1)
	}
}

// join is the path of name in the table prefix. A name that is no bare key is
// quoted, so that no name can pass for a path.
func join(prefix, name string) string {
	if strings.Trim(name, bareKey) != "" || name == "" {
		name = strconv.Quote(name)
	}
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

const bareKey = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
