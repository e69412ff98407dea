package manifest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// A stored manifest is compressed text: a line that names the format, a line
// with the digest of the manifest it is the difference to, where it is one, and
// a line for each entry; one that is gone is "- PATH".
const header = "manifest 1\n"

// Text returns the entries, a line each. Equal texts are equal trees.
func (m *Manifest) Text() []byte {
	out := make([]byte, 0, 100*len(m.Entries))
	for _, e := range m.Entries {
		out = e.append(out)
	}
	return out
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

// Encode returns m to be stored. base is a manifest stored whole, under
// baseDigest, that m may be told as a difference to; nil if there is none.
func (m *Manifest) Encode(base *Manifest, baseDigest string) ([]byte, error) {
	body := []byte(header)
	if delta, lines := m.delta(base); base != nil && lines < len(m.Entries)/2 {
		body = append(body, "base "+baseDigest+"\n"...)
		body = append(body, delta...)
	} else {
		body = append(body, m.Text()...)
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(body); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

func (m *Manifest) delta(base *Manifest) (text []byte, lines int) {
	if base == nil {
		return nil, 0
	}
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

// maxText bounds what a stored manifest may grow to.
const maxText = 1 << 30

var errFormat = errors.New("is no manifest of this version")

// Decode reads a stored manifest. load returns what is stored under a digest;
// base is the digest of the one m is told as a difference to, "" if it is whole.
func Decode(data []byte, load func(digest string) ([]byte, error)) (m *Manifest, base string, err error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, "", fmt.Errorf("read manifest: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxText))
	if err != nil {
		return nil, "", fmt.Errorf("read manifest: %w", err)
	}
	body, ok := strings.CutPrefix(string(raw), header)
	if !ok {
		return nil, "", fmt.Errorf("read manifest: %w", errFormat)
	}
	from := &Manifest{}
	if rest, isDelta := strings.CutPrefix(body, "base "); isDelta {
		base, body, _ = strings.Cut(rest, "\n")
		if load == nil {
			return nil, base, fmt.Errorf("read manifest: %w: a difference to a difference", errFormat)
		}
		stored, err := load(base)
		if err != nil {
			return nil, base, fmt.Errorf("read manifest %s: %w", base, err)
		}
		if from, _, err = Decode(stored, nil); err != nil {
			return nil, base, err
		}
	}
	m, err = from.apply(body)
	return m, base, err
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
