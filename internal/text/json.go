package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// JSON encodes v on one line that is safe to print: what a terminal would obey
// is escaped inside the strings, as is what GitHub Actions would. The line ends
// with a newline; "<" and "&" stay readable.
func JSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return []byte(escaped(buf.String())), nil
}

// escaped works on encoded JSON: the characters it looks for can only stand
// inside strings there.
func escaped(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "##[", `##\u005b`)
	if strings.IndexFunc(s, steering) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s {
		switch {
		case !steering(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// steering is obeyed without the white space JSON itself may hold.
func steering(r rune) bool { return r >= 0x7f && obeyed(r) }
