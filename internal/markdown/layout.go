package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// layout writes the blocks of a parsed source to its page.
type layout struct {
	page
	src []byte
	coverage
}

// document lays out all of src. A source the parser cannot bear is shown as it
// is written.
func (l *layout) document() {
	if len(l.out) > 0 && len(l.src) > 0 {
		l.gap()
	}
	doc, err := parse(l.src)
	if err != nil {
		l.label("not laid out: " + err.Error())
		l.verbatim(l.src, asWritten)
		return
	}
	l.blocks(doc, false)
	l.leftOver(len(l.src))
}

// blocks writes the children of parent, in a tight list without empty lines
// between them.
func (l *layout) blocks(parent ast.Node, tight bool) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		prev := n.PreviousSibling()
		if prev != nil && !tight && !(definition(prev) && definition(n)) {
			l.gap()
		}
		l.block(n, tight)
	}
}

func definition(n ast.Node) bool { return n.Kind() == ast.KindLinkReferenceDefinition }

func (l *layout) block(n ast.Node, tight bool) {
	if lines := n.Lines(); lines.Len() > 0 && n.Kind() != ast.KindFencedCodeBlock {
		l.leftOver(lines.At(0).Start)
	}
	switch n := n.(type) {
	case *ast.Heading:
		l.heading(n)
	case *ast.List:
		l.list(n)
	case *ast.Blockquote:
		l.push("▌ ", "▌ ", 2, faint)
		l.blocks(n, false)
		l.pop()
	case *ast.FencedCodeBlock:
		l.fenced(n)
	case *ast.CodeBlock:
		l.codeBlock(n)
	case *ast.HTMLBlock:
		l.html(n)
	case *ast.LinkReferenceDefinition:
		l.segments(n.Lines(), asDefinition)
	case *ast.ThematicBreak:
		l.line([]byte(l.styled(strings.Repeat("─", l.room()), faint)))
	case *extast.Table:
		l.table(n)
	case *ast.Paragraph, *ast.TextBlock:
		f := l.flow()
		l.inline(f, n, plain)
		f.end()
	default:
		l.blocks(n, tight)
	}
}

// heading underlines the first two levels and marks the others as in Markdown.
func (l *layout) heading(n *ast.Heading) {
	mark := strings.Repeat("#", n.Level) + " "
	if n.Level > 2 || !n.HasChildren() {
		l.push(mark, strings.Repeat(" ", len(mark)), len(mark), bold)
		defer l.pop()
	}
	widest := 0
	f := l.flowTo(l.room(), func(line []byte, cells int) {
		widest = max(widest, cells)
		l.line(line)
	})
	l.inline(f, n, bold)
	f.end()
	if n.Level <= 2 && widest > 0 {
		rule := map[int]string{1: "━", 2: "─"}[n.Level]
		l.line([]byte(l.styled(strings.Repeat(rule, widest), bold)))
	}
}

func (l *layout) list(n *ast.List) {
	number, wide := n.Start, 0
	if n.IsOrdered() {
		wide = len(strconv.Itoa(n.Start + n.ChildCount() - 1))
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil && !n.IsTight {
			l.gap()
		}
		mark, look := "• ", plain
		if n.IsOrdered() {
			mark = l.number(n, item, number, wide)
			number++
		} else if box, ok := checkBox(item); ok {
			mark, look = l.box(box), checked(box)
		}
		cells := cellsOf(mark)
		l.push(mark, strings.Repeat(" ", cells), cells, look)
		l.blocks(item, n.IsTight)
		l.pop()
	}
}

// number is the mark of an ordered item. What Markdown counts may be another
// number than the one written: then both are shown, unless every item is
// written with the first one, as is usual.
func (l *layout) number(n *ast.List, item ast.Node, counted, wide int) string {
	written := l.digitsAt(item.Pos())
	l.tell(written)
	value, err := strconv.Atoi(string(written))
	mark := fmt.Sprintf("%*d%c ", wide, counted, n.Marker)
	switch {
	case err != nil, value == n.Start && strconv.Itoa(value) == string(written):
		return mark
	case value != counted, strconv.Itoa(value) != string(written):
		return fmt.Sprintf("%s[%s%c] ", mark, written, n.Marker)
	}
	return mark
}

func (l *layout) digitsAt(pos int) []byte {
	if pos < 0 || pos > len(l.src) {
		return nil
	}
	end := pos
	for end < len(l.src) && l.src[end] >= '0' && l.src[end] <= '9' {
		end++
	}
	return l.src[pos:end]
}

// checkBox is the box a task begins with.
func checkBox(item ast.Node) (*extast.TaskCheckBox, bool) {
	if item.FirstChild() == nil {
		return nil, false
	}
	box, ok := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	return box, ok
}

// box is a check box with the letter it is written with.
func (l *layout) box(n *extast.TaskCheckBox) string {
	at := n.Pos() + 1
	switch {
	case !n.IsChecked:
		return "[ ] "
	case at < len(l.src) && l.src[at] == 'X':
		return "[X] "
	}
	return "[x] "
}

func checked(n *extast.TaskCheckBox) style {
	if n.IsChecked {
		return green
	}
	return plain
}

func (l *layout) fenced(n *ast.FencedCodeBlock) {
	if n.Info != nil {
		l.leftOver(n.Info.Segment.Start)
		f := l.flow()
		f.text([]byte("┌ "), faint)
		f.text(n.Info.Segment.Value(l.src), faint)
		f.end()
		l.covered(n.Info.Segment.Stop)
	}
	if n.Lines().Len() > 0 {
		l.leftOver(n.Lines().At(0).Start)
	}
	l.segments(n.Lines(), asCode)
}

func (l *layout) codeBlock(n *ast.CodeBlock) {
	if _, long := n.AttributeString(unparsed); long {
		l.label("not laid out: too long")
		l.segments(n.Lines(), asWritten)
		return
	}
	l.segments(n.Lines(), asCode)
}

func (l *layout) html(n *ast.HTMLBlock) {
	l.label("html")
	lines := n.Lines()
	if n.HasClosure() {
		lines = text.NewSegments()
		lines.AppendAll(n.Lines().Sliced(0, n.Lines().Len()))
		lines.Append(n.ClosureLine)
	}
	l.segments(lines, asHTML)
}

// segments writes lines of the source.
func (l *layout) segments(lines *text.Segments, look verbatim) {
	v := l.beginVerbatim(look)
	for i := range lines.Len() {
		s := lines.At(i)
		v.line(s.Value(l.src))
		l.covered(s.Stop)
	}
	v.end()
}
