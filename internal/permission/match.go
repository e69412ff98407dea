package permission

import (
	"path"
	"slices"
	"strings"
)

// match says whether a rule is about something: surely not, perhaps, surely.
type match int

const (
	no match = iota
	perhaps
	yes
)

// allows reports whether an allowing pattern stands for the whole command, and
// then which of its words it names: not by a "*".
func (p commandPattern) allows(c *command) (named func(word int) bool, ok bool) {
	words := c.full()
	open := len(p) > 0 && p[len(p)-1].any()
	fixed := len(p)
	if open {
		fixed--
	}
	if len(words) < fixed || !open && len(words) != fixed {
		return nil, false
	}
	for i, w := range p[:fixed] {
		known := words[i].fixed && w.fits(words[i].text)
		if !known && (!w.any() || words[i].fixed || words[i].many) {
			return nil, false
		}
	}
	named = func(word int) bool {
		i := len(c.assigns) + word
		return i < fixed && p[i].literal()
	}
	return named, true
}

// catches reports whether an asking or denying pattern is about a command: its
// words, with others after them, and options between them. The directory of
// the program and the case of its name do not matter, nor do assignments
// before it; a "*" between words is any number of words.
func (p commandPattern) catches(c *command) match {
	return max(p.within(c.words, 0), p.within(c.full(), len(c.assigns)))
}

// within matches words from the first on; program is where the program stands.
// It goes through the pattern with the set of all places it can have come to.
func (p commandPattern) within(words []word, program int) match {
	at := map[int]match{0: yes}
	result := no
	for i, pw := range p {
		if len(at) == 0 {
			break
		}
		at = skip(words, at, pw.any(), program)
		if pw.any() && i > 0 {
			continue
		}
		next := map[int]match{}
		for j, m := range at {
			switch {
			case j >= len(words):
			case words[j].many:
				result = perhaps // whatever follows may come from it
			case !words[j].fixed:
				next[j+1] = max(next[j+1], perhaps)
			default:
				next[j+1] = max(next[j+1], min(m, pw.about(words[j].text, j == program)))
			}
		}
		for j, m := range next {
			if m == no {
				delete(next, j)
			}
		}
		at = next
	}
	for _, m := range at {
		result = max(result, m)
	}
	return result
}

// skip adds the places that options lead to, or any words at all.
func skip(words []word, at map[int]match, any bool, program int) map[int]match {
	out := map[int]match{}
	for j := 0; j <= len(words); j++ {
		m := max(at[j], out[j])
		if m == no {
			continue
		}
		out[j] = m
		if j == len(words) || j <= program && !any {
			continue
		}
		switch {
		case any:
			out[j+1] = max(out[j+1], m)
		case words[j].many:
			out[j+1] = max(out[j+1], perhaps)
		case strings.HasPrefix(words[j].text, "-"):
			out[j+1] = max(out[j+1], m)
			if j+2 <= len(words) {
				out[j+2] = max(out[j+2], m)
			}
		}
	}
	return out
}

// about compares one word of a pattern with one of a command.
func (w patternWord) about(text string, program bool) match {
	if w.fits(text) {
		return yes
	}
	if !program {
		return no
	}
	w, text = w.folded(), strings.ToLower(text)
	base := strings.TrimSuffix(path.Base(text), ".exe")
	switch {
	case w.fits(text) || w.fits(base):
		return yes
	case slices.Contains(w, '/') && w[lastSlash(w)+1:].fits(base):
		return perhaps // it may be found there
	}
	return no
}

func lastSlash(w patternWord) int {
	for i := len(w) - 1; i >= 0; i-- {
		if w[i] == '/' {
			return i
		}
	}
	return -1
}
