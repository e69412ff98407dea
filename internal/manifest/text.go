package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Text returns the entries, a line each. Equal texts are equal trees.
func (m *Manifest) Text() []byte {
	if m.text == nil {
		m.text = make([]byte, 0, 100*len(m.Entries))
		for _, e := range m.Entries {
			m.text = e.append(m.text)
		}
	}
	return m.text
}

// Digest names a tree by its text.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (e Entry) append(b []byte) []byte {
	b = append(strconv.AppendUint(b, uint64(e.Mode), 8), ' ')
	b = append(strconv.AppendInt(b, e.Size, 10), ' ')
	b = append(strconv.AppendInt(b, e.MTime, 10), ' ')
	b = append(strconv.AppendInt(b, e.CTime, 10), ' ')
	b = append(strconv.AppendUint(b, e.Inode, 10), ' ')
	if e.Sum == "" {
		b = append(b, '-')
	}
	b = append(append(b, e.Sum...), ' ')
	return append(appendPath(b, e.Path), '\n')
}

// appendPath quotes a path that would break the line, or could be taken for a
// quoted one.
func appendPath(b []byte, path string) []byte {
	for _, c := range []byte(path) {
		if c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return strconv.AppendQuote(b, path)
		}
	}
	return append(b, path...)
}

// delta returns the lines that make m of base.
func (m *Manifest) delta(base *Manifest) (text []byte, lines int) {
	each(base.Entries, m.Entries, func(was, is *Entry) {
		switch {
		case is == nil:
			text = append(appendPath(append(text, "- "...), was.Path), '\n')
		case was != nil && *was == *is:
			return
		default:
			text = is.append(text)
		}
		lines++
	})
	return text, lines
}

// apply returns a manifest with the lines of a body taken in.
func (m *Manifest) apply(body string) (*Manifest, error) {
	lines := []Entry{}
	gone := map[string]bool{}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		e, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("read manifest: line %q: %w", line, err)
		}
		if strings.HasPrefix(line, "- ") {
			gone[e.Path] = true
		}
		lines = append(lines, e)
	}
	out := &Manifest{}
	each(m.Entries, lines, func(was, is *Entry) {
		switch {
		case is == nil:
			out.Entries = append(out.Entries, *was)
		case !gone[is.Path]:
			out.Entries = append(out.Entries, *is)
		}
	})
	return out, nil
}

func parse(line string) (e Entry, err error) {
	if path, removed := strings.CutPrefix(line, "- "); removed {
		e.Path, err = unquoted(path)
		return e, err
	}
	f := strings.SplitN(line, " ", 7)
	if len(f) < 7 {
		return e, errFormat
	}
	mode, err := strconv.ParseUint(f[0], 8, 32)
	number := func(s string) int64 {
		n, fault := strconv.ParseInt(s, 10, 64)
		err = errors.Join(err, fault)
		return n
	}
	e = Entry{Mode: fs.FileMode(mode), Size: number(f[1]), MTime: number(f[2]), CTime: number(f[3]), Sum: strings.TrimPrefix(f[5], "-")}
	inode, fault := strconv.ParseUint(f[4], 10, 64)
	e.Inode = inode
	path, bad := unquoted(f[6])
	e.Path = path
	return e, errors.Join(err, fault, bad)
}

func unquoted(path string) (string, error) {
	if !strings.HasPrefix(path, `"`) {
		return path, nil
	}
	return strconv.Unquote(path)
}
