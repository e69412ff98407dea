package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// namedIn refuses a command that plainly names a closed path that exists, so
// that a slip is caught: "cat .env" is, "cat .e*" is not, and neither is a word
// in the text of a commit message. Dir is the workspace, home may be "".
func (d denied) namedIn(command, dir, home string) error {
	if home != "" {
		command = strings.NewReplacer("${HOME}", home, "$HOME", home).Replace(command)
	}
	for _, word := range shellWords(command) {
		p := word
		if rest, ok := strings.CutPrefix(word, "~/"); ok && home != "" {
			p = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		err := d.onTheWay(p, dir)
		if followed, broken := filepath.EvalSymlinks(p); err == nil && broken == nil {
			err = d.onTheWay(followed, dir)
		}
		if err != nil {
			return fmt.Errorf("the command names %s, which %w", word, err)
		}
	}
	return nil
}

// onTheWay refuses p if it, or a directory it lies in, is closed and exists.
// Above the workspace dir no name decides, only the place.
func (d denied) onTheWay(p, dir string) error {
	for ; p != dir && p != filepath.Dir(p); p = filepath.Dir(p) {
		rel, err := filepath.Rel(dir, p)
		if err != nil || strings.Trim(rel, "./\\") == "" {
			rel = "."
		}
		info, missing := os.Lstat(p)
		if missing != nil {
			continue
		}
		if err := d.refuses(p, filepath.ToSlash(rel), info); err != nil {
			return err
		}
	}
	return nil
}

// shellWords splits a command line as sh roughly does: at white space and
// operators, not inside quotes. A "=", ":" or "," ends a word too, since file
// names follow them in options.
func shellWords(command string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
		}
		word.Reset()
	}
	quote := rune(0)
	escaped := false
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == 0 && strings.ContainsRune(" \t\r\n;|&<>()`=:,{}", r):
			end()
		default:
			word.WriteRune(r)
		}
	}
	end()
	return words
}
