package script

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/seed-3e5a1d81/agent/agent"
)

// turnReader reads the turns of a script.
type turnReader struct {
	reader
	calls int // seen so far, for the IDs of those that have none
}

// parse reads a script. Its errors begin with path and line.
func parse(path string, data []byte) ([]turn, error) {
	t := turnReader{reader: reader{path: path}}
	root, err := t.document(data)
	if err != nil {
		return nil, err
	}
	var nodes []ast.Node
	filled := true
	err = t.record(root, "a script", map[string]func(ast.Node) error{
		"turns": func(n ast.Node) (err error) {
			nodes, err = t.list(n, "turns")
			return err
		},
		"placeholders": t.boolean(&filled, "placeholders"),
	}, "turns, placeholders")
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return nil, t.errorf(root, "turns: is missing or empty; a script needs at least one turn")
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
	out := turn{number: number, line: line(n)}
	said := false
	saying := func(read func(ast.Node) error) func(ast.Node) error {
		return func(n ast.Node) error {
			said = true
			return read(n)
		}
	}
	err := t.record(n, what, map[string]func(ast.Node) error{
		"text":      saying(t.text(&out.text, "text")),
		"toolCalls": saying(func(n ast.Node) error { return t.toolCalls(n, &out) }),
		"usage":     saying(func(n ast.Node) error { return t.usage(n, &out.usage) }),
		"expect":    func(n ast.Node) error { return t.expect(n, &out.expect) },
		"error":     func(n ast.Node) error { return t.fault(n, &out) },
		"delay":     func(n ast.Node) error { return t.delay(n, &out.delay) },
		"finishReason": func(n ast.Node) error {
			out.finishReason = new(string)
			return t.text(out.finishReason, "finishReason")(n)
		},
	}, "text, toolCalls, expect, error, delay, usage, finishReason")
	switch {
	case err != nil:
		return turn{}, err
	case out.fault != nil && said:
		return turn{}, t.errorf(n, "%s has an error and a reply; put the reply in the next turn", what)
	case out.fault == nil && !said:
		return turn{}, t.errorf(n, "%s says nothing; it needs text, toolCalls or error", what)
	}
	out.line = first(n)
	return out, nil
}

// first is the line a mapping begins on; its own token is the first colon.
func first(n ast.Node) int {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		return line(m.Values[0].Key)
	}
	return line(n)
}

func (t *turnReader) toolCalls(n ast.Node, out *turn) error {
	nodes, err := t.list(n, "toolCalls")
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
	err := t.record(n, "a tool call", map[string]func(ast.Node) error{
		"name": func(n ast.Node) error {
			named = true
			return t.text(&c.name, "name")(n)
		},
		"id":   t.text(&c.id, "id"),
		"args": func(n ast.Node) error { return t.args(n, &c) },
	}, "name, args, id")
	if err == nil && !named {
		err = t.errorf(n, "a tool call needs a name")
	}
	return c, err
}

// args takes a mapping, or a string that stands for what a provider sent.
func (t *turnReader) args(n ast.Node, c *call) error {
	if s, ok := stringOf(n); ok {
		c.args, c.raw = s, true
		return nil
	}
	if _, err := t.fields(n, "args"); err != nil {
		return err
	}
	var b strings.Builder
	if err := t.json(&b, n, 0); err != nil {
		return err
	}
	c.args = b.String()
	return nil
}

func (t *turnReader) expect(n ast.Node, expect *string) error {
	if err := t.text(expect, "expect")(n); err != nil {
		return err
	}
	if err := checkPattern(*expect); err != nil {
		return t.errorf(n, "expect: %v", err)
	}
	return nil
}

func (t *turnReader) fault(n ast.Node, out *turn) error {
	f := fault{message: "simulated fault"}
	var status int64
	err := t.record(n, "error", map[string]func(ast.Node) error{
		"status":  t.number(&status, "status"),
		"message": t.text(&f.message, "message"),
	}, "status, message")
	if err != nil {
		return err
	}
	if status != 0 && (status < 400 || status > 599) {
		return t.errorf(n, "status must be 0 (no connection) or 400 to 599, not %d", status)
	}
	f.status = int(status)
	out.fault = &f
	return nil
}

func (t *turnReader) delay(n ast.Node, delay *time.Duration) error {
	s, _ := stringOf(n)
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return t.errorf(n, `delay must be a duration such as "200ms" or "2s"`)
	}
	*delay = d
	return nil
}

func (t *turnReader) usage(n ast.Node, u *agent.Usage) error {
	return t.record(n, "usage", map[string]func(ast.Node) error{
		"inputTokens":      t.number(&u.InputTokens, "inputTokens"),
		"outputTokens":     t.number(&u.OutputTokens, "outputTokens"),
		"cacheReadTokens":  t.number(&u.CacheReadTokens, "cacheReadTokens"),
		"cacheWriteTokens": t.number(&u.CacheWriteTokens, "cacheWriteTokens"),
		"reasoningTokens":  t.number(&u.ReasoningTokens, "reasoningTokens"),
	}, "inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens")
}
