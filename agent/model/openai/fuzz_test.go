package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-3e5a1d81/agent/agent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// FuzzExchange reads whatever a server may send, one event a line. Nothing of
// it may break the adapter, and what it keeps must be fit for the next request.
func FuzzExchange(f *testing.F) {
	for _, w := range wires() {
		f.Add(strings.Join(w.hello(), "\n"))
	}
	f.Add(strings.Join([]string{piece(0, `{"id":"a","function":{"name":"f","arguments":"{\"n\""}}`), piece(1, `{"id":"b","function":{"name":"g"}}`), delta(`{"tool_calls":[{"function":{"arguments":":1}"}}]}`), finish("length")}, "\n"))
	f.Add(strings.Join([]string{whole(0, reasoningItem), added(3, callItem("a", "f", "")), argsPiece(3, `{"n"`), textPiece(1, "x"), completed(reasoningItem, callItem("a", "f", "{}"))}, "\n"))
	f.Add(`{"type":"response.output_item.added"}` + "\n" + `{"type":"response.incomplete","response":{"output":[null,1,{}]}}`)
	f.Fuzz(func(t *testing.T, lines string) {
		for _, api := range []string{Chat, Responses} {
			m, err := New(Provider{Name: "p", BaseURL: "http://127.0.0.1", API: api, APIKey: planted, vendor: vendor{objectArgs: true}}, "m", Options{})
			if err != nil {
				t.Fatal(err)
			}
			if reply := read(m, api, strings.Split(lines, "\n")); reply != nil {
				checkReturn(t, m, reply)
			}
		}
	})
}

// read makes a reply of events; nil if they are none.
func read(m *Model, api string, events []string) *agent.Reply {
	var x exchange = newChat(m, agent.Request{})
	if api == Responses {
		x = newResponses(m, agent.Request{})
	}
	for _, e := range events {
		done, err := x.event([]byte(e), func(agent.Chunk) bool { return true })
		if err != nil {
			return nil
		}
		if done {
			break
		}
	}
	reply, err := x.reply(true)
	if err != nil {
		return nil
	}
	return reply
}

// checkReturn sends a reply back as the loop would and reads what is sent.
func checkReturn(t *testing.T, m *Model, reply *agent.Reply) {
	t.Helper()
	if len(reply.Blocks) > 0 && !json.Valid(reply.Blocks) {
		t.Fatalf("blocks %s", reply.Blocks)
	}
	for i, c := range reply.ToolCalls {
		if !json.Valid(c.Args) {
			reply.ToolCalls[i].Args, _ = json.Marshal(string(c.Args))
		}
	}
	msg := agent.Message{Role: agent.RoleAssistant, Model: m.ID(), Text: reply.Text, ToolCalls: reply.ToolCalls, Blocks: reply.Blocks}
	req := agent.Request{Messages: []agent.Message{msg}}
	params, err := m.responseParams(req)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := json.Marshal(params); err != nil || !json.Valid(raw) {
		t.Fatalf("response request %s, %v", raw, err)
	}
	chat := m.chatRequest(req)
	if raw, err := json.Marshal(chat); err != nil {
		t.Fatalf("chat request %s, %v", raw, err)
	}
	for _, msg := range chat.Messages {
		for _, c := range msg.ToolCalls {
			if !isObject(c.Function.Arguments) {
				t.Fatalf("arguments %q are no object", c.Function.Arguments)
			}
		}
	}
}
