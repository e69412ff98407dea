package yamlfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// JSON is a value as JSON, keys in their order; what names it in errors.
func (r Reader) JSON(n ast.Node, what string) (json.RawMessage, error) {
	j := jsonWriter{Reader: r, what: what}
	if err := j.json(n, 0); err != nil {
		return nil, err
	}
	return json.RawMessage(j.String()), nil
}

// jsonWriter writes a value as JSON.
type jsonWriter struct {
	Reader
	strings.Builder
	what string
}

func (j *jsonWriter) json(n ast.Node, depth int) error {
	if depth > maxDepth {
		return j.Errorf(n, "%s: nested more than %d deep", j.what, maxDepth)
	}
	if s, ok := StringOf(n); ok {
		j.Write(quote(s))
		return nil
	}
	switch n := n.(type) {
	case nil, *ast.NullNode:
		j.WriteString("null")
	case *ast.BoolNode:
		fmt.Fprint(j, n.Value)
	case *ast.IntegerNode:
		fmt.Fprint(j, n.Value)
	case *ast.FloatNode:
		return j.jsonFloat(n)
	case *ast.SequenceNode:
		return j.jsonList(n, depth)
	case *ast.MappingNode, *ast.MappingValueNode:
		return j.jsonObject(n, depth)
	default:
		return j.Errorf(n, "%q has no JSON form: anchors, aliases, tags and infinities are not allowed in %s", n.GetToken().Value, j.what)
	}
	return nil
}

func (j *jsonWriter) jsonFloat(n *ast.FloatNode) error {
	text, err := json.Marshal(n.Value)
	if err != nil {
		return j.Errorf(n, "%s has no JSON form", n.Token.Value)
	}
	j.Write(text)
	return nil
}

func (j *jsonWriter) jsonList(n *ast.SequenceNode, depth int) error {
	j.WriteByte('[')
	for i, v := range n.Values {
		if i > 0 {
			j.WriteByte(',')
		}
		if err := j.json(v, depth+1); err != nil {
			return err
		}
	}
	j.WriteByte(']')
	return nil
}

func (j *jsonWriter) jsonObject(n ast.Node, depth int) error {
	fields, err := j.Fields(n, j.what)
	if err != nil {
		return err
	}
	j.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			j.WriteByte(',')
		}
		j.Write(quote(f.Name))
		j.WriteByte(':')
		if err := j.json(f.Value, depth+1); err != nil {
			return err
		}
	}
	j.WriteByte('}')
	return nil
}

// quote is a string as JSON, its <, > and & as they are.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimRight(b.Bytes(), "\n")
}
