package anthropic

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3e5a1d81/agent/agent"
)

// contentOf is the content of a message of a request, its keys in order.
func contentOf(t *testing.T, body map[string]any, message int) string {
	t.Helper()
	messages := body["messages"].([]any)
	if message >= len(messages) {
		t.Fatalf("%d messages in %v", len(messages), body)
	}
	data, err := json.Marshal(messages[message].(map[string]any)["content"])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func user(text string) agent.Message { return agent.Message{Role: agent.RoleUser, Text: text} }

func results(outs ...agent.ToolOutput) agent.Message {
	return agent.Message{Role: agent.RoleTool, Outputs: outs}
}

// said is what the journal keeps of a reply.
func said(m *Model, r *agent.Reply) agent.Message {
	return agent.Message{Role: agent.RoleAssistant, Text: r.Text, ToolCalls: r.ToolCalls, Model: m.ID(), Blocks: r.Blocks}
}

func schema() []agent.Definition {
	return []agent.Definition{
		{Name: "list_files", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`)},
		{Name: "read_file", Description: "Read <a> file.", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
	}
}

// The whole of a request, after a conversation with all there can be in one.
func TestModel_Request_Golden(t *testing.T) {
	t.Parallel()
	s := serve(t,
		plays(begins(), thinkingBlock(0, "c2ln+/==", "Look <first> & \u2028"), textBlock(1, "I look."), toolBlock(2, "toolu_1", "list_files"), toolBlock(3, "toolu_2", "read_file", `{"path": "a"}`), ends("tool_use")),
		plays(begins(), opens(0, `{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix/"}`), closes(0), textBlock(1, "Done."), ends("end_turn")),
		plays(begins(), textBlock(0, "Bye."), ends("end_turn")),
	)
	m := s.open("claude-opus-4-8", func(o *Options) { o.Thinking = "high"; o.Headers = map[string]string{"X-Team": "cats"} })
	req := says("Look around")
	req.Tools = schema()
	first := listen(t, m, req)
	req.Messages = append(req.Messages, said(m, first.reply), results(
		agent.ToolOutput{CallID: "toolu_1", Name: "list_files", Content: ""},
		agent.ToolOutput{CallID: "toolu_2", Name: "read_file", Content: "no such file", IsError: true},
	), user("And mind the cat."))
	second := listen(t, m, req)
	req.Messages = append(req.Messages,
		said(m, second.reply),
		user("Once more"), user("  "), user("please"),
		agent.Message{Role: agent.RoleAssistant, Text: "From elsewhere.", Model: "openai/x", Blocks: json.RawMessage(`{"v":1,"content":[{"raw":{"type":"thinking"}}]}`), ToolCalls: []agent.ToolCall{
			call("call 1|ü", "no such tool!", `"{\"a\": oops"`), call("call_2", "read_file", `[1]`),
		}},
		results(agent.ToolOutput{CallID: "call 1|ü", Content: "There is no such tool.", IsError: true}, agent.ToolOutput{CallID: "call_2", Content: "Not an object.", IsError: true}),
	)
	if h := listen(t, m, req); h.err != nil || h.reply.Text != "Bye." {
		t.Fatalf("%+v, %v", h.reply, h.err)
	}
	golden(t, "request.json", s.body(2))
	head := s.heads[2]
	if head.Get("X-Api-Key") != marker || head.Get("Authorization") != "" || head.Get("X-Team") != "cats" || head.Get("Anthropic-Version") == "" {
		t.Errorf("headers %v", head)
	}
}

func golden(t *testing.T, name string, got any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		pretty, _ := json.MarshalIndent(got, "", "  ")
		t.Errorf("%s (-want +got):\n%s\ngot\n%s", name, diff, pretty)
	}
}

// A block of thinking keeps every byte of its strings, and its place.
func TestModel_Request_ThinkingComesBackUnchanged(t *testing.T) {
	t.Parallel()
	thinking := `{"type":"thinking","thinking":"\ud83d\ude00 \ud800 <b>&\u0000\\n \u2028","signature":"s/+=="}`
	s := serve(t, plays(begins(),
		opens(0, `{"type":"thinking","thinking":"","signature":""}`),
		deltas(0, `{"type":"thinking_delta","thinking":"\ud83d"}`), deltas(0, `{"type":"thinking_delta","thinking":"\ude00 \ud800 <b>&"}`),
		deltas(0, `{"type":"thinking_delta","thinking":"\u0000\\n \u2028"}`), deltas(0, `{"type":"signature_delta","signature":"s/+=="}`), closes(0),
		textBlock(1, "Grüße"), thinkingBlock(2, "", ""), toolBlock(3, "toolu_1", "list_files"), opens(4, thinking), closes(4), ends("tool_use"),
	), plays(begins(), ends("end_turn")))
	m := s.open("claude-opus-5-5")
	req := says("x")
	h := listen(t, m, req)
	if h.err != nil {
		t.Fatal(h.err)
	}
	req.Messages = append(req.Messages, said(m, h.reply), results(agent.ToolOutput{CallID: "toolu_1", Content: "ok"}))
	listen(t, m, req)
	var body struct {
		Messages []struct{ Content []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(s.bodies[1]), &body); err != nil {
		t.Fatal(err)
	}
	blocks := body.Messages[1].Content
	if len(blocks) != 5 {
		t.Fatalf("%d blocks: %s", len(blocks), blocks)
	}
	for _, i := range []int{0, 4} {
		// Compared as written: a decoder would make all lone surrogates the same.
		got := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(blocks[i]))
		for _, part := range []string{`"\ud83d\ude00 \ud800 <b>&\u0000\\n \u2028"`, `"s/+=="`, `"thinking"`} {
			if !strings.Contains(got, part) {
				t.Errorf("block %d is %s, want %s in it", i, got, part)
			}
		}
	}
	if !strings.Contains(string(blocks[1]), "Grüße") || !strings.Contains(string(blocks[3]), "tool_use") {
		t.Errorf("order: %s", blocks)
	}
}

func TestModel_Request_Thinking(t *testing.T) {
	t.Parallel()
	thinks := plays(begins(), thinkingBlock(0, "sig", "Hm"), textBlock(1, "Look."), toolBlock(2, "toolu_1", "list_files"), ends("tool_use"))
	kept := `{"signature":"sig","thinking":"Hm","type":"thinking"}`
	tests := []struct {
		name, model, level string
		change             func(m *Model, req *agent.Request) // between the two requests
		back               bool                               // the thinking goes back
		thinking           string                             // of the second request
	}{
		{"same mode", "claude-opus-5-5", "", func(*Model, *agent.Request) {}, true, "null"},
		{"another mode", "claude-opus-5-5", "", func(_ *Model, r *agent.Request) { r.System = "Build." }, false, "null"},
		{"other tools", "claude-sonnet-5-5", "", func(_ *Model, r *agent.Request) { r.Tools = schema()[1:] }, false, "null"},
		{"a history made shorter", "claude-opus-5-5", "", func(_ *Model, r *agent.Request) { r.Messages[0].Text = "…" }, false, "null"},
		{"another mode, blocks not bound", "claude-opus-4-8", "low", func(_ *Model, r *agent.Request) { r.System = "Build." }, true, `{"display":"summarized","type":"adaptive"}`},
		{"another model", "claude-opus-5-5", "", func(_ *Model, r *agent.Request) { r.Messages[1].Model = "anthropic/claude-opus-5" }, false, "null"},
		{"thinking turned off", "claude-haiku-5-5", "off", func(*Model, *agent.Request) {}, false, `{"type":"disabled"}`},
		{"text masked since", "claude-haiku-4-5", "medium", func(_ *Model, r *agent.Request) { r.Messages[1].Text = "[secret]" }, true, `{"budget_tokens":10240,"type":"enabled"}`},
		{"a budget after a turn without thinking", "claude-haiku-4-5", "high", func(_ *Model, r *agent.Request) { r.Messages[1].Model = "openai/x" }, false, "null"},
		{"a damaged record", "claude-haiku-4-5", "", func(_ *Model, r *agent.Request) { r.Messages[1].Blocks = json.RawMessage(`{"v":1,"content":7}`) }, false, "null"},
		{"a record of tomorrow", "claude-haiku-4-5", "", func(_ *Model, r *agent.Request) { r.Messages[1].Blocks = json.RawMessage(`{"v":2}`) }, false, "null"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, thinks, plays(begins(), textBlock(0, "ok"), ends("end_turn")))
			m := s.open(tc.model, func(o *Options) { o.Thinking = tc.level })
			req := says("x")
			req.Tools = schema()
			req.Messages = append(req.Messages, said(m, listen(t, m, req).reply), results(agent.ToolOutput{CallID: "toolu_1", Content: "ok"}))
			tc.change(m, &req)
			if h := listen(t, m, req); h.err != nil {
				t.Fatal(h.err)
			}
			if got := contentOf(t, s.body(1), 1); strings.HasPrefix(got, "["+kept) != tc.back {
				t.Errorf("content %s, want thinking: %v", got, tc.back)
			}
			if got, _ := json.Marshal(s.body(1)["thinking"]); string(got) != tc.thinking {
				t.Errorf("thinking %s, want %s", got, tc.thinking)
			}
		})
	}
}

