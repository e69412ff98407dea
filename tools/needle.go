package tools

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode"
)

// A needle is text that can be looked for much faster than an expression
// matches. Of most expressions it is known that every match contains one of a
// few; then only the lines that do are matched.
type needle struct {
	text []byte // in lower case with fold
	fold bool   // ASCII letters match without case
	rare int    // with fold, the index of its rarest byte
}

const maxNeedles = 16

// needlesOf returns needles, one of which every match of a valid pattern
// contains; nil if there are none. Exact says that they are all there is to it:
// a line that contains one matches.
func needlesOf(pattern string) (needles []needle, exact bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil { // the caller compiled it
		return nil, false
	}
	return needlesIn(re)
}

func needlesIn(re *syntax.Regexp) (needles []needle, exact bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return literalNeedle(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus: // of "more than one" each is a match
		return needlesIn(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			needles, _ = needlesIn(re.Sub[0])
			return needles, false
		}
	case syntax.OpConcat: // any part will do: the best
		for _, sub := range re.Sub {
			if n, _ := needlesIn(sub); shortest(n) > shortest(needles) {
				needles = n
			}
		}
		return needles, false
	case syntax.OpAlternate: // all of them
		exact = true
		for _, sub := range re.Sub {
			n, whole := needlesIn(sub)
			if n == nil || len(needles)+len(n) > maxNeedles {
				return nil, false
			}
			needles, exact = append(needles, n...), exact && whole
		}
		return needles, exact
	}
	return nil, false
}

// shortest is the length of the shortest needle: what it is worth.
func shortest(needles []needle) int {
	length := 0
	for _, n := range needles {
		if length == 0 || len(n.text) < length {
			length = len(n.text)
		}
	}
	return length
}

// literalNeedle is the longest part of a literal that can be looked for byte by
// byte: without U+FFFD, which stands for any byte that is no UTF-8, and, where
// case does not matter, without letters that have forms beyond ASCII, such as k
// (K, the sign of Kelvin).
func literalNeedle(literal []rune, fold bool) (needles []needle, exact bool) {
	whole, longest := string(literal), ""
	for part := range strings.FieldsFuncSeq(whole, func(r rune) bool {
		return r == unicode.ReplacementChar || fold && !foldsInASCII(r)
	}) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	if longest == "" {
		return nil, false
	}
	n := needle{text: []byte(longest), fold: fold}
	if fold {
		n.text = bytes.ToLower(n.text)
		for i, c := range n.text {
			if commonness(c) < commonness(n.text[n.rare]) {
				n.rare = i
			}
		}
	}
	return []needle{n}, longest == whole && !strings.Contains(whole, "\n") && !strings.HasSuffix(whole, "\r")
}

// foldsInASCII reports whether all forms of r are ASCII, or r has one alone.
func foldsInASCII(r rune) bool {
	other := unicode.SimpleFold(r)
	return other == r || r < unicode.MaxASCII && other < unicode.MaxASCII && unicode.SimpleFold(other) == r
}

// commonness says roughly how common a byte is in source text.
func commonness(c byte) int {
	const rareToCommon = `~@^%QZXJKqzYVWGH&$!?UjBOMFDPLRNCATIESxkv0123456789;'"<>#+*{}[]=/-\|bwy_:,gpfm().uhdlcsonriate `
	if i := strings.IndexByte(rareToCommon, c); i >= 0 {
		return i + 1
	}
	return 0
}

// index is where the needle begins in data, negative if nowhere.
func (n *needle) index(data []byte) int {
	if !n.fold {
		return bytes.Index(data, n.text)
	}
	// A window at a time, so that looking for a form that is nowhere does not
	// go through the rest of the data each time the other is found.
	const window = 4 << 10
	c := n.text[n.rare]
	for at := n.rare; at < len(data); {
		part := data[at:min(at+window, len(data))]
		i := indexEither(part, c)
		if i < 0 {
			at += len(part)
			continue
		}
		start := at + i - n.rare
		if len(data)-start >= len(n.text) && equalASCIIFold(data[start:start+len(n.text)], n.text) {
			return start
		}
		at += i + 1
	}
	return -1
}

// indexEither looks for a lower-case byte, or its upper-case form.
func indexEither(data []byte, c byte) int {
	i := bytes.IndexByte(data, c)
	if 'a' <= c && c <= 'z' {
		if i >= 0 {
			data = data[:i]
		}
		if up := bytes.IndexByte(data, c-'a'+'A'); up >= 0 {
			return up
		}
	}
	return i
}

func equalASCIIFold(data, lower []byte) bool {
	for i, c := range data {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
