package openai

import (
	"fmt"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

// delta is a chat event with one delta.
func delta(json string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":%s,"finish_reason":null}]}`, json)
}

func piece(index int, json string) string {
	return delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,%s]}`, index, json[1:]))
}

func finish(reason string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

func calls(reason string, c ...agent.ToolCall) agent.Reply {
	return agent.Reply{ToolCalls: c, FinishReason: reason}
}

func TestModel_Chat(t *testing.T) {
	t.Parallel()
	hello := wires()[0]
	tests := []scenario{
		{name: "text", events: hello.hello(), text: "Hello", want: agent.Reply{FinishReason: "stop", Usage: agent.Usage{InputTokens: 7, OutputTokens: 2}}},
		{name: "usage with cache and reasoning", events: []string{
			delta(`{"content":"x"}`), finish("stop"),
			`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":80},"completion_tokens_details":{"reasoning_tokens":30},"cost":{"total":1}}}`, "[DONE]",
		}, text: "x", want: agent.Reply{FinishReason: "stop", Usage: agent.Usage{InputTokens: 20, CacheReadTokens: 80, OutputTokens: 50, ReasoningTokens: 30}}},
		{name: "usage null until the end", events: []string{
			`{"choices":[{"index":0,"delta":{"content":"x"}}],"usage":null}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, "[DONE]",
		}, text: "x", want: agent.Reply{FinishReason: "stop", Usage: agent.Usage{InputTokens: 3, OutputTokens: 1}}},
		{name: "reasoning_content", events: []string{delta(`{"reasoning_content":"hm, "}`), delta(`{"reasoning_content":"yes"}`), delta(`{"content":"Yes"}`), finish("stop"), "[DONE]"},
			thought: "hm, yes", text: "Yes", want: agent.Reply{FinishReason: "stop"}},
		{name: "reasoning by both names counts once", events: []string{delta(`{"reasoning":"hm","reasoning_content":"hm"}`), delta(`{"content":"Yes"}`), finish("stop"), "[DONE]"},
			thought: "hm", text: "Yes", want: agent.Reply{FinishReason: "stop"}},
		{name: "reasoning is kept beside calls", events: []string{delta(`{"reasoning_content":"hm"}`), piece(0, `{"id":"a","function":{"name":"f","arguments":"{}"}}`), finish("tool_calls"), "[DONE]"},
			thought: "hm", want: calls("tool_calls", tool("a", "f", "{}")), blocks: `{"v":1,"api":"chat","reasoningContent":"hm"}`},
		{name: "reasoning_details are joined", events: []string{
			delta(`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","index":0,"text":"a"}]}`),
			delta(`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","index":0,"text":"b","signature":"s"}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.encrypted","index":1,"data":"xyz"}]}`),
			piece(0, `{"id":"a","function":{"name":"f","arguments":"{}"}}`), finish("tool_calls"), "[DONE]",
		}, thought: "ab", want: calls("tool_calls", tool("a", "f", "{}")),
			blocks: `{"v":1,"api":"chat","reasoningDetails":[{"index":0,"signature":"s","text":"ab","type":"reasoning.text"},{"data":"xyz","index":1,"type":"reasoning.encrypted"}]}`},
		{name: "call in pieces", events: []string{
			piece(0, `{"id":"a","type":"function","function":{"name":"read","arguments":""}}`),
			piece(0, `{"function":{"arguments":"{\"pa"}}`), piece(0, `{"function":{"arguments":"th\":\"x\"}"}}`), finish("tool_calls"), "[DONE]",
		}, want: calls("tool_calls", tool("a", "read", `{"path":"x"}`))},
		{name: "text and a call", events: []string{delta(`{"content":"Look."}`), piece(0, `{"id":"a","function":{"name":"f","arguments":"{}"}}`), finish("tool_calls"), "[DONE]"},
			text: "Look.", want: calls("tool_calls", tool("a", "f", "{}"))},
		{name: "parallel calls interleaved", events: []string{
			piece(0, `{"id":"a","function":{"name":"f","arguments":"{\"n\""}}`), piece(1, `{"id":"b","function":{"name":"g","arguments":"{\"m"}}`),
			piece(0, `{"function":{"arguments":":1}"}}`), piece(1, `{"function":{"arguments":"\":2}"}}`), finish("tool_calls"), "[DONE]",
		}, want: calls("tool_calls", tool("a", "f", `{"n":1}`), tool("b", "g", `{"m":2}`))},
		{name: "second call begins first", events: []string{
			piece(1, `{"id":"b","function":{"name":"g","arguments":"{\"m\":"}}`), piece(0, `{"id":"a","function":{"name":"f","arguments":"{}"}}`),
			piece(1, `{"function":{"arguments":"2}"}}`), finish("tool_calls"), "[DONE]",
		}, want: calls("tool_calls", tool("b", "g", `{"m":2}`), tool("a", "f", "{}"))},
		{name: "all calls have index 0", events: []string{
			piece(0, `{"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}}`), piece(0, `{"id":"b","function":{"name":"f","arguments":"{\"n\":2}"}}`), finish("tool_calls"), "[DONE]",
		}, want: calls("tool_calls", tool("a", "f", `{"n":1}`), tool("b", "f", `{"n":2}`))},
		{name: "no index at all", events: []string{
			delta(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"n\""}}]}`), delta(`{"tool_calls":[{"function":{"arguments":":1}"}}]}`),
			delta(`{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{}"}}]}`), finish("tool_calls"), "[DONE]",
		}, want: calls("tool_calls", tool("a", "f", `{"n":1}`), tool("b", "g", "{}"))},
		{name: "name and ID in every piece", events: []string{
			piece(0, `{"id":"a","function":{"name":"f","arguments":"{\"n\""}}`), piece(0, `{"id":"a","function":{"name":"f","arguments":":1}"}}`), finish("tool_calls"), "[DONE]",
		}, want: calls("tool_calls", tool("a", "f", `{"n":1}`))},
		{name: "arguments as an object", events: []string{piece(0, `{"id":"a","function":{"name":"f","arguments":{"n":1}}}`), finish("tool_calls"), "[DONE]"},
			want: calls("tool_calls", tool("a", "f", `{"n":1}`))},
		{name: "arguments that are no JSON", events: []string{piece(0, `{"id":"a","function":{"name":"f","arguments":"path=x"}}`), finish("tool_calls"), "[DONE]"},
			want: calls("tool_calls", tool("a", "f", "path=x"))},
		{name: "calls without IDs", events: []string{
			piece(0, `{"function":{"name":"f","arguments":"{}"}}`), piece(1, `{"function":{"name":"g","arguments":"{}"}}`), finish("tool_calls"), "[DONE]",
		}, want: calls("tool_calls", tool("", "f", "{}"), tool("", "g", "{}"))},
		{name: "a signature of Gemini's", events: []string{
			piece(0, `{"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"sig"}}}`), finish("tool_calls"), "[DONE]",
		}, want: calls("tool_calls", tool("a", "f", "{}")), blocks: `{"v":1,"api":"chat","extra":{"0":{"google":{"thought_signature":"sig"}}}}`},
		{name: "empty", events: []string{delta(`{"role":"assistant","content":""}`), finish("stop"), "[DONE]"}, want: agent.Reply{FinishReason: "stop"}},
		{name: "only the end", events: []string{"[DONE]"}},
		{name: "refusal", events: []string{delta(`{"refusal":"I can"}`), delta(`{"refusal":"not."}`), finish("stop"), "[DONE]"}, text: "I cannot.", want: agent.Reply{FinishReason: "refusal", End: agent.EndRefused}},
		{name: "length", events: []string{delta(`{"content":"and so"}`), finish("length"), "[DONE]"}, text: "and so", want: agent.Reply{FinishReason: "length", End: agent.EndCut}},
		{name: "length in the middle of arguments", events: []string{
			piece(0, `{"id":"a","function":{"name":"f","arguments":"{\"pa"}}`), piece(1, `{"id":"b","function":{"name":"g","arguments":""}}`), finish("length"), "[DONE]",
		}, want: cutShort(calls("length", tool("a", "f", `{"pa`)))},
		{name: "content filter", events: []string{delta(`{"content":"Well"}`), finish("content_filter"), "[DONE]"}, text: "Well", want: agent.Reply{FinishReason: "content_filter", End: agent.EndRefused}},
		{name: "content as parts", events: []string{delta(`{"content":[{"type":"text","text":"Yes"}]}`), finish("stop"), "[DONE]"}, text: "Yes", want: agent.Reply{FinishReason: "stop"}},
		{name: "events nobody knows", events: []string{`{"object":"ping"}`, `{"choices":[{"index":0,"delta":{"content":"x","shape":7},"logprobs":null}],"obfuscation":"…"}`, `{"choices":[{"index":1,"delta":{"content":"other"}}]}`, finish("stop"), "[DONE]"},
			text: "x", want: agent.Reply{FinishReason: "stop"}},
		{name: "fields of other types", events: []string{`{"id":7,"choices":[{"index":0,"delta":{"content":"x","reasoning_details":{}},"finish_reason":null}]}`, `[1]`, `"x"`, finish("stop"), "[DONE]"}, text: "x", want: agent.Reply{FinishReason: "stop"}},
		{name: "error null in every event", events: []string{`{"error":null,"choices":[{"index":0,"delta":{"content":"x"}}]}`, finish("stop"), "[DONE]"}, text: "x", want: agent.Reply{FinishReason: "stop"}},
		{name: "words that look like an error", events: []string{delta(`{"content":"\"error\""}`), finish("stop"), "[DONE]"}, text: `"error"`, want: agent.Reply{FinishReason: "stop"}},
		{name: "finished without [DONE]", events: []string{delta(`{"content":"x"}`), finish("stop")}, text: "x", want: agent.Reply{FinishReason: "stop"}},

		{name: "cut", events: hello.begin, fault: "ended in the middle"},
		{name: "cut in the middle of a call", events: []string{piece(0, `{"id":"a","function":{"name":"f","arguments":"{"}}`)}, fault: "ended in the middle"},
		{name: "nothing", fault: "ended in the middle"},
		{name: "error with a choice", events: []string{delta(`{"content":"x"}`), `{"error":{"code":429,"message":"slow down"},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`}, fault: "slow down"},
		{name: "finish reason error", events: []string{delta(`{"content":"x"}`), finish("error"), "[DONE]"}, fault: "ended in the middle"},
		{name: "error as a text", events: []string{`{"error":"model runner has stopped"}`}, fault: "model runner has stopped"},
		{name: "error as a message", events: []string{`{"object":"error","message":"worker died","code":50000}`}, fault: "worker died"},
		{name: "lasting error event", events: []string{`{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}`}, fault: "too long", lasting: true},
		{name: "error event 402", events: []string{`{"error":{"message":"no credit","code":402}}`}, fault: "no credit", lasting: true},
		{name: "garbage", events: []string{delta(`{"content":"x"}`), `{"choices":[{"ind`}, fault: "no event"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.run(t, Chat)
		})
	}
}

// OpenRouter says what a reply cost; what others call cost may be anything.
func TestModel_Cost(t *testing.T) {
	t.Parallel()
	key := func(string) string { return planted }
	events := []string{finish("stop"), `{"choices":[],"usage":{"prompt_tokens":1,"cost":0.25}}`, "[DONE]"}
	for _, p := range []Provider{OpenRouter(key), Ollama(key)} {
		p.BaseURL = serverFor(t, Chat, serve(events...)).BaseURL
		cost := listen(t, open(t, p, "m", Options{}), say("hi")).reply.Usage.Cost
		if known := cost != nil && *cost == 0.25; known != (p.Name == "openrouter") {
			t.Errorf("%s: cost %v", p.Name, cost)
		}
	}
}

func cutShort(r agent.Reply) agent.Reply {
	r.End = agent.EndCut
	return r
}
