package tools

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed read_file.md
var readFileDescription string

const readFileSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"File to read, relative to the workspace."},` +
	`"offset":{"type":"integer","minimum":1,"description":"First line to show, counted from 1. Default 1."},` +
	`"limit":{"type":"integer","minimum":1,"description":"How many lines to show. Default 2000."}},` +
	`"required":["path"]}`

const (
	defaultLines = 2000
	maxLine      = 2000      // bytes shown of one line
	maxPage      = 128 << 10 // bytes shown by one call
	binaryProbe  = 8000      // bytes in which a NUL means binary, as git does it
)

type readFile struct{ closed Closed }

// ReadFile returns the tool read_file. What is closed it never reads. Whatever lines are shown, the digest of the whole file is in
// Result.Files; of files over 16 MiB lines are shown without it, so that they
// cannot be edited.
func ReadFile(closed Closed) agent.Tool { return readFile{closed: closed} }

// Definition implements agent.Tool.
func (readFile) Definition() agent.Definition {
	return agent.Definition{
		Name: "read_file", Description: readFileDescription, InputSchema: json.RawMessage(readFileSchema),
		Effect: agent.EffectReadOnly, Category: agent.CategoryRead,
	}
}

// Call implements agent.Tool.
func (t readFile) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	r, err := t.read(ctx, call)
	return settle(ctx, "read_file", r, err)
}

func (t readFile) read(ctx context.Context, call agent.Call) (agent.Result, error) {
	a, err := decodeArgs(call.Args)
	if err != nil {
		return agent.Result{}, err
	}
	p, err := a.required("path")
	if err != nil {
		return agent.Result{}, err
	}
	var pg page
	if pg.first, err = a.integer("offset", 1, 1, math.MaxInt32); err != nil {
		return agent.Result{}, err
	}
	if pg.limit, err = a.integer("limit", defaultLines, 1, math.MaxInt32); err != nil {
		return agent.Result{}, err
	}
	w, err := openWorkspace(call, t.closed)
	if err != nil {
		return agent.Result{}, err
	}
	defer w.close()
	rel, err := w.locate(p)
	if err != nil {
		return agent.Result{}, err
	}
	if err := w.credentials(rel); err != nil {
		return agent.Result{}, err
	}
	f, info, err := openFile(w.root, rel)
	switch {
	case errors.Is(err, errDirectory):
		return agent.Result{}, fmt.Errorf("%s is a directory: use list_files", p)
	case errors.Is(err, fs.ErrNotExist):
		return agent.Result{}, fmt.Errorf("%s does not exist: find_files looks for names", p)
	case err != nil:
		return agent.Result{}, err
	}
	defer f.Close()
	return pg.read(ctx, rel, f, info.Size())
}

// page is the part of a file that is shown.
type page struct {
	first, limit int

	out        strings.Builder
	lines      int    // seen so far
	shown      int    // of them in out
	line       []byte // the beginning of the current line
	length     int    // of the current line, its end included
	full       bool   // out took no more
	crlf, open bool   // a line ended in CRLF; the last line has no end
}

func (p *page) read(ctx context.Context, rel string, f io.Reader, size int64) (agent.Result, error) {
	var sum hash.Hash
	if size <= maxFile {
		sum = sha256.New()
		f = io.TeeReader(f, sum)
	}
	in := bufio.NewReaderSize(f, 64<<10)
	if head, _ := in.Peek(binaryProbe); bytes.IndexByte(head, 0) >= 0 {
		return agent.Result{}, fmt.Errorf("%s is a binary file of %d bytes; it is not shown", rel, size)
	}
	if err := p.scan(ctx, in, sum == nil); err != nil {
		return agent.Result{}, fmt.Errorf("read %s: %w", rel, err)
	}
	if p.shown == 0 && p.lines > 0 {
		return agent.Result{}, fmt.Errorf("offset %d lies past the end: %s has %s", p.first, rel, plural(p.lines, "line"))
	}
	p.notes(rel, size, sum == nil)
	r := agent.Result{Content: p.out.String(), Details: map[string]any{"lines": p.shown}}
	if sum != nil {
		r.Files = []agent.FileState{{Path: rel, Digest: "sha256:" + hex.EncodeToString(sum.Sum(nil))}}
	}
	return r, nil
}

// scan reads to the end of the file; with partly only to the end of the page.
func (p *page) scan(ctx context.Context, in *bufio.Reader, partly bool) error {
	for ctx.Err() == nil {
		chunk, err := in.ReadSlice('\n')
		p.length += len(chunk)
		p.line = append(p.line, chunk[:min(len(chunk), maxLine+1-min(len(p.line), maxLine+1))]...)
		p.crlf = p.crlf || bytes.HasSuffix(chunk, []byte("\r\n"))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			p.open = p.length > 0
			if p.open {
				p.endLine()
			}
			return nil
		case err != nil:
			return err
		}
		p.endLine()
		if partly && (p.full || p.lines >= p.first+p.limit-1) {
			return nil
		}
	}
	return context.Cause(ctx)
}

func (p *page) endLine() {
	p.lines++
	if p.lines >= p.first && p.lines < p.first+p.limit && !p.full {
		p.show()
	}
	p.line, p.length = p.line[:0], 0
}

func (p *page) show() {
	text, cut := strings.TrimRight(string(p.line), "\r\n"), ""
	if p.lines == 1 {
		text = strings.TrimPrefix(text, byteOrderMark)
	}
	if len(text) > maxLine {
		text, cut = clip(text, maxLine), fmt.Sprintf(" [cut, the line has %d bytes]", p.length)
	}
	if p.shown > 0 && p.out.Len()+len(text) > maxPage {
		p.full = true
		return
	}
	fmt.Fprintf(&p.out, "%6d\t%s%s\n", p.lines, strings.ToValidUTF8(text, "\ufffd"), cut)
	p.shown++
}

// clip cuts text to at most n bytes, not inside a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// notes tells what the lines do not show.
func (p *page) notes(rel string, size int64, partly bool) {
	next := p.first + p.shown
	switch {
	case p.lines == 0:
		fmt.Fprintf(&p.out, "[%s is empty]\n", rel)
	case partly:
		fmt.Fprintf(&p.out, "[the file has %d bytes, too large to be edited; more with offset %d]\n", size, next)
	case next <= p.lines:
		fmt.Fprintf(&p.out, "[lines %d to %d of %d; more with offset %d]\n", p.first, next-1, p.lines, next)
	}
	if p.crlf {
		p.out.WriteString("[lines end in CRLF]\n")
	}
	if p.open && next > p.lines {
		p.out.WriteString("[no line end after the last line]\n")
	}
}
