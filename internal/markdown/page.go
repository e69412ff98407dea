package markdown

import (
	"bytes"
	"strings"
)

// page is the output: finished lines, each behind the marks of the blocks it
// stands in.
type page struct {
	out   []byte
	width int
	color bool
	heads []head
	used  int  // cells the heads take
	fresh int  // heads whose first line was not written
	spare flow // lends its buffers: one text flows at a time
}

// head is what stands before the lines of a block: another text before the
// first one. Both take the same number of cells.
type head struct {
	first, rest string
	cells       int
	written     bool
}

func newPage(o Options, size int) page {
	return page{width: o.width(), color: o.Color, out: make([]byte, 0, size+size/4+64)}
}

// room is the number of cells left beside the heads.
func (p *page) room() int { return p.width - p.used }

// push begins a block. Where a head would leave too little room it gets a line
// of its own, and the block no indent.
func (p *page) push(first, rest string, cells int, s style) {
	if p.room()-cells < max(p.width/2, leastWidth-4) {
		p.line([]byte(p.styled(strings.TrimRight(first, " "), s)))
		first, rest, cells = "", "", 0
	}
	p.heads = append(p.heads, head{p.styled(first, s), p.styled(rest, s), cells, false})
	p.used += cells
	p.fresh++
}

// pop ends the block begun last. A block without lines gets one.
func (p *page) pop() {
	last := p.heads[len(p.heads)-1]
	if !last.written && last.cells > 0 {
		p.line(nil)
	} else if !last.written {
		p.fresh--
	}
	p.heads = p.heads[:len(p.heads)-1]
	p.used -= last.cells
}

// styled is a short text of ours in style s; its trailing spaces stay outside,
// so that they can be trimmed.
func (p *page) styled(text string, s style) string {
	bare := strings.TrimRight(text, " ")
	if !p.color || s == plain || bare == "" {
		return text
	}
	return string(s.appendSGR(nil)) + bare + string(plain.appendSGR(nil)) + text[len(bare):]
}

// line writes a line behind the heads.
func (p *page) line(content []byte) {
	start := len(p.out)
	for i := range p.heads {
		h := &p.heads[i]
		if h.written {
			p.out = append(p.out, h.rest...)
			continue
		}
		p.out = append(p.out, h.first...)
		h.written = true
	}
	p.fresh = 0
	p.out = append(p.out, content...)
	trimmed := bytes.TrimRight(p.out[start:], " ")
	p.out = append(p.out[:start+len(trimmed)], '\n')
}

// gap writes an empty line between blocks.
func (p *page) gap() {
	if p.fresh == 0 {
		p.line(nil)
	}
}

// flow returns a flow whose lines go to the page. It is good until the next
// one is asked for.
func (p *page) flow() *flow {
	return p.flowTo(p.room(), func(line []byte, _ int) { p.line(line) })
}

func (p *page) flowTo(width int, emit func(line []byte, cells int)) *flow {
	p.spare = flow{width: width, color: p.color, emit: emit, line: p.spare.line[:0], word: p.spare.word[:0]}
	return &p.spare
}
