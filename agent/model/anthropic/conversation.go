package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/seed-3e5a1d81/agent/agent"
)

// conversation maps messages to turns that alternate between user and
// assistant. It keeps a running digest of what the model reads, so that it can
// tell whether a thinking block still stands after what it stood after when it
// was made: a change of mode changes system prompt and tools, and then newer
// models refuse the whole request.
type conversation struct {
	model  string
	plain  bool // no thinking blocks at all
	binds  bool // thinking is void once what stands before it has changed
	goesOn bool // ends with an answer that is to be continued

	turns  []sdk.MessageParam
	role   agent.Role // of the open turn: user or assistant
	open   []sdk.ContentBlockParamUnion
	sum    []byte // digest of system prompt, tools and the closed turns
	thinks bool
	err    error
}

func (c *conversation) begin(system []sdk.TextBlockParam, tools []sdk.ToolUnionParam) error {
	c.role = agent.RoleUser
	c.sum = c.digest(struct {
		System []sdk.TextBlockParam
		Tools  []sdk.ToolUnionParam
	}{system, tools})
	return c.err
}

// digest is the digest so far, taken on by v.
func (c *conversation) digest(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil && c.err == nil {
		c.err = err
	}
	sum := sha256.Sum256(append(c.sum[:len(c.sum):len(c.sum)], data...))
	return sum[:]
}

// prefix is the digest of all that was added.
func (c *conversation) prefix() string {
	if len(c.open) == 0 {
		return hex.EncodeToString(c.sum)
	}
	return hex.EncodeToString(c.digest(c.turn()))
}

func (c *conversation) add(msg agent.Message) {
	switch msg.Role {
	case agent.RoleAssistant:
		c.addAssistant(msg)
	case agent.RoleTool:
		for _, out := range msg.Outputs {
			c.put(agent.RoleUser, resultBlock(out))
		}
	default:
		c.putText(msg.Text)
	}
}

// addAssistant adds a reply. An empty one leaves no trace, so that the turns
// around it become one.
func (c *conversation) addAssistant(msg agent.Message) {
	if c.role == agent.RoleAssistant {
		c.putText(goOn) // the API knows no two turns in a row
	}
	k := keptOf(msg, c.model)
	k.thinking = !c.plain && (!c.binds || k.Prefix == c.prefix())
	for _, b := range k.blocks(msg) {
		c.thinks = c.thinks || isThinking(b)
		c.put(agent.RoleAssistant, b)
	}
}

// goOn is what a user turn says that the API demands and nobody spoke.
const goOn = "Go on."

func (c *conversation) putText(text string) {
	if strings.TrimSpace(text) != "" { // the API refuses blank ones
		c.put(agent.RoleUser, sdk.NewTextBlock(text))
	}
}

func (c *conversation) put(role agent.Role, b sdk.ContentBlockParamUnion) {
	if c.role != role {
		c.close()
		c.role = role
	}
	c.open = append(c.open, b)
}

// turn is the open turn.
func (c *conversation) turn() sdk.MessageParam {
	if c.role == agent.RoleAssistant {
		return sdk.NewAssistantMessage(c.open...)
	}
	return sdk.NewUserMessage(c.open...)
}

// close ends the open turn.
func (c *conversation) close() {
	if len(c.open) > 0 {
		c.sum = c.digest(c.turn())
		c.turns, c.open = append(c.turns, c.turn()), nil
	}
}

// end closes the conversation, with a turn of the user unless it goes on.
func (c *conversation) end() ([]sdk.MessageParam, string, error) {
	if c.role == agent.RoleAssistant && !c.goesOn {
		c.putText(goOn)
	}
	c.close()
	return c.turns, c.prefix(), c.err
}

// resultBlock maps the result of a call. The API refuses empty errors.
func resultBlock(out agent.ToolOutput) sdk.ContentBlockParamUnion {
	content := out.Content
	if strings.TrimSpace(content) == "" {
		content = "(no output)"
	}
	b := sdk.NewToolResultBlock(wireID(out.CallID), content, out.IsError)
	if !out.IsError {
		b.OfToolResult.IsError = sdk.ToolResultBlockParam{}.IsError
	}
	return b
}

func callBlock(c agent.ToolCall) sdk.ContentBlockParamUnion {
	return sdk.NewToolUseBlock(wireID(c.ID), inputOf(c.Args), wireName(c.Name))
}

// wireID is a call's ID in the letters the API takes. IDs that other models
// made are rewritten, each always to the same.
func wireID(id string) string {
	clean := wireLetters(id)
	if clean == id && id != "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return clean + "_" + hex.EncodeToString(sum[:4])
}

// wireName is a tool's name in the letters the API takes: a model may have
// called a tool there is not.
func wireName(name string) string {
	if name == "" {
		return "unknown"
	}
	clean := wireLetters(name)
	return clean[:min(len(clean), 128)]
}

func wireLetters(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}
