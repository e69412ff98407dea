// Package yamlfile reads small YAML files that people write: what is in them is
// taken key by key, and an error names file and line. JSON is YAML, so JSON
// files are read too.
package yamlfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const maxDepth = 64 // of nested lists and mappings

// Reader turns nodes into values. Its errors begin with file and line.
type Reader struct{ Path string }

// Errorf is an error about a node.
func (r Reader) Errorf(n ast.Node, format string, args ...any) error {
	return r.lineError(Line(n), fmt.Sprintf(format, args...))
}

func (r Reader) lineError(line int, message string) error {
	return fmt.Errorf("%s:%d: %s", r.Path, line, message)
}

// Line is the line a node stands on; that of a mapping is where its first colon
// is.
func Line(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1
	}
	return n.GetToken().Position.Line
}

// Document returns the root of the only document in data. needs says what an
// empty file lacks.
func (r Reader) Document(data []byte, needs string) (ast.Node, error) {
	tokens := lexer.Tokenize(strings.TrimPrefix(string(data), "\ufeff")) // as editors on Windows begin files
	if err := r.checkDepth(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, r.yamlError(err)
	}
	var root ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case root != nil:
			return nil, r.Errorf(doc.Body, "a second document; this file has one")
		default:
			root = doc.Body
		}
	}
	if root == nil {
		return nil, r.lineError(1, "the file is empty; it needs "+needs)
	}
	return root, nil
}

func (r Reader) yamlError(err error) error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position != nil {
		return r.lineError(at.GetToken().Position.Line, at.GetMessage())
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return r.lineError(1, first)
}

// checkDepth refuses deep nesting before the library, which recurses, sees it:
// open brackets, and lists or keys that begin one in the other on one line.
func (r Reader) checkDepth(tokens token.Tokens) error {
	brackets, dashes := 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			brackets++
		case token.SequenceEndType, token.MappingEndType:
			brackets = max(0, brackets-1)
		case token.SequenceEntryType, token.MappingKeyType:
			dashes++
			if dashes <= maxDepth {
				continue
			}
		}
		if brackets > maxDepth || dashes > maxDepth {
			return r.lineError(t.Position.Line, fmt.Sprintf("more than %d brackets or dashes are open", maxDepth))
		}
		dashes = 0
	}
	return nil
}

// Field is one entry of a mapping.
type Field struct {
	Name  string
	Key   ast.Node
	Value ast.Node
}

// Fields returns the entries of a mapping in their order.
func (r Reader) Fields(n ast.Node, what string) ([]Field, error) {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return nil, r.Errorf(n, "%s must be a mapping, not %s", what, kind(n))
	}
	out := make([]Field, 0, len(values))
	for _, v := range values {
		name, err := r.key(v.Key)
		if err != nil {
			return nil, err
		}
		out = append(out, Field{Name: name, Key: v.Key, Value: v.Value})
	}
	return out, nil
}

func (r Reader) key(k ast.MapKeyNode) (string, error) {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return k.GetToken().Value, nil
	}
	return "", r.Errorf(k, "a key must be plain text")
}

// Record reads a mapping of which only the named keys are allowed.
func (r Reader) Record(n ast.Node, what string, read map[string]func(ast.Node) error, allowed string) error {
	fields, err := r.Fields(n, what)
	if err != nil {
		return err
	}
	for _, f := range fields {
		set, ok := read[f.Name]
		if !ok {
			return r.Errorf(f.Key, "unknown key %q in %s; allowed: %s", f.Name, what, allowed)
		}
		if err := set(f.Value); err != nil {
			return err
		}
	}
	return nil
}

// List returns the nodes of a list.
func (r Reader) List(n ast.Node, what string) ([]ast.Node, error) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, r.Errorf(n, "%s must be a list, not %s", what, kind(n))
	}
	return s.Values, nil
}

// Text returns a reader of strings into s.
func (r Reader) Text(s *string, what string) func(ast.Node) error {
	return func(n ast.Node) error {
		v, ok := StringOf(n)
		if !ok {
			return r.Errorf(n, "%s must be a string, not %s", what, kind(n))
		}
		*s = v
		return nil
	}
}

// Number returns a reader of integers from 0 into i.
func (r Reader) Number(i *int64, what string) func(ast.Node) error {
	return func(n ast.Node) error {
		v, err := int64(0), error(strconv.ErrSyntax)
		if node, ok := n.(*ast.IntegerNode); ok {
			v, err = strconv.ParseInt(fmt.Sprint(node.Value), 10, 64)
		}
		if err != nil || v < 0 {
			return r.Errorf(n, "%s must be a whole number from 0", what)
		}
		*i = v
		return nil
	}
}

// Bool returns a reader of true and false into b.
func (r Reader) Bool(b *bool, what string) func(ast.Node) error {
	return func(n ast.Node) error {
		v, ok := n.(*ast.BoolNode)
		if !ok {
			return r.Errorf(n, "%s must be true or false, not %s", what, kind(n))
		}
		*b = v.Value
		return nil
	}
}

// StringOf is the text of a node; ok is false for what is no string.
func StringOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

// kind names what a node is.
func kind(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode, *ast.LiteralNode:
		return "a string"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number (quote it to make it a string)"
	case *ast.BoolNode:
		return "a boolean (quote it to make it a string)"
	}
	return "an anchor, alias or tag"
}
