package script

import (
	"fmt"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/internal/yamlfile"
)

// turnReader reads the turns of a script.
type turnReader struct {
	yamlfile.Reader
	calls int // seen so far, for the IDs of those that have none
}

// parse reads a script. Its errors begin with path and line.
func parse(path string, data []byte) ([]turn, error) {
	t := turnReader{Reader: yamlfile.Reader{Path: path}}
	root, err := t.Document(data, "turns:")
	if err != nil {
		return nil, err
	}
	var nodes []ast.Node
	filled := true
	err = t.Record(root, "a script", map[string]func(ast.Node) error{
		"turns": func(n ast.Node) (err error) {
			nodes, err = t.List(n, "turns")
			return err
		},
		"placeholders": t.Bool(&filled, "placeholders"),
	}, "turns, placeholders")
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return nil, t.Errorf(root, "turns: is missing or empty; a script needs at least one turn")
	}
	return t.turns(nodes, !filled)
}

func (t *turnReader) turns(nodes []ast.Node, literal bool) ([]turn, error) {
	out := make([]turn, 0, len(nodes))
	for i, n := range nodes {
		one, err := t.turn(n, i+1)
		if err != nil {
			return nil, err
		}
		one.literal = literal
		out = append(out, one)
	}
	return out, nil
}

func (t *turnReader) turn(n ast.Node, number int) (turn, error) {
	what := fmt.Sprintf("turn %d", number)
	out := turn{number: number, line: yamlfile.Line(n)}
	said := false
	saying := func(read func(ast.Node) error) func(ast.Node) error {
		return func(n ast.Node) error {
			said = true
			return read(n)
		}
	}
	err := t.Record(n, what, map[string]func(ast.Node) error{
		"text":      saying(t.Text(&out.text, "text")),
		"toolCalls": saying(func(n ast.Node) error { return t.toolCalls(n, &out) }),
		"usage":     saying(func(n ast.Node) error { return t.usage(n, &out.usage) }),
		"expect":    func(n ast.Node) error { return t.expect(n, &out.expect) },
		"error":     func(n ast.Node) error { return t.fault(n, &out) },
		"delay":     func(n ast.Node) error { return t.delay(n, &out.delay) },
		"finishReason": func(n ast.Node) error {
			out.finishReason = new(string)
			return t.Text(out.finishReason, "finishReason")(n)
		},
		"end": func(n ast.Node) error { return t.end(n, &out.end) },
	}, "text, toolCalls, expect, error, delay, usage, finishReason, end")
	switch {
	case err != nil:
		return turn{}, err
	case out.fault != nil && said:
		return turn{}, t.Errorf(n, "%s has an error and a reply; put the reply in the next turn", what)
	case out.fault == nil && !said:
		return turn{}, t.Errorf(n, "%s says nothing; it needs text, toolCalls or error", what)
	}
	out.line = first(n)
	return out, nil
}

// first is the line a mapping begins on; its own token is the first colon.
func first(n ast.Node) int {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		return yamlfile.Line(m.Values[0].Key)
	}
	return yamlfile.Line(n)
}

func (t *turnReader) toolCalls(n ast.Node, out *turn) error {
	nodes, err := t.List(n, "toolCalls")
	if err != nil {
		return err
	}
	for _, n := range nodes {
		c, err := t.toolCall(n)
		if err != nil {
			return err
		}
		out.calls = append(out.calls, c)
	}
	return nil
}

func (t *turnReader) toolCall(n ast.Node) (call, error) {
	t.calls++
	c := call{id: fmt.Sprintf("call_%d", t.calls), args: "{}"}
	named := false // a model may have called nothing by name
	err := t.Record(n, "a tool call", map[string]func(ast.Node) error{
		"name": func(n ast.Node) error {
			named = true
			return t.Text(&c.name, "name")(n)
		},
		"id":   t.Text(&c.id, "id"),
		"args": func(n ast.Node) error { return t.args(n, &c) },
	}, "name, args, id")
	if err == nil && !named {
		err = t.Errorf(n, "a tool call needs a name")
	}
	return c, err
}

// args takes a mapping, or a string that stands for what a provider sent.
func (t *turnReader) args(n ast.Node, c *call) error {
	if s, ok := yamlfile.StringOf(n); ok {
		c.args, c.raw = s, true
		return nil
	}
	if _, err := t.Fields(n, "args"); err != nil {
		return err
	}
	args, err := t.JSON(n, "args")
	c.args = string(args)
	return err
}

func (t *turnReader) expect(n ast.Node, expect *string) error {
	if err := t.Text(expect, "expect")(n); err != nil {
		return err
	}
	if err := checkPattern(*expect); err != nil {
		return t.Errorf(n, "expect: %v", err)
	}
	return nil
}

func (t *turnReader) fault(n ast.Node, out *turn) error {
	f := fault{message: "simulated fault"}
	var status int64
	err := t.Record(n, "error", map[string]func(ast.Node) error{
		"status":  t.Number(&status, "status"),
		"message": t.Text(&f.message, "message"),
	}, "status, message")
	if err != nil {
		return err
	}
	if status != 0 && (status < 400 || status > 599) {
		return t.Errorf(n, "status must be 0 (no connection) or 400 to 599, not %d", status)
	}
	f.status = int(status)
	out.fault = &f
	return nil
}

func (t *turnReader) end(n ast.Node, end *agent.End) error {
	s, _ := yamlfile.StringOf(n)
	switch e := agent.End(s); e {
	case agent.EndCut, agent.EndRefused:
		*end = e
		return nil
	}
	return t.Errorf(n, "end must be %q or %q", agent.EndCut, agent.EndRefused)
}

func (t *turnReader) delay(n ast.Node, delay *time.Duration) error {
	s, _ := yamlfile.StringOf(n)
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return t.Errorf(n, `delay must be a duration such as "200ms" or "2s"`)
	}
	*delay = d
	return nil
}

func (t *turnReader) usage(n ast.Node, u *agent.Usage) error {
	return t.Record(n, "usage", map[string]func(ast.Node) error{
		"inputTokens":      t.Number(&u.InputTokens, "inputTokens"),
		"outputTokens":     t.Number(&u.OutputTokens, "outputTokens"),
		"cacheReadTokens":  t.Number(&u.CacheReadTokens, "cacheReadTokens"),
		"cacheWriteTokens": t.Number(&u.CacheWriteTokens, "cacheWriteTokens"),
		"reasoningTokens":  t.Number(&u.ReasoningTokens, "reasoningTokens"),
	}, "inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens")
}
