package tools

import (
	"bytes"
	"strings"
)

// ignoreFile is the name of the files that hold a directory's rules.
const ignoreFile = ".gitignore"

// ignoreRule is one line of a file of ignore rules (gitignore(5)).
type ignoreRule struct {
	dir     string // where the file lies in the repository, "" for its top, else with a slash at the end
	plain   string // the beginning of the pattern up to its first special character
	rest    string // and what follows
	name    bool   // it is matched against the name alone, at any depth
	suffix  bool   // it is a star and plain characters: rest without the star is how a name ends
	negated bool
	dirOnly bool
}

// parseIgnore reads the rules of a file that lies in dir.
func parseIgnore(dir string, data []byte) []ignoreRule {
	var rules []ignoreRule
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if r, ok := parseIgnoreLine(dir, line); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnoreLine(dir, line string) (ignoreRule, bool) {
	r := ignoreRule{dir: dir}
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line = trimTrailingSpaces(line)
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return r, false
	}
	r.name = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	special := strings.IndexAny(line, `*?[\`)
	if special < 0 {
		special = len(line)
	}
	r.plain, r.rest = line[:special], line[special:]
	r.suffix = r.name && r.plain == "" && strings.HasPrefix(r.rest, "*") && !strings.ContainsAny(r.rest[1:], `*?[\`)
	return r, true
}

// trimTrailingSpaces keeps a trailing space that a backslash protects.
func trimTrailingSpaces(line string) string {
	end := 0 // of what is kept
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if line[i] == ' ' {
			continue
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// match matches the path of an entry, seen from the top of the repository.
func (r *ignoreRule) match(path, name string, isDir bool) bool {
	switch {
	case r.dirOnly && !isDir:
		return false
	case r.suffix:
		return strings.HasSuffix(name, r.rest[1:])
	case r.name:
		path = name
	default:
		path = path[len(r.dir):]
	}
	if !strings.HasPrefix(path, r.plain) {
		return false
	}
	// Git, too, matches what follows the plain part as a pattern of its own.
	path = path[len(r.plain):]
	if r.rest == "" {
		return path == ""
	}
	return wildmatch(r.rest, path)
}

// ignored says whether the rules exclude an entry; the last that matches
// decides. That no parent directory is excluded is the caller's to know: below
// an excluded one nothing can be taken back in. All rules must be of
// directories that the entry lies in.
func ignored(rules []ignoreRule, path string, isDir bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].match(path, name, isDir) {
			return !rules[i].negated
		}
	}
	return false
}
