package tools

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3e5a1d81/agent/agent"
)

type questionCase struct {
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args"`
	RawArgs string          `json:"rawArgs"`
	Outcome string          `json:"outcome"`
	Payload any             `json:"payload"`
	Says    []string        `json:"says"`
	Answers []struct {
		Data    json.RawMessage `json:"data"`
		OK      string          `json:"ok"`
		Refused bool            `json:"refused"`
	} `json:"answers"`
}

func loadCases[T any](t *testing.T, name string) T {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAskUser_Cases(t *testing.T) {
	t.Parallel()
	file := loadCases[struct {
		Cases []questionCase `json:"cases"`
	}](t, "ask_user.json")
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			checkQuestionCase(t, c)
		})
	}
}

func checkQuestionCase(t *testing.T, c questionCase) {
	args := c.RawArgs
	if args == "" {
		args = string(c.Args)
	}
	h := newHost(t, AskUser())
	if c.Outcome == "error" {
		h.refused(h.tool, args, c.Says...)
		if len(h.suspensions) != 0 {
			t.Error("a refused question was put to the person")
		}
		return
	}
	h.ok(h.tool, args)
	if len(h.suspensions) != 1 {
		t.Fatalf("%d suspensions, want 1", len(h.suspensions))
	}
	var got any
	if err := json.Unmarshal(h.suspensions[0].Payload, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Payload, got); diff != "" {
		t.Errorf("payload (-want +got):\n%s", diff)
	}
	for _, a := range c.Answers {
		checkQuestionAnswer(t, args, h.suspensions[0], a.Data, a.OK, a.Refused)
	}
}

func checkQuestionAnswer(t *testing.T, args string, s agent.Suspension, data json.RawMessage, want string, refused bool) {
	t.Helper()
	h := newHost(t, AskUser())
	s.Args = json.RawMessage(args)
	h.suspensions = []agent.Suspension{s}
	if data == nil {
		data = json.RawMessage("null")
	}
	r, err := h.answer(string(data))
	if refused {
		if err == nil {
			t.Errorf("answer %s: got %q, want it refused", data, r.Content)
		} else {
			mustSay(t, err.Error(), "allowed")
		}
		return
	}
	if err != nil {
		t.Errorf("answer %s: %v", data, err)
		return
	}
	if got, want := jsonOf(t, r), jsonOf(t, map[string]any{"content": want, "isError": false}); got != want {
		t.Errorf("answer %s: result %s, want %s", data, got, want)
	}
}

func TestAskUser_Answers(t *testing.T) {
	t.Parallel()
	const single = `{"question":"Colour?","options":["Red","Blue"]}`
	const multi = `{"question":"Colours?","options":["Red","Blue"],"selectionMode":"multi_select"}`
	const free = `{"question":"Why?"}`
	for _, c := range []struct{ name, args, data, want, canonical string }{
		{"skip free text", free, `{"skipped":true}`, skippedContent, `{"skipped":true}`},
		{"skip with space", free, ` { "skipped" : true } `, skippedContent, `{"skipped":true}`},
		{"skip single", single, `{"skipped":true}`, skippedContent, `{"skipped":true}`},
		{"own words, multi", multi, `{"custom":"none of these"}`, "User answered: none of these", `{"custom":"none of these"}`},
		{"free text is verbatim", free, `"  two  spaces "`, "User answered:   two  spaces ", `"  two  spaces "`},
		{"label trimmed and folded", single, `" bLUE "`, "User answered: Blue", `"Blue"`},
		{"labels folded", multi, `["blue"," RED"]`, "User answered: Blue, Red", `["Blue","Red"]`},
		{"not skipped", single, `{"skipped":false}`, "", ""},
		{"skip and own words", single, `{"skipped":true,"custom":"x"}`, "", ""},
		{"own words twice", single, `{"custom":"a","custom":"b"}`, "", ""},
		{"own words by another case", single, `{"Custom":"a"}`, "", ""},
		{"own words blank", single, `{"custom":" "}`, "", ""},
		{"own words in a list", multi, `[{"custom":"a"}]`, "", ""},
		{"own words without a choice", free, `{"custom":"a"}`, "", ""},
		{"no key", single, `{}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, AskUser())
			h.ok(h.tool, c.args)
			h.suspensions[0].Args = json.RawMessage(c.args)
			r, err := h.answer(c.data)
			if c.want == "" {
				if err == nil {
					t.Fatalf("got %q, want it refused", r.Content)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Content != c.want {
				t.Errorf("content %q, want %q", r.Content, c.want)
			}
			if got := string(h.suspensions[0].Answer.Data); got != c.canonical {
				t.Errorf("canonical %s, want %s", got, c.canonical)
			}
		})
	}
}

func TestAskUser_RefusalNamesChoices(t *testing.T) {
	t.Parallel()
	h := newHost(t, AskUser())
	h.ok(h.tool, `{"question":"Colour?","options":["Red","Blue"]}`)
	_, err := h.answer(`"Purple"`)
	if err == nil {
		t.Fatal("Purple was taken")
	}
	mustSay(t, err.Error(), `"Purple"`, `"Red"`, `"Blue"`, "custom", "skipped")
}

func TestAskUser_Fallback(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"question":"Why?"}`: "[Question for user]: Why?",
		`{"question":"Colour?","options":[{"label":"Red","description":"warm"},"Blue"]}`: "[Question for user]: Colour?\nChoices (single_select):\n- Red: warm\n- Blue",
	} {
		r, err := AskUser().Call(t.Context(), agent.Call{Args: json.RawMessage(args)})
		if err != nil || r.IsError {
			t.Fatalf("%s: %+v, %v", args, r, err)
		}
		if r.Content != want {
			t.Errorf("%s: %q, want %q", args, r.Content, want)
		}
	}
}

func TestAskUser_ResumeSchema(t *testing.T) {
	t.Parallel()
	schemer := AskUser().(agent.ResumeSchemer)
	got := string(schemer.ResumeSchema(json.RawMessage(`{"question":"?","options":[{"label":"A"}],"selectionMode":"multi_select"}`)))
	mustSay(t, got, `"items":{"enum":["A"]}`, `"custom"`, `"skipped"`, `"minItems":1`)
	free := string(schemer.ResumeSchema(json.RawMessage(`{"question":"?"}`)))
	if strings.Contains(free, "custom") {
		t.Errorf("free text offers own words instead of a choice: %s", free)
	}
}

// Whatever a person picks comes back as the labels picked, in that order.
func TestAskUser_AnyChoiceComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		labels := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-zÀ-ž0-9 ,"]{1,12}`), 1, 6,
			func(s string) string { return foldKey(strings.TrimSpace(s)) }).
			Filter(func(l []string) bool {
				return !strings.Contains("\x00"+strings.Join(trimAll(l), "\x00")+"\x00", "\x00\x00")
			}).
			Draw(rt, "labels")
		raw, _ := json.Marshal(map[string]any{"question": "?", "options": labels, "selectionMode": multiSelect})
		q, err := parseQuestion(raw)
		if err != nil {
			rt.Fatal(err)
		}
		picked := rapid.Permutation(labels).Draw(rt, "picked")[:rapid.IntRange(1, len(labels)).Draw(rt, "n")]
		data, _ := json.Marshal(picked)
		a, err := q.check(data)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(trimAll(picked), a.texts); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func trimAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.TrimSpace(s)
	}
	return out
}