// Plan, build, plan again: what was thought in each part stands where it was
// thought, or is left out for good; a request is never refused for it.
func TestModel_Request_ThereAndBack(t *testing.T) {
	t.Parallel()
	s := serve(t, plays(begins(), thinkingBlock(0, "sig", "Hm"), toolBlock(1, "t", "list_files"), ends("tool_use")))
	m := s.open("claude-opus-5-5")
	req := says("x")
	var want []string
	for i, mode := range []string{"plan", "plan", "build", "build", "plan", "plan"} {
		req.System = mode
		r := listen(t, m, req).reply
		r.ToolCalls[0].ID = string(rune('a' + i))
		req.Messages = append(req.Messages, said(m, r), results(agent.ToolOutput{CallID: r.ToolCalls[0].ID, Content: "ok"}))
		var now string
		for j := 0; j <= 2*i; j++ {
			switch got := contentOf(t, s.body(i), j); {
			case j%2 == 0:
			case strings.Contains(got, "thinking"):
				now += "t"
			default:
				now += "-"
			}
		}
		want = append(want, now)
	}
	if got := strings.Join(want, " "); got != " t -- --t tt-- tt--t" {
		t.Errorf("thinking went back as %q", got)
	}
}

// A block that is refused all the same does not end the run.
func TestModel_Stream_ThinkingRefused(t *testing.T) {
	t.Parallel()
	refuses := fails(400, "invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.")
	thinks := plays(begins(), thinkingBlock(0, "sig", "Hm"), textBlock(1, "a"), toolBlock(2, "toolu_1", "list_files"), ends("tool_use"))
	s := serve(t, thinks, refuses, plays(begins(), textBlock(0, "ok"), ends("end_turn")), refuses)
	m := s.open("claude-haiku-4-5", func(o *Options) { o.Thinking = "low" })
	req := says("x")
	req.Messages = append(req.Messages, said(m, listen(t, m, req).reply), results(agent.ToolOutput{CallID: "toolu_1", Content: "ok"}))
	h := listen(t, m, req)
	if h.err != nil || h.reply.Text != "ok" || s.asked() != 3 {
		t.Fatalf("%d requests, %+v, %v", s.asked(), h.reply, h.err)
	}
	if strings.Contains(s.bodies[2], "thinking") || !strings.Contains(s.bodies[1], `"sig"`) {
		t.Errorf("requests\n%s\n%s", s.bodies[1], s.bodies[2])
	}
	if h := listen(t, m, req); h.err == nil || s.asked() != 5 {
		t.Errorf("%d requests, %v: want the second refusal told", s.asked(), h.err)
	}
}

