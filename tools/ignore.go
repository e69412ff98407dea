package tools

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const maxIgnoreFile = 1 << 20

// ignoreRule is one line of a .gitignore file (gitignore(5)).
type ignoreRule struct {
	dir     string // where the file lies, "." for the workspace
	glob    string // matched against the path relative to dir
	negated bool
	dirOnly bool
}

// parseIgnore reads the rules of an ignore file that lies in dir.
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
	anchored := strings.Contains(line, "/")
	line = escapeBraces(strings.TrimPrefix(line, "/"))
	if !anchored {
		line = "**/" + line
	}
	// Git's a/** means what is in a; doublestar would take it for a as well.
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	r.glob = line
	return r, doublestar.ValidatePattern(line)
}

// trimTrailingSpaces keeps a trailing space that a backslash protects.
func trimTrailingSpaces(line string) string {
	trimmed := strings.TrimRight(line, " ")
	slashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if slashes%2 == 1 && len(trimmed) < len(line) {
		return line[:len(trimmed)+1]
	}
	return trimmed
}

// escapeBraces takes the meaning from {a,b}, which git's patterns do not have.
func escapeBraces(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; c {
		case '\\':
			b.WriteByte(c)
			if i++; i < len(glob) {
				b.WriteByte(glob[i])
			}
		case '{', '}':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (r ignoreRule) match(rel string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.dir != "." {
		rel = strings.TrimPrefix(rel, r.dir+"/")
	}
	return doublestar.MatchUnvalidated(r.glob, rel)
}

// ignored says whether the rules exclude an entry; the last that matches
// decides. That no parent directory is excluded is the caller's to know: below
// an excluded one nothing can be taken back in.
func ignored(rules []ignoreRule, rel string, isDir bool) bool {
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].match(rel, isDir) {
			return !rules[i].negated
		}
	}
	return false
}

// ignoreFile is the name of the files that hold a directory's rules.
const ignoreFile = ".gitignore"

// readRules reads the rules that the file of that name in dir holds for the
// directory at rel. A link is no ignore file, as for git.
func readRules(dir *os.Root, name, rel string) []ignoreRule {
	f, _, err := openFile(dir, name)
	if err != nil {
		return nil // mostly because there is none
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return parseIgnore(rel, data)
}
