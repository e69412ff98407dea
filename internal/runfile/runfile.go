// Package runfile writes and reads runs that travel between stores.
//
// A file is JSON lines: a header, a line for each record of the journal, a line
// for each piece of content kept for the run (plans, files before they were
// changed), and an end with the digest of all bytes before it. Readers refuse
// other versions, lines they do not know, and whatever is not what its digest
// or the header says.
package runfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Format and Version mark the files of this package.
const (
	Format  = "agent-run"
	Version = 1
)

// Bounds of what is read.
const (
	maxLine    = 64 << 20
	maxFile    = 1 << 30
	maxRecords = 1_000_000
	maxBlobs   = 100_000
)

// Run is a run as it travels. Redacted says that its texts were taken out:
// it can be looked at and not go on.
type Run struct {
	ID         string
	ExportedAt time.Time
	Redacted   bool
	Events     []agent.Event
	Blobs      [][]byte
	Digest     string // of the file; set by Read
}

type header struct {
	Format     string    `json:"format"`
	Version    int       `json:"version"`
	RunID      string    `json:"runId"`
	ExportedAt time.Time `json:"exportedAt"`
	Redacted   bool      `json:"redacted"`
	Records    int       `json:"records"`
	Blobs      int       `json:"blobs"`
}

// line is one line behind the header; one of its fields is set.
type line struct {
	Record *agent.Event `json:"record,omitempty"`
	Blob   *blob        `json:"blob,omitempty"`
	End    *end         `json:"end,omitempty"`
}

type blob struct {
	Digest string `json:"digest"`
	Size   int    `json:"size"`
	Data   []byte `json:"data"`
}

type end struct {
	Digest string `json:"digest"`
}

// Begins reports whether data is, or begins, a file of this package.
func Begins(data []byte) bool { return bytes.HasPrefix(data, []byte(`{"format":"`+Format+`",`)) }

// Write writes a run, or refuses one that Read would not take.
func Write(w io.Writer, r Run) error {
	if len(r.Events) > maxRecords || len(r.Blobs) > maxBlobs {
		return fmt.Errorf("write run %s: %d records and %d blobs, at most %d and %d can be read again", r.ID, len(r.Events), len(r.Blobs), maxRecords, maxBlobs)
	}
	out := &writer{w: bufio.NewWriter(w), sum: sha256.New()}
	out.put(header{Format, Version, r.ID, r.ExportedAt, r.Redacted, len(r.Events), len(r.Blobs)})
	for i := range r.Events {
		out.put(line{Record: &r.Events[i]})
	}
	for _, data := range r.Blobs {
		out.put(line{Blob: &blob{Digest: agent.Digest(data), Size: len(data), Data: data}})
	}
	out.put(line{End: &end{digestOf(out.sum)}})
	if out.err == nil {
		out.err = out.w.Flush()
	}
	if out.err != nil {
		return fmt.Errorf("write run %s: %w", r.ID, out.err)
	}
	return nil
}

func digestOf(sum hash.Hash) string { return "sha256:" + hex.EncodeToString(sum.Sum(nil)) }

// writer writes lines and keeps the first fault.
type writer struct {
	w    *bufio.Writer
	sum  hash.Hash
	size int64
	err  error
}

func (w *writer) put(v any) {
	if w.err != nil {
		return
	}
	data, err := text.JSON(v)
	w.size += int64(len(data))
	switch {
	case err != nil:
		w.err = err
	case len(data) > maxLine || w.size > maxFile:
		w.err = fmt.Errorf("a line of %d bytes in %d bytes, at most %d and %d can be read again", len(data), w.size, maxLine, maxFile)
	default:
		_, _ = w.sum.Write(data) // a hash takes everything
		_, w.err = w.w.Write(data)
	}
}

// Read reads a run. The error names the line. What it returns is whole and as
// it was written; whether its records make a journal is for agent.Adopt to say.
func Read(r io.Reader) (Run, error) {
	in := &reader{lines: bufio.NewScanner(io.LimitReader(r, maxFile+1)), sum: sha256.New(), blobs: map[string]bool{}}
	in.lines.Buffer(nil, maxLine)
	if err := in.header(); err != nil {
		return Run{}, err
	}
	for {
		done, err := in.line()
		if err != nil {
			return Run{}, err
		}
		if done {
			return in.run, nil
		}
	}
}

// reader reads lines.
type reader struct {
	lines *bufio.Scanner
	sum   hash.Hash
	n     int // of the line read last
	size  int64
	head  header
	run   Run
	blobs map[string]bool
}

