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
		return i >= 0 && i < fixed && p[i].literal()
	}
	return named, true
}

// catches reports whether an asking or denying pattern is about a command: its
// words, with others after them, and options between them. The directory of
// the program and the case of its name do not matter, nor do assignments
// before it; a "*" between words is any number of words.
func (p commandPattern) catches(c *command) match {
	m := p.within(c.words, 0)
	if len(c.assigns) > 0 {
		m = max(m, p.within(c.full(), len(c.assigns)))
	}
	return m
}

// within matches words from the first on; program is where the program stands.
// It goes through the pattern with the set of all places it can have come to:
// at[j] says how surely the words before j are what the pattern has said so far.
func (p commandPattern) within(words []word, program int) match {
	if len(p) == 0 || len(words) == 0 || p[0].meets(words[0], program == 0) == no && !words[0].many {
		return no
	}
	at := make([]match, len(words)+1)
	next := make([]match, len(words)+1)
	at[0] = yes
	result := no
	for i, pw := range p {
		skip(words, at, pw.any() && i > 0, program)
		if pw.any() && i > 0 {
			continue
		}
		clear(next)
		for j, m := range at[:len(words)] {
			switch {
			case m == no:
			case words[j].many:
				result = perhaps // whatever follows may come from it
			default:
				next[j+1] = min(m, pw.meets(words[j], j == program))
			}
		}
		at, next = next, at
	}
	return max(result, slices.Max(at))
}

// skip adds the places that options lead to, or, with any, all that follow.
func skip(words []word, at []match, any bool, program int) {
	for j, m := range at[:len(words)] {
		if m = max(m, at[j]); m == no || j <= program && !any {
			continue
		}
		switch {
		case any:
			at[j+1] = max(at[j+1], m)
		case words[j].many:
			at[j+1] = max(at[j+1], perhaps)
		case strings.HasPrefix(words[j].text, "-"):
			at[j+1] = max(at[j+1], m)
			if j+2 < len(at) { // it may have a value
				at[j+2] = max(at[j+2], m)
			}
		}
	}
}

// meets compares one word of a pattern with one of a command.
func (w patternWord) meets(o word, program bool) match {
	if !o.fixed {
		return perhaps
	}
	return w.about(o.text, program)
}

// about is meets where the word is known.
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