// What CheckAnswer returns it takes again, unchanged.
func FuzzAskUser_CanonicalIsStable(f *testing.F) {
	for _, s := range []string{`"Red"`, `["red","Blue"]`, `{"custom":"x"}`, `{"skipped":true}`, `{"skipped":true,"skipped":true}`, `[]`, `nul`, `"a" "b"`, `{"custom":"\ud800"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		for _, payload := range []string{
			`{"question":"?"}`,
			`{"question":"?","options":[{"label":"Red"},{"label":"Blue"}],"selectionMode":"single_select"}`,
			`{"question":"?","options":[{"label":"Red"},{"label":"Blue"}],"selectionMode":"multi_select"}`,
		} {
			s := agent.Suspension{Payload: json.RawMessage(payload)}
			once, err := askUser{}.CheckAnswer(s, json.RawMessage(data))
			if err != nil {
				continue
			}
			twice, err := askUser{}.CheckAnswer(s, once)
			if err != nil || string(once) != string(twice) {
				t.Errorf("%s: %s, then %s (%v)", data, once, twice, err)
			}
		}
	})
}

// TestAskUser_shown: what a person cannot see tells no labels apart, and what
// they do see answers.
func TestAskUser_shown(t *testing.T) {
	t.Parallel()
	h := newHost(t, AskUser())
	h.refused(h.tool, `{"question":"\u200b"}`, "question is blank")
	h.refused(h.tool, `{"question":"Q","options":["A","\u200b"]}`, "option 2", "label is blank")
	h.refused(h.tool, `{"question":"Q","options":["Yes","yes\u200b"]}`, "option 2", "equals label")
	h.refused(h.tool, `{"question":"Q","options":["Yes","\u001b[31mYes\u001b[0m"]}`, "option 2", "equals label")
	h.refused(h.tool, `{"question":"Q","options":["Yes, all","Yes,  all"]}`, "option 2", "equals label")
	if len(h.suspensions) != 0 {
		t.Error("a refused question was put to the person")
	}
	args := `{"question":"Q","options":["\u001b[31mYes\u001b[0m","No"]}`
	h.ok(h.tool, args)
	for data, want := range map[string]string{`"Yes"`: "User answered: \x1b[31mYes\x1b[0m", `"yes"`: "User answered: \x1b[31mYes\x1b[0m", `"no"`: "User answered: No"} {
		checkQuestionAnswer(t, args, h.suspensions[0], json.RawMessage(data), want, false)
	}
	checkQuestionAnswer(t, args, h.suspensions[0], json.RawMessage(`"\u200b"`), "", true)
}
