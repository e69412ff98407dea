package tools

import (
	"bytes"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const byteOrderMark = "\ufeff"

// splitPlan gives a plan's title and the text below it. The title is the first
// block if that is a level-1 heading with text; a byte-order mark and front
// matter before it are skipped. Otherwise it is made from the file name, and
// the text is everything, front matter too, so that nothing of an untitled
// plan is kept from who reviews it.
func splitPlan(name string, source []byte) (title, body string) {
	source = bytes.TrimPrefix(source, []byte(byteOrderMark))
	rest := skipFrontMatter(source)
	if title, end := heading(rest); title != "" {
		return title, trimBlankLines(string(rest[end:]))
	}
	return readableName(name), trimBlankLines(string(source))
}

// maxHeading is how far a heading may reach to be taken for a title. No more
// of a plan is parsed: goldmark takes minutes for a megabyte of hostile marks.
const maxHeading = 2 << 10

// heading returns the text of a leading level-1 heading and where it ends; ""
// if there is none.
func heading(source []byte) (title string, end int) {
	blank := len(source) - len(bytes.TrimLeft(source, " \t\r\n"))
	head := source[:min(len(source), blank+maxHeading)]
	if len(head) < len(source) {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	h, ok := goldmark.DefaultParser().Parse(text.NewReader(head)).FirstChild().(*ast.Heading)
	if !ok || h.Level != 1 || h.Lines().Len() == 0 {
		return "", 0
	}
	first, last := h.Lines().At(0), h.Lines().At(h.Lines().Len()-1)
	start := bytes.LastIndexByte(head[:first.Start], '\n') + 1
	if len(bytes.TrimSpace(head[:start])) > 0 {
		return "", 0 // link definitions make no block, but they are text before the heading
	}
	end = nextLine(head, last.Start)
	if !bytes.ContainsRune(head[start:first.Start], '#') {
		end = nextLine(head, end) // the line that underlines it
	}
	return strings.Join(strings.Fields(inlineText(h, head)), " "), end
}

func nextLine(source []byte, from int) int {
	if i := bytes.IndexByte(source[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	return len(source)
}

// inlineText is the text of a node's children as a reader sees it.
func inlineText(parent ast.Node, source []byte) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(plainText(n, source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		case *ast.RawHTML: // marks, not text
		default:
			b.WriteString(inlineText(n, source))
		}
	}
	return b.String()
}

// plainText resolves escapes and entities, which goldmark leaves to renderers.
func plainText(n *ast.Text, source []byte) []byte {
	value := n.Segment.Value(source)
	if _, code := n.Parent().(*ast.CodeSpan); code || n.IsRaw() {
		return value
	}
	return util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value)))
}

// skipFrontMatter drops a leading block between lines of three dashes (YAML)
// or plus signs (TOML).
func skipFrontMatter(source []byte) []byte {
	fence := string(bytes.TrimRight(source[:nextLine(source, 0)], " \t\r\n"))
	if fence != "---" && fence != "+++" {
		return source
	}
	for at := nextLine(source, 0); at < len(source); {
		end := nextLine(source, at)
		line := string(bytes.TrimRight(source[at:end], " \t\r\n"))
		if line == fence || fence == "---" && line == "..." {
			return source[end:]
		}
		at = end
	}
	return source
}

// trimBlankLines drops blank lines at both ends and the end of the last line;
// the indent of the first line stays.
func trimBlankLines(s string) string {
	s = strings.TrimRight(s, " \t\r\n")
	indent := len(s) - len(strings.TrimLeft(s, " \t\r\n"))
	return s[strings.LastIndexByte(s[:indent], '\n')+1:]
}

// readableName makes a title of a file name: add-dark_mode.md, Add dark mode.
func readableName(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	words := strings.FieldsFunc(base, func(r rune) bool { return r == '-' || r == '_' || unicode.IsSpace(r) })
	title := strings.Join(words, " ")
	first, size := utf8.DecodeRuneInString(title)
	if size == 0 {
		return "Plan"
	}
	return string(unicode.ToUpper(first)) + title[size:]
}
