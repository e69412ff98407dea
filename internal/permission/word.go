package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word of a command, as far as it is known before it runs.
type word struct {
	text string // its value; where it is not fixed, its source
	// fixed says that the value is known: no variable, substitution or pattern
	// of file names has a part in it.
	fixed bool
	// many says that it may become several words, or none.
	many bool
	src  string // as it is written
}

// readWord finds out what is known of a word. src is the line it stands in.
func readWord(w *syntax.Word, src string) word {
	out := word{fixed: true, src: sourceOf(w, src)}
	var b strings.Builder
	for _, part := range w.Parts {
		out.add(&b, part)
	}
	out.text = b.String()
	if lit, ok := w.Parts[0].(*syntax.Lit); ok && strings.HasPrefix(lit.Value, "~") {
		out.fixed = false // somebody's home directory
	}
	if !out.fixed {
		out.text = out.src
	}
	return out
}

// sourceOf is the text of a node.
func sourceOf(n syntax.Node, src string) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(src) || from > to {
		return ""
	}
	return src[from:to]
}

func (w *word) add(b *strings.Builder, part syntax.WordPart) {
	switch x := part.(type) {
	case *syntax.Lit:
		value, special := bareText(x.Value)
		b.WriteString(value)
		braces := strings.Contains(special, "{") && (strings.Contains(w.src, ",") || strings.Contains(w.src, ".."))
		if strings.ContainsAny(special, "*?[") || braces {
			w.fixed, w.many = false, true
		}
	case *syntax.SglQuoted:
		b.WriteString(x.Value)
		if x.Dollar { // what its escapes mean depends on the shell
			w.fixed = false
		}
	case *syntax.DblQuoted:
		for _, inner := range x.Parts {
			lit, ok := inner.(*syntax.Lit)
			if !ok {
				w.fixed = false
				w.many = w.many || severalQuoted(inner)
				continue
			}
			b.WriteString(quotedText(lit.Value))
		}
		if x.Dollar {
			w.fixed = false
		}
	case *syntax.ProcSubst:
		w.fixed = false
	default:
		w.fixed, w.many = false, true
	}
}

// severalQuoted reports whether a part of a quoted word can be several words,
// as "$@" is.
func severalQuoted(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	return ok && (p.Index != nil || p.Names != 0 || p.Excl || p.Exp != nil || p.Param == nil || p.Param.Value == "@" || p.Param.Value == "*")
}

// bareText is unquoted text without its backslashes, and those of its
// characters that make a pattern of it.
func bareText(s string) (value, special string) {
	if s == "[" || s == "[[" { // the programs
		return s, ""
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		case strings.IndexByte("*?[{", s[i]) >= 0:
			special += s[i : i+1]
		}
		b.WriteByte(s[i])
	}
	return b.String(), special
}

// quotedText is text between double quotes without its backslashes.
func quotedText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// fixedWord is a word that says what it is.
func fixedWord(text string) word { return word{text: text, fixed: true, src: text} }

// unknownWord is a word nothing is known of but how it is written.
func unknownWord(src string, many bool) word { return word{text: src, many: many, src: src} }

// is reports whether the word is surely one of texts.
func (w word) is(texts ...string) bool {
	if !w.fixed {
		return false
	}
	for _, t := range texts {
		if w.text == t {
			return true
		}
	}
	return false
}
