package manifest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Kept is a manifest as it is stored: compressed text of a line that names the
// format, a line "base DIGEST" where it is told as a difference to another one,
// and a line for each entry; one that is gone is "- PATH".
type Kept struct {
	*Manifest
	Data  []byte
	whole *Kept // what it is the difference to; nil: it is whole
}

const (
	header     = "manifest 1\n"
	baseHeader = "base "
)

// Keep returns m to be stored; previous is one that is stored already, or nil.
// Where nothing differs it is previous itself. A difference is always one to a
// whole manifest.
func (m *Manifest) Keep(previous *Kept) (*Kept, error) {
	if previous != nil && slices.Equal(m.Entries, previous.Entries) {
		return previous, nil
	}
	if base := previous.base(); base != nil {
		if delta, lines := m.delta(base.Manifest); lines < len(m.Entries)/2 {
			data, err := compressed(header, baseHeader+Digest(base.Data)+"\n", string(delta))
			return &Kept{m, data, base}, err
		}
	}
	data, err := compressed(header, string(m.Text()))
	return &Kept{m, data, nil}, err
}

func (k *Kept) base() *Kept {
	if k != nil && k.whole != nil {
		return k.whole
	}
	return k
}

func compressed(parts ...string) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if _, err := io.WriteString(z, p); err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return out.Bytes(), err
}

// maxText bounds what a stored manifest may grow to.
const maxText = 1 << 30

var errFormat = errors.New("is no manifest of this version")

// Read reads what Keep returned. load returns what is stored under a digest.
func Read(data []byte, load func(digest string) ([]byte, error)) (*Kept, error) {
	body, err := expanded(data)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	k := &Kept{Data: data}
	from := &Manifest{}
	if rest, isDelta := strings.CutPrefix(body, baseHeader); isDelta {
		var digest string
		digest, body, _ = strings.Cut(rest, "\n")
		stored, err := load(digest)
		if err != nil {
			return nil, fmt.Errorf("read manifest %s: %w", digest, err)
		}
		deeper := func(string) ([]byte, error) { return nil, errFormat }
		if k.whole, err = Read(stored, deeper); err != nil {
			return nil, err
		}
		from = k.whole.Manifest
	}
	k.Manifest, err = from.apply(body)
	return k, err
}

func expanded(data []byte) (string, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxText))
	if err != nil {
		return "", err
	}
	body, ok := strings.CutPrefix(string(raw), header)
	if !ok {
		return "", errFormat
	}
	return body, nil
}