func TestModel_Request_TurnsAlternate(t *testing.T) {
	t.Parallel()
	s := serve(t, plays(begins(), textBlock(0, "ok"), ends("end_turn")))
	m := s.open("claude-sonnet-5-5")
	reply := func(text string) agent.Message {
		return agent.Message{Role: agent.RoleAssistant, Text: text, Model: m.ID()}
	}
	listen(t, m, agent.Request{Messages: []agent.Message{
		user("a"), reply(""), reply(" \n"), user("b"), reply("c"), reply("d"), reply(""),
	}})
	body := s.body(0)
	var got []string
	for i, msg := range body["messages"].([]any) {
		got = append(got, msg.(map[string]any)["role"].(string)+contentOf(t, body, i))
	}
	want := []string{
		`user[{"text":"a","type":"text"},{"cache_control":null,"text":"b","type":"text"}]`,
		`assistant[{"text":"c","type":"text"}]`,
		`user[{"cache_control":{"type":"ephemeral"},"text":"Go on.","type":"text"}]`,
		`assistant[{"text":"d","type":"text"}]`,
		`user[{"cache_control":{"type":"ephemeral"},"text":"Go on.","type":"text"}]`,
	}
	want[0] = strings.Replace(want[0], `"cache_control":null,`, "", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	for _, key := range []string{"system", "tools", "thinking", "output_config"} {
		if v, there := body[key]; there && v != nil {
			if list, ok := v.([]any); !ok || len(list) > 0 {
				t.Errorf("%s is %v", key, v)
			}
		}
	}
}

func TestInputOf(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, `{}`: `{}`, `"oops"`: `{"_invalid":"oops"}`, `null`: `{"_invalid":null}`,
		`[1]`: `{"_invalid":[1]}`, ``: `{"_invalid":""}`, `{"a"`: `{"_invalid":"{\"a\""}`,
	} {
		got := inputOf(json.RawMessage(args))
		if string(got) != want {
			t.Errorf("inputOf(%s) = %s, want %s", args, got, want)
		}
	}
	deep := strings.Repeat("[", 9999) + strings.Repeat("]", 9999)
	if got := inputOf(json.RawMessage(deep)); !json.Valid(got) || got[0] != '{' {
		t.Errorf("deep arguments became %.40s", got)
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("text", `{"a":1}`, `{"v":1,"content":[{"raw":{"type":"thinking"}},{"text":4},{"call":true}]}`)
	f.Add("", `x`, `{"v":1,"content":[{"text":-1},{"text":1},{},{"call":true},{"call":true},{"raw":7}]}`)
	f.Fuzz(func(t *testing.T, text, args, blocks string) {
		m, err := Open("claude-opus-5-5", Options{APIKey: marker})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.(*Model).request(agent.Request{Messages: []agent.Message{
			user("x"), {Role: agent.RoleAssistant, Text: text, Model: m.ID(), Blocks: json.RawMessage(blocks), ToolCalls: []agent.ToolCall{call("a", "b", args)}},
			results(agent.ToolOutput{CallID: "a"}),
		}}, conversation{})
		if err != nil {
			t.Fatal(err)
		}
		if data, err := json.Marshal(r.params); err != nil || strings.Count(string(data), `"tool_use_id":"a"`) != 1 {
			t.Errorf("request %s, %v", data, err)
		}
	})
}

// Arguments go back as an object, whatever a model of another provider made of
// them, and what was one is not touched.
func FuzzInputOf(f *testing.F) {
	for _, args := range []string{`{"a":1}`, `"text"`, `null`, `[1,2]`, `7`, ``, `{"a":`, "\"\xff\"", strings.Repeat("[", 9999) + strings.Repeat("]", 9999)} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		got := inputOf(json.RawMessage(args))
		var object map[string]json.RawMessage
		if err := json.Unmarshal(got, &object); err != nil || object == nil {
			t.Fatalf("inputOf(%q) = %q: %v", args, got, err)
		}
		var was map[string]json.RawMessage
		if json.Unmarshal([]byte(args), &was) == nil && was != nil && string(got) != args {
			t.Fatalf("the object %q became %q", args, got)
		}
	})
}
