package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
)

func added(index int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":%s}`, index, item)
}

func whole(index int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, index, item)
}

func argsPiece(index int, text string) string {
	return fmt.Sprintf(`{"type":"response.function_call_arguments.delta","output_index":%d,"item_id":"fc_%d","delta":%q}`, index, index, text)
}

func textPiece(index int, text string) string {
	return fmt.Sprintf(`{"type":"response.output_text.delta","output_index":%d,"item_id":"msg_%d","content_index":0,"delta":%q}`, index, index, text)
}

func callItem(id, name, args string) string {
	return fmt.Sprintf(`{"type":"function_call","id":"fc_%s","call_id":%q,"name":%q,"arguments":%q,"status":"completed"}`, id, id, name, args)
}

func messageItem(index int, text string) string {
	return fmt.Sprintf(`{"type":"message","id":"msg_%d","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, index, text)
}

func completed(items ...string) string {
	return fmt.Sprintf(`{"type":"response.completed","response":{"status":"completed","error":null,"incomplete_details":null,"output":[%s]}}`, strings.Join(items, ","))
}

func incomplete(reason string, items ...string) string {
	return fmt.Sprintf(`{"type":"response.incomplete","response":{"status":"incomplete","error":null,"incomplete_details":{"reason":%q},"output":[%s]}}`, reason, strings.Join(items, ","))
}

const reasoningItem = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAA=="}`

func TestModel_Responses(t *testing.T) {
	t.Parallel()
	hello := wires()[1]
	a, b := callItem("a", "f", `{"n":1}`), callItem("b", "g", `{"m":2}`)
	tests := []scenario{
		{name: "text", events: hello.hello(), text: "Hello", want: agent.Reply{FinishReason: "completed", Usage: agent.Usage{InputTokens: 7, OutputTokens: 2}}},
		{name: "usage with cache and reasoning", events: []string{
			`{"type":"response.completed","response":{"output":[` + messageItem(0, "x") + `],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":70,"cache_write_tokens":10},"output_tokens":50,"output_tokens_details":{"reasoning_tokens":30},"total_tokens":150}}}`,
		}, text: "x", want: agent.Reply{FinishReason: "completed", Usage: agent.Usage{InputTokens: 20, CacheReadTokens: 70, CacheWriteTokens: 10, OutputTokens: 50, ReasoningTokens: 30}}},
		{name: "reasoning summary", events: []string{
			added(0, `{"id":"rs_1","type":"reasoning","summary":[]}`),
			`{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
			`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"hm"}`,
			`{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":1,"part":{"type":"summary_text","text":""}}`,
			`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":1,"delta":"ah"}`,
			whole(0, reasoningItem), textPiece(1, "Yes"), whole(1, messageItem(1, "Yes")), completed(reasoningItem, messageItem(1, "Yes")),
		}, thought: "hm\n\nah", text: "Yes", want: agent.Reply{FinishReason: "completed"},
			blocks: `{"v":1,"api":"responses","parts":[{"reasoning":` + reasoningItem + `},{"whole":true}]}`},
		{name: "raw reasoning", events: []string{`{"type":"response.reasoning_text.delta","item_id":"rs_1","output_index":0,"content_index":0,"delta":"hm"}`, completed(messageItem(0, "Yes"))},
			thought: "hm", text: "Yes", want: agent.Reply{FinishReason: "completed"}},
		{name: "reasoning that was not encrypted is of no use", events: []string{whole(0, `{"id":"rs_1","type":"reasoning","summary":[]}`), whole(1, a), completed(`{"id":"rs_1","type":"reasoning","summary":[]}`, a)},
			want: calls("completed", tool("a", "f", `{"n":1}`))},
		{name: "reasoning before calls", events: []string{whole(0, reasoningItem), whole(1, a), completed(reasoningItem, a)},
			want:   calls("completed", tool("a", "f", `{"n":1}`)),
			blocks: `{"v":1,"api":"responses","parts":[{"reasoning":` + reasoningItem + `},{"call":0}]}`},
		{name: "two messages with phases", events: []string{
			textPiece(0, "Looking."), textPiece(1, "Found."),
			completed(strings.Replace(messageItem(0, "Looking."), `"role"`, `"phase":"commentary","role"`, 1), strings.Replace(messageItem(1, "Found."), `"role"`, `"phase":"final_answer","role"`, 1)),
		}, text: "Looking.\n\nFound.", want: agent.Reply{FinishReason: "completed"},
			blocks: `{"v":1,"api":"responses","parts":[{"text":"Looking.","phase":"commentary"},{"text":"Found.","phase":"final_answer"}]}`},
		{name: "call in pieces", events: []string{
			added(0, `{"type":"function_call","id":"fc_a","call_id":"a","name":"f","arguments":""}`), argsPiece(0, `{"n"`), argsPiece(0, `:1}`),
			`{"type":"response.function_call_arguments.done","output_index":0,"item_id":"fc_a","arguments":"{\"n\":1}"}`, whole(0, a), completed(a),
		}, want: calls("completed", tool("a", "f", `{"n":1}`))},
		{name: "pieces only", events: []string{
			added(0, `{"type":"function_call","id":"fc_a","call_id":"a","name":"f","arguments":""}`), argsPiece(0, `{"n"`), argsPiece(0, `:1}`), completed(),
		}, want: calls("completed", tool("a", "f", `{"n":1}`))},
		{name: "parallel calls interleaved", events: []string{
			added(1, `{"type":"function_call","id":"fc_b","call_id":"b","name":"g","arguments":""}`), added(0, `{"type":"function_call","id":"fc_a","call_id":"a","name":"f","arguments":""}`),
			argsPiece(1, `{"m"`), argsPiece(0, `{"n"`), argsPiece(1, `:2}`), argsPiece(0, `:1}`), whole(1, b), whole(0, a), completed(),
		}, want: calls("completed", tool("a", "f", `{"n":1}`), tool("b", "g", `{"m":2}`))},
		{name: "no place but IDs", events: []string{
			`{"type":"response.output_item.added","item":{"type":"function_call","id":"fc_0","call_id":"a","name":"f"}}`, `{"type":"response.output_item.added","item":{"type":"function_call","id":"fc_1","call_id":"b","name":"g"}}`,
			`{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{\"m\":2}"}`, `{"type":"response.function_call_arguments.delta","item_id":"fc_0","delta":"{\"n\":1}"}`, completed(),
		}, want: calls("completed", tool("a", "f", `{"n":1}`), tool("b", "g", `{"m":2}`))},
		{name: "output only in the end", events: []string{completed(a, b)}, want: calls("completed", tool("a", "f", `{"n":1}`), tool("b", "g", `{"m":2}`))},
		{name: "text and a call", events: []string{textPiece(0, "Look."), completed(messageItem(0, "Look."), a)}, text: "Look.", want: calls("completed", tool("a", "f", `{"n":1}`))},
		{name: "arguments that are no JSON", events: []string{completed(callItem("a", "f", "path=x"))}, want: calls("completed", tool("a", "f", "path=x"))},
		{name: "no arguments", events: []string{completed(callItem("a", "f", ""))}, want: calls("completed", tool("a", "f", ""))},
		{name: "empty", events: []string{completed()}, want: agent.Reply{FinishReason: "completed"}},
		{name: "refusal", events: []string{
			added(0, `{"type":"message","id":"msg_0","content":[]}`), `{"type":"response.refusal.delta","item_id":"msg_0","output_index":0,"content_index":0,"delta":"I cannot."}`,
			completed(`{"type":"message","id":"msg_0","content":[{"type":"refusal","refusal":"I cannot."}]}`),
		}, text: "I cannot.", want: agent.Reply{FinishReason: "refusal", End: agent.EndRefused}},
		{name: "length", events: []string{textPiece(0, "and so"), incomplete("max_output_tokens", messageItem(0, "and so"))}, text: "and so", want: agent.Reply{FinishReason: "max_output_tokens", End: agent.EndCut}},
		{name: "length in the middle of arguments", events: []string{
			added(0, `{"type":"function_call","id":"fc_a","call_id":"a","name":"f","arguments":""}`), argsPiece(0, `{"pa`), added(1, `{"type":"function_call","id":"fc_b","call_id":"b","name":"g","arguments":""}`), incomplete("max_output_tokens"),
		}, want: cutShort(calls("max_output_tokens", tool("a", "f", `{"pa`)))},
		{name: "content filter", events: []string{textPiece(0, "Well"), incomplete("content_filter", messageItem(0, "Well"))}, text: "Well", want: agent.Reply{FinishReason: "content_filter", End: agent.EndRefused}},
		{name: "content filter with nothing", events: []string{incomplete("content_filter")}, want: agent.Reply{FinishReason: "content_filter", End: agent.EndRefused}},
		{name: "events nobody knows", events: []string{`{"type":"response.queued","response":{}}`, `{"type":"keepalive"}`, `{"type":"response.web_search_call.searching","item_id":"ws"}`, `{"a":1}`, textPiece(0, "x"), completed(messageItem(0, "x"))},
			text: "x", want: agent.Reply{FinishReason: "completed"}},
		{name: "items nobody knows", events: []string{whole(0, `{"type":"mystery","id":"m"}`), textPiece(1, "x"), completed(`{"type":"mystery","id":"m"}`, messageItem(1, "x"))}, text: "x", want: agent.Reply{FinishReason: "completed"}},

		{name: "cut", events: hello.begin, fault: "ended in the middle"},
		{name: "cut before completed", events: []string{whole(0, a)}, fault: "ended in the middle"},
		{name: "[DONE] is no end", events: []string{whole(0, a), "[DONE]"}, fault: "ended in the middle"},
		{name: "nothing", fault: "ended in the middle"},
		{name: "failed: server error", events: []string{textPiece(0, "x"), `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"The server had an error"},"output":[]}}`}, fault: "The server had an error"},
		{name: "failed: rate limit", events: []string{`{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"slow down"}}}`}, fault: "slow down"},
		{name: "failed: invalid prompt", events: []string{`{"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"not this"}}}`}, fault: "not this", lasting: true},
		{name: "failed: policy", events: []string{`{"type":"response.failed","response":{"error":{"code":"bio_policy","message":"not this"}}}`}, fault: "not this", lasting: true},
		{name: "failed without a word", events: []string{`{"type":"response.failed","response":{"error":null}}`}, fault: "reported an error"},
		{name: "error event", events: []string{textPiece(0, "x"), `{"type":"error","code":"server_error","message":"oh no","param":null}`}, fault: "oh no"},
		{name: "error event with an error in it", events: []string{`{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"too long"}}`}, fault: "too long", lasting: true},
		{name: "error without a type", events: []string{`{"error":{"message":"gateway lost it"}}`}, fault: "gateway lost it"},
		{name: "garbage", events: []string{textPiece(0, "x"), `{"type":"resp`}, fault: "no event"},
		{name: "completed without a response", events: []string{`{"type":"response.completed"}`}, fault: "no event"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.run(t, Responses)
		})
	}
}
