package tools

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/agent"
)

const (
	defaultLines = 2000
	maxLine      = 2000      // bytes shown of one line
	maxPage      = 128 << 10 // bytes shown by one call
	binaryProbe  = 8000      // bytes in which a NUL means binary, as git does it
	pageBuffer   = 256 << 10 // bytes of the file in memory at a time
)

// page is the part of a file that is shown.
type page struct {
	first, limit int

	out     strings.Builder
	lines   int    // ended so far
	shown   int    // of them in out
	line    []byte // the beginning of the current line
	length  int    // of the current line, its end included
	full    bool   // out took no more
	crlf    bool   // a line that is shown ends in CRLF
	invalid bool   // a line that is shown is no UTF-8
	over    bool   // the file ends here
	open    bool   // the last line has no end
}

func (p *page) read(ctx context.Context, rel string, f io.Reader, size int64) (agent.Result, error) {
	var sum hash.Hash
	if size <= maxFile {
		sum = sha256.New()
		f = io.TeeReader(f, sum)
	}
	in := bufio.NewReaderSize(f, pageBuffer)
	head, _ := in.Peek(binaryProbe) // an error comes again
	if err := textual(head); err != nil {
		return agent.Result{}, fmt.Errorf("%s of %d bytes %w", rel, size, err)
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

// textual refuses a file that begins like none of text in UTF-8.
func textual(head []byte) error {
	for _, mark := range []struct{ bytes, name string }{
		{"\xff\xfe\x00\x00", "UTF-32"}, {"\x00\x00\xfe\xff", "UTF-32"}, {"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"},
	} {
		if bytes.HasPrefix(head, []byte(mark.bytes)) {
			return fmt.Errorf("is text in %s, which is not shown: convert a copy, for example with iconv -f %s -t UTF-8", mark.name, mark.name)
		}
	}
	if kind := imageKind(head); kind != "" {
		return fmt.Errorf("is a picture (%s); pictures cannot be shown to the model: go on without it, or ask the person what it shows", kind)
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return errors.New("is a binary file; it is not shown: a command such as file, strings or xxd tells more")
	}
	return nil
}

// scan reads to the end of the file; with partly only to the end of the page.
// What lies before and behind the page is counted, not looked at line by line.
func (p *page) scan(ctx context.Context, in *bufio.Reader, partly bool) error {
	if ended, err := p.skip(ctx, in, p.first-1); ended || err != nil {
		return err
	}
	for ctx.Err() == nil && !p.full && p.lines < p.first-1+p.limit {
		chunk, err := in.ReadSlice('\n')
		p.length += len(chunk)
		p.line = append(p.line, chunk[:min(len(chunk), maxLine+1-min(len(p.line), maxLine+1))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			p.end()
			return nil
		case err != nil:
			return err
		}
		p.endLine(bytes.HasSuffix(chunk, []byte("\r\n")))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !partly {
		_, err := p.skip(ctx, in, math.MaxInt)
		return err
	}
	return nil
}

// skip passes over lines until so many have ended, or to the end of the file.
func (p *page) skip(ctx context.Context, in *bufio.Reader, lines int) (ended bool, err error) {
	for p.lines < lines && ctx.Err() == nil {
		_, err := in.Peek(1)
		if errors.Is(err, io.EOF) {
			p.end()
			return true, nil
		}
		if err != nil {
			return true, err
		}
		data, _ := in.Peek(in.Buffered()) // which is there
		if n := bytes.Count(data, []byte("\n")); n < lines-p.lines {
			if n > 0 {
				p.length = 0
			}
			p.lines += n
			p.length += len(data) - 1 - bytes.LastIndexByte(data, '\n')
		} else {
			at := 0
			for p.lines < lines {
				at += bytes.IndexByte(data[at:], '\n') + 1
				p.lines++
			}
			data, p.length = data[:at], 0
		}
		_, _ = in.Discard(len(data)) // it is buffered
	}
	return false, context.Cause(ctx)
}

// end ends the last line, if it has no end of its own.
func (p *page) end() {
	p.over = true
	if p.open = p.length > 0; p.open {
		p.endLine(false)
	}
}

func (p *page) endLine(crlf bool) {
	p.lines++
	if p.lines >= p.first && p.lines < p.first+p.limit && !p.full {
		p.show(crlf)
	}
	p.line, p.length = p.line[:0], 0
}

func (p *page) show(crlf bool) {
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
	valid := strings.ToValidUTF8(text, "\ufffd")
	p.crlf, p.invalid = p.crlf || crlf, p.invalid || valid != text
	fmt.Fprintf(&p.out, "%6d\t%s%s\n", p.lines, valid, cut)
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
	case partly && p.over:
		fmt.Fprintf(&p.out, "[the end of a file of %d bytes, too large to be edited]\n", size)
	case partly:
		fmt.Fprintf(&p.out, "[the file has %d bytes, too large to be edited; more with offset %d]\n", size, next)
	case next <= p.lines:
		fmt.Fprintf(&p.out, "[lines %d to %d of %d; more with offset %d]\n", p.first, next-1, p.lines, next)
	}
	if p.crlf {
		p.out.WriteString("[lines end in CRLF]\n")
	}
	if p.invalid {
		p.out.WriteString("[bytes that are no UTF-8 are shown as \ufffd; edits of other text keep them]\n")
	}
	if p.open && next > p.lines {
		p.out.WriteString("[no line end after the last line]\n")
	}
}
