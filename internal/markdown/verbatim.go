package markdown

import "bytes"

// verbatim is how lines are shown that are not laid out.
type verbatim int

const (
	asWritten verbatim = iota
	asCode
	asHTML
	asDefinition
)

// gutter stands before each line.
func (v verbatim) gutter() string {
	if v == asCode {
		return "│ "
	}
	return "┊ "
}

func (v verbatim) style() style {
	return [...]style{plain, code, raw, faint}[v]
}

// continued is the gutter of what is left of a line too long to fit.
const continued = "↪ "

// writing writes verbatim lines; what is too long goes on behind another
// gutter.
type writing struct {
	look  verbatim
	flow  *flow
	first string // gutter of a line
	head  string // gutter of the row that is next
	any   bool
}

func (p *page) beginVerbatim(look verbatim) *writing {
	w := &writing{look: look}
	first, next := p.styled(look.gutter(), faint), p.styled(continued, faint)
	var line []byte
	w.flow = p.flowTo(p.room()-cellsOf(continued), func(row []byte, _ int) {
		line = append(append(line[:0], w.head...), row...)
		p.line(line)
		w.head = next
	})
	w.flow.keep = true
	w.first = first
	return w
}

// line writes one line; its newline may be missing.
func (w *writing) line(b []byte) {
	w.head = w.first
	w.flow.text(bytes.TrimSuffix(b, []byte("\n")), w.look.style())
	w.flow.hardBreak()
	w.any = true
}

// end writes an empty line where there was none.
func (w *writing) end() {
	if !w.any {
		w.line(nil)
	}
}

// verbatim writes lines as they are written.
func (p *page) verbatim(b []byte, look verbatim) {
	w := p.beginVerbatim(look)
	for len(b) > 0 {
		end := lineEnd(b, 0)
		w.line(b[:end])
		b = b[end:]
	}
	w.end()
}

// label writes what the verbatim lines below are.
func (p *page) label(name string) {
	f := p.flow()
	f.text([]byte("["+name+"]"), warning)
	f.end()
}
