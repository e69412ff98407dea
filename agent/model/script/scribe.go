package script

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// scribe writes values as YAML: mappings and lists in block style, long text
// as blocks, everything else in JSON's double quotes.
type scribe struct {
	textArgs bool // arguments are one text
	plain    bool // nothing but quotes
}

// args writes arguments after "args:".
func (s scribe) args(args json.RawMessage, indent string) string {
	if s.textArgs || !bytes.HasPrefix(args, []byte("{")) {
		return " " + string(quote(argsText(args)))
	}
	return s.value(args, indent)
}

// value writes JSON after a colon or a dash: on the same line, or indented on
// the next ones.
func (s scribe) value(raw json.RawMessage, indent string) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	first, err := dec.Token()
	if err != nil {
		return " " + string(raw)
	}
	switch first := first.(type) {
	case string:
		return " " + s.text(first, indent)
	case json.Delim:
		if !dec.More() {
			return " " + first.String() + map[json.Delim]string{'{': "}", '[': "]"}[first]
		}
		if first == '{' {
			return s.mapping(dec, indent)
		}
		return s.list(dec, indent)
	}
	return " " + string(raw)
}

func (s scribe) mapping(dec *json.Decoder, indent string) string {
	var b strings.Builder
	for dec.More() {
		key, _ := dec.Token() // it is valid JSON, or the turn is not taken
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		name, _ := key.(string)
		b.WriteString("\n" + indent + keyText(name) + ":" + s.value(value, indent+"  "))
	}
	return b.String()
}

func (s scribe) list(dec *json.Decoder, indent string) string {
	var b strings.Builder
	for dec.More() {
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		item := s.value(value, indent+"  ")
		if rest, block := strings.CutPrefix(item, "\n"+indent+"  "); block {
			item = " " + rest // it begins beside the dash
		}
		b.WriteString("\n" + indent + "-" + item)
	}
	return b.String()
}

func keyText(name string) string {
	if simpleKey(name) {
		return name
	}
	return string(quote(name))
}

// simpleKey reports whether YAML takes a key without quotes: a letter, then
// letters, digits, "_" and "-".
func simpleKey(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789_-", r)) {
			return false
		}
	}
	return name != ""
}

// text writes a string: as a block where it has lines a block can hold, else
// quoted.
func (s scribe) text(text, indent string) string {
	if s.plain || !blockHolds(text) {
		return string(quote(text))
	}
	head := "|-"
	if strings.HasSuffix(text, "\n") {
		head = "|"
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = indent + line
		}
	}
	return head + "\n" + strings.Join(lines, "\n")
}

// blockHolds reports whether a block says text as it is. Where lines end in
// space, or anything is not to be seen, quotes say more.
func blockHolds(text string) bool {
	body := strings.TrimSuffix(text, "\n")
	if !strings.Contains(body, "\n") || strings.HasSuffix(body, "\n") || strings.HasPrefix(body, "\n") {
		return false
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.TrimRightFunc(line, unicode.IsSpace) != line {
			return false
		}
	}
	for _, r := range body {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return false
		}
	}
	return !strings.ContainsAny(body[:1], " \t")
}
