package terminal

import (
	"bytes"
	"unicode/utf8"
)

// key is one key pressed, or one character of a paste.
type key struct {
	code   keyCode
	char   rune // of keyChar
	pasted bool
}

type keyCode int

const (
	keyOther keyCode = iota // nothing a prompt knows
	keyChar
	keyEnter
	keyInterrupt // Ctrl-C
	keyEnd       // Ctrl-D: the end of input
	keyUp
	keyDown
	keyLeft
	keyRight
	keyFirst // Home
	keyLast  // End key
	keyBackspace
	keyDelete
	keyKillLine // Ctrl-U
	keyKillRest // Ctrl-K
	keyKillWord // Ctrl-W
	keyEditor   // Ctrl-G
	keyStop     // Ctrl-Z
)

// controls are the keys of single control characters.
func controls(b byte) keyCode {
	switch b {
	case '\r', '\n':
		return keyEnter
	case 0x03:
		return keyInterrupt
	case 0x04:
		return keyEnd
	case 0x01:
		return keyFirst
	case 0x05:
		return keyLast
	case 0x07:
		return keyEditor
	case 0x08, 0x7f:
		return keyBackspace
	case 0x0b:
		return keyKillRest
	case 0x15:
		return keyKillLine
	case 0x17:
		return keyKillWord
	case 0x1a:
		return keyStop
	}
	return keyOther
}

// sequences are the keys of what follows ESC.
func sequences(s string) keyCode {
	switch s {
	case "[A", "OA":
		return keyUp
	case "[B", "OB":
		return keyDown
	case "[C", "OC":
		return keyRight
	case "[D", "OD":
		return keyLeft
	case "[H", "OH", "[1~", "[7~":
		return keyFirst
	case "[F", "OF", "[4~", "[8~":
		return keyLast
	case "[3~":
		return keyDelete
	}
	return keyOther
}

// Marks of a bracketed paste.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// keys reads what the terminal sent. Marks of pastes are no keys, and whatever
// stands between them is pasted.
func (s *sitting) keys(data []byte) []key {
	data = append(s.rest, data...)
	s.rest = nil
	var keys []key
	for len(data) > 0 {
		k, size := nextKey(data)
		switch {
		case size == 0: // a character that was cut
			s.rest = bytes.Clone(data)
			return keys
		case bytes.HasPrefix(data, []byte(pasteBegins)):
			s.pasting = true
		case bytes.HasPrefix(data, []byte(pasteEnds)):
			s.pasting = false
		default:
			k.pasted = s.pasting
			keys = append(keys, k)
		}
		data = data[size:]
	}
	return keys
}

// nextKey returns the key data begins with and how many bytes it takes.
func nextKey(data []byte) (key, int) {
	switch b := data[0]; {
	case b == 0x1b:
		size := escapeSize(data)
		return key{code: sequences(string(data[1:size]))}, size
	case b == '\t':
		return key{code: keyChar, char: '\t'}, 1
	case b == '\r' && bytes.HasPrefix(data, []byte("\r\n")):
		return key{code: keyEnter}, 2
	case b < ' ' || b == 0x7f:
		return key{code: controls(b)}, 1
	case !utf8.FullRune(data):
		return key{}, 0
	}
	r, size := utf8.DecodeRune(data)
	if r == utf8.RuneError || r >= 0x80 && r < 0xa0 {
		return key{code: keyOther}, size
	}
	return key{code: keyChar, char: r}, size
}

// escapeSize is the length of the key that begins with the ESC data begins
// with: a control sequence, one letter after "O", or a character typed with
// Alt. What the terminal itself reports comes in the same forms.
func escapeSize(data []byte) int {
	if len(data) == 1 {
		return 1
	}
	switch data[1] {
	case '[':
		for i := 2; i < len(data); i++ {
			if data[i] >= 0x40 && data[i] <= 0x7e {
				return i + 1
			}
		}
		return len(data)
	case 'O':
		return min(3, len(data))
	case 0x1b, 0x03, 0x04:
		return 1
	}
	_, size := utf8.DecodeRune(data[1:])
	return 1 + size
}

// leaves reports whether keys ask to leave the prompt. In a paste these are
// characters like others, but alone they always count: no fault of a terminal
// may lock a person in.
func leaves(keys []key) bool {
	for _, k := range keys {
		if (k.code == keyInterrupt || k.code == keyEnd) && (!k.pasted || len(keys) == 1) {
			return true
		}
	}
	return false
}
