package script

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
)

// turn is one entry of a script: a reply, or a fault in place of one.
type turn struct {
	number int // from 1, faults counted
	line   int
	text   string
	calls  []call
	usage  agent.Usage
	expect string
	delay  time.Duration
	fault  *fault

	finishReason *string // nil: what follows from the calls
	end          agent.End
	literal      bool // nothing is filled in
}

// call is a tool call as written. args is JSON with its placeholders, or, with
// raw set, text that need not be JSON.
type call struct {
	id, name, args string
	raw            bool
}

// fault is a simulated failure of a provider.
type fault struct {
	status  int
	message string
}

func (f *fault) provider() *agent.ProviderError {
	return &agent.ProviderError{
		Status: f.status, Message: f.message, Hint: hint(f.status),
		Retryable: f.status == 0 || agent.RetryableStatus(f.status),
	}
}

func hint(status int) string {
	switch status {
	case 400:
		return "the request itself is at fault; a retry will not help"
	case 401:
		return "check the API key"
	case 403:
		return "the API key may not use this model"
	case 404:
		return "check the model's name"
	}
	return ""
}

func (t turn) reply(fill fill) agent.Reply {
	fill.literal = t.literal
	r := agent.Reply{Text: fill.text(t.text), Usage: t.usage, FinishReason: "stop", End: t.end}
	for _, c := range t.calls {
		r.ToolCalls = append(r.ToolCalls, agent.ToolCall{ID: fill.text(c.id), Name: fill.text(c.name), Args: c.filled(fill)})
	}
	if len(t.calls) > 0 {
		r.FinishReason = "tool_calls"
	}
	if t.finishReason != nil {
		r.FinishReason = *t.finishReason
	}
	return r
}

// filled returns the arguments of a call. Text that turns out to be no JSON
// object is given on as a JSON string, as agent.ToolCall wants it.
func (c call) filled(fill fill) json.RawMessage {
	if !c.raw {
		return json.RawMessage(fill.inJSON(c.args))
	}
	text := strings.TrimSpace(fill.text(c.args))
	if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return quote(fill.text(c.args))
}

// expected checks what the newest messages hold against the turn's expect.
func (t turn) expected(req agent.Request, fill fill) error {
	if t.expect == "" {
		return nil
	}
	fill.literal = t.literal
	news := newest(req.Messages)
	found := false
	if pattern, ok := asPattern(t.expect); ok {
		re, err := regexp.Compile(fill.inPattern(pattern))
		if err != nil {
			return fmt.Errorf("expects %s: %w", t.expect, err)
		}
		found = re.MatchString(news)
	} else {
		found = strings.Contains(news, fill.text(t.expect))
	}
	if !found {
		return fmt.Errorf("expects %q, but the newest messages say %q", fill.text(t.expect), clip(news, 400))
	}
	return nil
}

func asPattern(expect string) (string, bool) {
	if len(expect) > 2 && expect[0] == '/' && expect[len(expect)-1] == '/' {
		return expect[1 : len(expect)-1], true
	}
	return "", false
}

func checkPattern(expect string) error {
	pattern, ok := asPattern(expect)
	if !ok {
		return nil
	}
	_, err := regexp.Compile(pattern)
	return err
}

// newest joins what the model has not replied to yet.
func newest(messages []agent.Message) string {
	first := len(messages)
	for first > 0 && messages[first-1].Role != agent.RoleAssistant {
		first--
	}
	var parts []string
	for _, m := range messages[first:] {
		if m.Text != "" {
			parts = append(parts, m.Text)
		}
		for _, o := range m.Outputs {
			parts = append(parts, o.Content)
		}
	}
	return strings.Join(parts, "\n")
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
