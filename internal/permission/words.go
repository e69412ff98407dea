package permission

import (
	"errors"
	"strings"
	"unicode"
)

// commandPattern is a pattern of the words of one command; nil: none.
type commandPattern []patternWord

// patternWord is a word of a pattern: runes, and star for any run of them.
type patternWord []rune

// star stands for a "*" that was neither quoted nor escaped.
const star rune = -1

// any reports whether the word is "*" and nothing else.
func (w patternWord) any() bool { return len(w) == 1 && w[0] == star }

// literal reports whether the word stands for itself alone.
func (w patternWord) literal() bool {
	for _, r := range w {
		if r == star {
			return false
		}
	}
	return true
}

// everything reports whether the pattern is "*": every command line fits.
func (p commandPattern) everything() bool { return len(p) == 1 && p[0].any() }

var errOpenQuote = errors.New("a quote is not closed: put a backslash before one that is meant as a character")

// parseCommandPattern splits a pattern into words as a shell would: at white
// space, with quotes and backslashes. A "*" outside of them is any run of
// characters of a word; a last word "*" is any further words.
func parseCommandPattern(pattern string) (commandPattern, error) {
	var p commandPattern
	var word patternWord
	started := false
	quote := rune(0)
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			word, escaped = append(word, r), false
		case r == '\\' && quote != '\'':
			escaped, started = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, started = r, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			if started {
				p = append(p, word)
			}
			word, started = nil, false
		case quote == 0 && r == '*':
			word, started = append(word, star), true
		default:
			word, started = append(word, r), true
		}
	}
	switch {
	case quote != 0:
		return nil, errOpenQuote
	case escaped:
		return nil, errors.New("it ends with a backslash that escapes nothing: write two for one")
	case started:
		p = append(p, word)
	}
	return p, nil
}

// fits reports whether the word of a pattern matches text as a whole.
func (w patternWord) fits(text string) bool {
	t := []rune(text)
	i, j := 0, 0
	back, mark := -1, 0
	for j < len(t) {
		switch {
		case i < len(w) && w[i] == star:
			back, mark = i, j
			i++
		case i < len(w) && w[i] == t[j]:
			i, j = i+1, j+1
		case back >= 0:
			mark++
			i, j = back+1, mark
		default:
			return false
		}
	}
	for i < len(w) && w[i] == star {
		i++
	}
	return i == len(w)
}

// folded is the word in lower case.
func (w patternWord) folded() patternWord {
	out := make(patternWord, len(w))
	for i, r := range w {
		out[i] = unicode.ToLower(r) // star stays what it is
	}
	return out
}
