package secret

import (
	"bytes"
	"encoding/json"
)

// MaskJSON masks the strings of a JSON document, keys included, and leaves a
// JSON document: values are found however they are escaped, and replaced
// inside their string only. Numbers stay. Doc is not changed, and returned
// itself if no string holds a value. What is no JSON is masked as text.
func (m *Masker) MaskJSON(doc []byte) []byte {
	if m.empty() {
		return doc
	}
	if !json.Valid(doc) {
		return m.Mask(doc)
	}
	var out []byte
	done, at := 0, 0
	for {
		open := bytes.IndexByte(doc[at:], '"')
		if open < 0 {
			break
		}
		open += at
		at = closing(doc, open)
		if masked, changed := m.literal(doc[open:at]); changed {
			out = append(append(out, doc[done:open]...), masked...)
			done = at
		}
	}
	if done == 0 {
		return doc
	}
	return append(out, doc[done:]...)
}

// closing returns the index after the string of valid JSON that opens at open.
func closing(doc []byte, open int) int {
	for at := open + 1; ; at++ {
		at += bytes.IndexByte(doc[at:], '"')
		slashes := 0
		for doc[at-1-slashes] == '\\' { // ends at the opening quote
			slashes++
		}
		if slashes%2 == 0 {
			return at + 1
		}
	}
}

// literal masks one string, quotes included.
func (m *Masker) literal(raw []byte) (masked []byte, changed bool) {
	if bytes.IndexByte(raw, '\\') < 0 {
		inner := raw[1 : len(raw)-1]
		if _, _, found := m.find(inner, 0); !found {
			return raw, false
		}
		return append(append([]byte{'"'}, m.Mask(inner)...), '"'), true
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		masked = m.Mask(raw)
		return masked, len(masked) != len(raw) || !bytes.Equal(masked, raw)
	}
	clean := m.MaskString(text)
	if clean == text {
		return raw, false
	}
	return []byte(`"` + escape(clean, false) + `"`), true
}
