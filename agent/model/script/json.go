package script

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// json writes a YAML value as JSON, keys in their order.
func (r reader) json(b *strings.Builder, n ast.Node, depth int) error {
	if depth > maxDepth {
		return r.errorf(n, "args are nested more than %d deep", maxDepth)
	}
	if s, ok := stringOf(n); ok {
		b.Write(quote(s))
		return nil
	}
	switch n := n.(type) {
	case nil, *ast.NullNode:
		b.WriteString("null")
	case *ast.BoolNode:
		fmt.Fprint(b, n.Value)
	case *ast.IntegerNode:
		fmt.Fprint(b, n.Value)
	case *ast.FloatNode:
		return r.jsonFloat(b, n)
	case *ast.SequenceNode:
		return r.jsonList(b, n, depth)
	case *ast.MappingNode, *ast.MappingValueNode:
		return r.jsonObject(b, n, depth)
	default:
		return r.errorf(n, "%q has no JSON form: anchors, aliases, tags and infinities are not allowed in args", n.GetToken().Value)
	}
	return nil
}

func (r reader) jsonFloat(b *strings.Builder, n *ast.FloatNode) error {
	text, err := json.Marshal(n.Value)
	if err != nil {
		return r.errorf(n, "%s has no JSON form", n.Token.Value)
	}
	b.Write(text)
	return nil
}

func (r reader) jsonList(b *strings.Builder, n *ast.SequenceNode, depth int) error {
	b.WriteByte('[')
	for i, v := range n.Values {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := r.json(b, v, depth+1); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func (r reader) jsonObject(b *strings.Builder, n ast.Node, depth int) error {
	fields, err := r.fields(n, "args")
	if err != nil {
		return err
	}
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(f.name))
		b.WriteByte(':')
		if err := r.json(b, f.value, depth+1); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
