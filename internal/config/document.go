package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// MaxFile is the size in bytes beyond which no configuration file is read.
const MaxFile = 1 << 20

// document is a configuration file that could be read.
type document struct {
	source Source
	file   string // as messages name it
	table  map[string]any
	lines  map[string]int
}

// parse reads TOML. The problem, if there is one, is the syntax.
func parse(source Source, file string, data []byte) (document, *Problem) {
	d := document{source: source, file: file}
	fault := func(line int, message string) *Problem {
		return &Problem{Origin: Origin{Source: source, Name: file, Line: line}, Message: message}
	}
	var err error
	if d.lines, err = locate(string(data)); err != nil {
		return d, fault(0, err.Error())
	}
	if d.table, err = decode(string(data)); err == nil {
		return d, nil
	}
	var pe toml.ParseError
	if errors.As(err, &pe) {
		return d, fault(pe.Position.Line, "TOML: "+text.Line(pe.Message))
	}
	return d, fault(0, text.Line(err.Error()))
}

// decode keeps the tree as it is: decoding into structs would fold the case of
// keys. A panic of the library on a file from a stranger is an error.
func decode(data string) (table map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("TOML: the file cannot be read: %v", r)
		}
	}()
	_, err = toml.Decode(data, &table)
	return table, err
}

// origin is where the value at path stands; of what is inside a value, the
// line of the value.
func (d document) origin(path string) Origin {
	o := Origin{Source: d.source, Name: d.file}
	for path != "" {
		if line, ok := d.lines[path]; ok {
			o.Line = line
			break
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return o
}

// names lists the keys of a table in the order of the file.
func (d document) names(prefix string, table map[string]any) []string {
	return slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		la, lb := d.origin(join(prefix, a)).Line, d.origin(join(prefix, b)).Line
		if la != lb {
			return la - lb
		}
		return strings.Compare(a, b)
	})
}

// tables returns an array of tables, however it was written.
func tables(raw any) ([]map[string]any, bool) {
	switch v := raw.(type) {
	case []map[string]any:
		return v, true
	case []any:
		out := make([]map[string]any, len(v))
		for i, item := range v {
			table, ok := item.(map[string]any)
			if !ok {
				return nil, false
			}
			out[i] = table
		}
		return out, true
	}
	return nil, false
}
