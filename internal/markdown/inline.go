package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

func cellsOf(s string) int { return text.Width(s) }

// inline adds the text of parent's children to f.
func (l *layout) inline(f *flow, parent ast.Node, s style) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			l.words(f, n, s)
		case *ast.CodeSpan:
			l.codeSpan(f, n, s)
		case *ast.Emphasis:
			l.emphasis(f, n, s)
		case *extast.Strikethrough:
			f.text([]byte("~~"), s)
			l.inline(f, n, s.in(faint))
			f.text([]byte("~~"), s)
		case *ast.RawHTML:
			l.rawHTML(f, n, s)
		case *extast.TaskCheckBox:
			l.taskBox(f, n, s)
		default:
			l.link(f, n, s)
		}
	}
}

// notice adds what is hidden before start.
func (l *layout) notice(f *flow, start int, s style) {
	if b := l.hidden(start); b != nil {
		f.text([]byte("[hidden: "), s.in(warning))
		f.text(b, s.in(warning))
		f.text([]byte("] "), s.in(warning))
	}
}

func (l *layout) words(f *flow, n *ast.Text, s style) {
	l.notice(f, n.Segment.Start, s)
	value := n.Segment.Value(l.src)
	if !n.IsRaw() {
		value = resolved(value)
	}
	f.text(value, s)
	l.covered(n.Segment.Stop)
	switch {
	case n.HardLineBreak():
		f.hardBreak()
	case n.SoftLineBreak():
		f.softBreak(s)
	}
}

// codeSpan keeps the spaces of the code. Without colour it is set between
// backticks, more than it holds itself.
func (l *layout) codeSpan(f *flow, n *ast.CodeSpan, s style) {
	var fence []byte
	if !f.color {
		fence = bytes.Repeat([]byte{'`'}, l.backticks(n)+1)
		f.text(fence, s)
	}
	s = s.in(code)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			continue
		}
		l.notice(f, t.Segment.Start, s)
		codeWords(f, t.Segment.Value(l.src), s)
		l.covered(t.Segment.Stop)
	}
	f.text(fence, s)
}

// codeWords adds code with its spaces; a newline is one.
func codeWords(f *flow, b []byte, s style) {
	for len(b) > 0 {
		n := bytes.IndexAny(b, " \t\n")
		switch {
		case n < 0:
			n = len(b)
			f.text(b, s)
		case n == 0:
			n = 1
			f.wide(s)
		default:
			f.text(b[:n], s)
		}
		b = b[n:]
	}
}

// backticks is the length of the longest row of backticks in n.
func (l *layout) backticks(n *ast.CodeSpan) int {
	longest := 0
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b := t.Segment.Value(l.src)
			for row := longest + 1; bytes.Contains(b, bytes.Repeat([]byte{'`'}, row)); row++ {
				longest = row
			}
		}
	}
	return longest
}

// emphasis is bold or underlined; without colour the marks of Markdown stay.
func (l *layout) emphasis(f *flow, n *ast.Emphasis, s style) {
	mark := []byte(strings.Repeat("*", n.Level))
	if f.color {
		mark = nil
	}
	look := underline
	if n.Level > 1 {
		look = bold
	}
	f.text(mark, s)
	l.inline(f, n, s.in(look))
	f.text(mark, s)
}

// link adds links and images: their text, then where they lead.
func (l *layout) link(f *flow, n ast.Node, s style) {
	switch n := n.(type) {
	case *ast.Link:
		l.linkText(f, n, s.in(underline))
		l.target(f, n.Destination, n.Title, n.Reference, s)
	case *ast.Image:
		f.text([]byte("[image: "), s.in(faint))
		l.inline(f, n, s)
		l.target(f, n.Destination, n.Title, n.Reference, s)
		f.text([]byte("]"), s.in(faint))
	case *ast.AutoLink:
		label := n.Label(l.src)
		f.text([]byte("<"), s.in(target))
		f.text(label, s.in(target))
		f.text([]byte(">"), s.in(target))
		l.tell(label)
	default:
		l.inline(f, n, s)
	}
}

// linkText leaves out a text that is the target itself.
func (l *layout) linkText(f *flow, n *ast.Link, s style) {
	t, ok := n.FirstChild().(*ast.Text)
	if ok && n.ChildCount() == 1 && bytes.Equal(t.Segment.Value(l.src), n.Destination) {
		l.notice(f, t.Segment.Start, s)
		l.covered(t.Segment.Stop)
		return
	}
	l.inline(f, n, s)
}

// target adds where a link leads, its title, and the label it is looked up by
// if that is not its text.
func (l *layout) target(f *flow, to, title []byte, ref *ast.ReferenceLink, s style) {
	f.text([]byte(" "), s)
	if ref != nil {
		if ref.Type == ast.ReferenceLinkFull {
			f.text([]byte("["), s.in(faint))
			f.text(ref.Value, s.in(faint))
			f.text([]byte("] "), s.in(faint))
		}
		l.tell(ref.Value)
	} else {
		l.tell(to)
		l.tell(title)
	}
	f.text([]byte("<"), s.in(target))
	f.text(resolved(to), s.in(target))
	if len(title) > 0 {
		f.text([]byte(` "`), s.in(target))
		f.text(resolved(title), s.in(target))
		f.text([]byte(`"`), s.in(target))
	}
	f.text([]byte(">"), s.in(target))
}

func (l *layout) rawHTML(f *flow, n *ast.RawHTML, s style) {
	f.text([]byte("[html: "), s.in(raw))
	for i := range n.Segments.Len() {
		seg := n.Segments.At(i)
		l.notice(f, seg.Start, s)
		f.text(seg.Value(l.src), s.in(raw))
		l.covered(seg.Stop)
	}
	f.text([]byte("]"), s.in(raw))
}

// taskBox adds a check box, unless it is the mark of its item already.
func (l *layout) taskBox(f *flow, n *extast.TaskCheckBox, s style) {
	box := l.box(n)
	l.tell([]byte(box))
	if list, ok := n.Parent().Parent().Parent().(*ast.List); ok && !list.IsOrdered() {
		return
	}
	f.text([]byte(box), s.in(checked(n)))
}

// resolved is text with its backslash escapes and entities read.
func resolved(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 && bytes.IndexByte(b, '&') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\' && i+1 < len(b) && util.IsPunct(b[i+1]):
			i++
		case b[i] == '&':
			n, chars := entity(b[i:])
			if n > 0 {
				out = append(out, chars...)
				i += n - 1
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

// maxEntity is longer than the longest entity's name.
const maxEntity = 40

// entity returns the characters of the entity b begins with and its length, 0
// if there is none.
func entity(b []byte) (n int, chars []byte) {
	n = bytes.IndexByte(b[:min(len(b), maxEntity)], ';') + 1
	if n == 0 {
		return 0, nil
	}
	chars = util.ResolveEntityNames(util.ResolveNumericReferences(b[:n]))
	if bytes.Equal(chars, b[:n]) {
		return 0, nil
	}
	return n, chars
}