func (r *reader) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{r.n}, args...)...)
}

// next reads a line into v.
func (r *reader) next(v any) ([]byte, error) {
	r.n++
	if !r.lines.Scan() {
		if err := r.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			return nil, r.errorf("longer than %d MiB", maxLine>>20)
		} else if err != nil {
			return nil, r.errorf("%w", err)
		}
		return nil, r.errorf("the file ends early")
	}
	raw := r.lines.Bytes()
	if r.size += int64(len(raw)) + 1; r.size > maxFile {
		return nil, r.errorf("the file is larger than %d MiB", maxFile>>20)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return nil, r.errorf("%w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, r.errorf("more than one object")
	}
	return raw, nil
}

func (r *reader) take(raw []byte) {
	_, _ = r.sum.Write(raw)
	_, _ = r.sum.Write([]byte{'\n'})
}

func (r *reader) header() error {
	var mark struct {
		Format  string
		Version int
	}
	var raw json.RawMessage
	line, err := r.next(&raw)
	if cause := r.lines.Err(); cause != nil && !errors.Is(cause, bufio.ErrTooLong) {
		return err
	}
	if err != nil || json.Unmarshal(raw, &mark) != nil || mark.Format != Format {
		return fmt.Errorf("not the export of a run: it does not begin with {%q:%q,…}", "format", Format)
	}
	if mark.Version != Version {
		return r.errorf("it has version %d, this program knows version %d", mark.Version, Version)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r.head); err != nil {
		return r.errorf("%w", err)
	}
	h := r.head
	if h.Records < 1 || h.Records > maxRecords || h.Blobs < 0 || h.Blobs > maxBlobs {
		return r.errorf("%d records and %d blobs are not what a run has", h.Records, h.Blobs)
	}
	r.run = Run{ID: h.RunID, ExportedAt: h.ExportedAt, Redacted: h.Redacted}
	r.take(line)
	return nil
}

func (r *reader) line() (done bool, err error) {
	var l line
	raw, err := r.next(&l)
	if err != nil {
		return false, err
	}
	switch {
	case l.Record != nil && l.Blob == nil && l.End == nil:
		err = r.record(*l.Record)
	case l.Blob != nil && l.Record == nil && l.End == nil:
		err = r.blob(*l.Blob)
	case l.End != nil && l.Record == nil && l.Blob == nil:
		return true, r.end(*l.End)
	default:
		err = r.errorf("neither a record nor a blob nor the end")
	}
	r.take(raw)
	return false, err
}

func (r *reader) record(e agent.Event) error {
	want := len(r.run.Events) + 1
	switch {
	case len(r.run.Blobs) > 0:
		return r.errorf("a record behind a blob")
	case want > r.head.Records:
		return r.errorf("more records than the header says")
	case e.Seq != int64(want):
		return r.errorf("record %d where %d is expected", e.Seq, want)
	case e.RunID != r.head.RunID:
		return r.errorf("a record of another run, %q", e.RunID)
	case !json.Valid(e.Payload) || len(e.Payload) == 0 || e.Payload[0] != '{':
		return r.errorf("the payload of record %d is no object", e.Seq)
	}
	e.From = agent.From
	r.run.Events = append(r.run.Events, e)
	return nil
}

func (r *reader) blob(b blob) error {
	switch {
	case len(r.run.Blobs) >= r.head.Blobs:
		return r.errorf("more blobs than the header says")
	case len(b.Data) != b.Size:
		return r.errorf("blob %s has %d bytes, not %d", b.Digest, len(b.Data), b.Size)
	case agent.Digest(b.Data) != b.Digest:
		return r.errorf("blob %s holds something else: its digest is %s", b.Digest, agent.Digest(b.Data))
	case r.blobs[b.Digest]:
		return r.errorf("blob %s a second time", b.Digest)
	}
	r.blobs[b.Digest] = true
	r.run.Blobs = append(r.run.Blobs, b.Data)
	return nil
}

func (r *reader) end(e end) error {
	switch {
	case len(r.run.Events) != r.head.Records || len(r.run.Blobs) != r.head.Blobs:
		return r.errorf("%d records and %d blobs, the header says %d and %d", len(r.run.Events), len(r.run.Blobs), r.head.Records, r.head.Blobs)
	case e.Digest != digestOf(r.sum):
		return r.errorf("the file was changed: its digest is %s, not %s", digestOf(r.sum), e.Digest)
	case r.lines.Scan():
		r.n++
		return r.errorf("something behind the end")
	}
	r.run.Digest = e.Digest
	return nil
}
