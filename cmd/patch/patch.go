// Package patch compares what a file held before and after a run, in the form git
// takes.
package patch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/seed-3e5a1d81/agent/agent"
)

// File is what a run changed in one file, as the JSON of diff has it. Now and Mixed
// are for those who know the workspace and the journal.
type File struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // added, modified, deleted
	Before  string `json:"before"` // digests; "" for no file
	After   string `json:"after"`
	Mode    string `json:"mode"` // permission bits before, octal; "" for no file
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	// Omitted says why there is no patch: binary, large, lost; "" if there is one.
	Omitted string `json:"omitted"`
	Patch   string `json:"patch"` // what git apply takes; the bytes of the contents, not cleaned
	Now     string `json:"now"`   // the file in the workspace: same, changed, removed, unknown
	Mixed   bool   `json:"mixed"` // somebody else changed it too, between changes of the run
}

// Why a file has no patch.
const (
	omittedBinary = "binary"
	omittedLarge  = "large"
	omittedLost   = "lost" // a content was not kept: it holds a secret
)

// maxDiffed is the largest text compared line by line.
const maxDiffed = 4 << 20

// Contents is the part of a store that keeps what files held.
type Contents interface {
	Blob(ctx context.Context, digest string) ([]byte, error) // fs.ErrNotExist: not kept
}

// Of compares the stored contents of a change, without a look at the
// workspace. A content that was not kept is no error.
func Of(ctx context.Context, store Contents, c agent.FileChange) (File, error) {
	d := File{Path: c.Path, Status: "modified", Before: c.Before, After: c.After, Mode: c.Mode}
	switch {
	case c.Before == "":
		d.Status = "added"
	case c.After == "":
		d.Status = "deleted"
	}
	before, lost, err := contentOf(ctx, store, c.Before)
	if err != nil {
		return d, err
	}
	after, lostToo, err := contentOf(ctx, store, c.After)
	if err != nil {
		return d, err
	}
	if d.Omitted = whyOmitted(before, after, lost || lostToo); d.Omitted == "" {
		d.compare(string(before), string(after))
	}
	return d, nil
}

// contentOf reads a stored content; of no file it is nil.
func contentOf(ctx context.Context, store Contents, digest string) (data []byte, lost bool, err error) {
	if digest == "" {
		return nil, false, nil
	}
	data, err = store.Blob(ctx, digest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	return data, false, err
}

func whyOmitted(before, after []byte, lost bool) string {
	switch {
	case lost:
		return omittedLost
	case binary(before) || binary(after):
		return omittedBinary
	case max(len(before), len(after)) > maxDiffed:
		return omittedLarge
	}
	return ""
}

// binary is git's rule, and what is no UTF-8: a patch in JSON could not carry
// it.
func binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 || !utf8.Valid(data)
}

// compare makes the patch, in the form git apply takes.
func (d *File) compare(before, after string) {
	unified, err := udiff.ToUnifiedDiff(patchName("a/", d.Path), patchName("b/", d.Path), before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil { // cannot be: the edits are those of this text
		d.Omitted = omittedLost
		return
	}
	for _, h := range unified.Hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				d.Added++
			case udiff.Delete:
				d.Removed++
			}
		}
	}
	from, to, head := unified.From, unified.To, ""
	switch {
	case d.Before == "":
		unified.From, head = "/dev/null", "new file mode 100644\n"
	case d.After == "":
		unified.To, head = "/dev/null", "deleted file mode 10"+d.Mode+"\n"
	}
	d.Patch = fmt.Sprintf("diff --git %s %s\n%s%s", from, to, head, unified.String())
}

// patchName is a path as git writes it in patches.
func patchName(prefix, path string) string {
	name := prefix + path
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		return strconv.Quote(name)
	}
	return name
}

// Text is the patch, or in its place why there is none. It is not cleaned.
func (d File) Text() string {
	if d.Omitted == "" {
		return d.Patch
	}
	return fmt.Sprintf("diff --git %s %s\n%s\n", patchName("a/", d.Path), patchName("b/", d.Path), whyNoPatch(d.Omitted))
}

func whyNoPatch(omitted string) string {
	switch omitted {
	case omittedBinary:
		return "Binary files differ"
	case omittedLarge:
		return "Files differ; they are too large to compare line by line"
	}
	return "Files differ; a content was not kept, because it holds a secret"
}

// Stat is the row of the file in what git diff --stat shows: how many lines
// changed, and a bar of them, no longer than bar if widest lines fill it. Of a
// file without a patch it is why.
func (d File) Stat(widest, bar int) (count, plus, minus string) {
	if d.Omitted != "" {
		return d.Omitted, "", ""
	}
	plus, minus = strings.Repeat("+", d.Added), strings.Repeat("-", d.Removed)
	if most := bar; widest > most {
		plus, minus = scaled("+", d.Added, widest, most), scaled("-", d.Removed, widest, most)
	}
	return strconv.Itoa(d.Added + d.Removed), plus, minus
}

// scaled is a bar for n where widest fills the room; of anything something is
// seen.
func scaled(mark string, n, widest, room int) string {
	if n == 0 {
		return ""
	}
	return strings.Repeat(mark, max(1, n*room/widest))
}
