package markdown

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Goldmark's time for hostile input grows with the square of a paragraph's
// length and of the nesting. Beyond these limits, which no text written for
// people reaches, text is not parsed further but shown as it is written.
const (
	maxNesting   = 64
	maxParagraph = 8 << 10
	maxPipes     = 1000 // escaped ones, in a whole document
)

// unparsed is the attribute of code blocks that are paragraphs left alone.
const unparsed = "unparsed"

// parse returns the tree of source. It never panics: a fault of the parser is
// an error.
func parse(source []byte) (doc ast.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parse Markdown: %v", r)
		}
	}()
	guard := limit{noTables: bytes.Count(source, []byte(`\|`)) > maxPipes}
	return newParser(guard).Parse(text.NewReader(source)), nil
}

// newParser is made for each text, at a few microseconds, rather than kept: so
// that nothing is shared and nothing is set up before it is needed.
func newParser(guard limit) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(limited{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(shortLine{parser.NewATXHeadingParser()}, 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(limited{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(guard, 50),
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200),
		),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

// limited opens no block inside maxNesting others.
type limited struct{ parser.BlockParser }

func (p limited) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxNesting {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, r, pc)
}

// shortLine opens no block at a line too long for a paragraph.
type shortLine struct{ parser.BlockParser }

func (p shortLine) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if line, _ := r.PeekLine(); len(line) > maxParagraph {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, r, pc)
}

// limit makes of a paragraph that is too long a code block, which is not
// parsed. Tables may be longer: their cells are parsed one by one.
type limit struct{ noTables bool }

func (g limit) Transform(node *ast.Paragraph, r text.Reader, _ parser.Context) {
	lines := node.Lines()
	if lines.Len() == 0 {
		return
	}
	size := lines.At(lines.Len()-1).Stop - lines.At(0).Start
	table := maybeTable(lines, r.Source())
	if size <= maxParagraph && !table || table && !g.noTables && modest(lines, r.Source(), size) {
		return
	}
	block := ast.NewCodeBlock()
	block.SetAttributeString(unparsed, true)
	block.SetBlankPreviousLines(node.HasBlankPreviousLines())
	block.SetLines(lines)
	block.SetPos(node.Pos())
	node.Parent().ReplaceChild(node.Parent(), node, block)
}

// maybeTable reports whether the second line may be the one below a table's
// header.
func maybeTable(lines *text.Segments, source []byte) bool {
	if lines.Len() < 2 {
		return false
	}
	first, second := lines.At(0), lines.At(1)
	return len(bytes.Trim(second.Value(source), "-:| \t\n")) == 0 &&
		!bytes.HasPrefix(bytes.TrimLeft(first.Value(source), " "), []byte("["))
}

// modest reports whether no line of a table is longer than a paragraph may be,
// and its cells, which are made for short rows too, are not more than its
// bytes.
func modest(lines *text.Segments, source []byte, size int) bool {
	for i := range lines.Len() {
		if s := lines.At(i); s.Len() > maxParagraph {
			return false
		}
	}
	second := lines.At(1)
	return (bytes.Count(second.Value(source), []byte("|"))+1)*lines.Len() <= size+maxParagraph
}
