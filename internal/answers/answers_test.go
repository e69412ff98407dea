package answers_test

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/internal/answers"
)

func parse(t *testing.T, text string) *answers.File {
	t.Helper()
	f, err := answers.Parse("a.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParse_Faults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"empty":                     {"", "a.yaml:1: the file is empty"},
		"no YAML":                   {"answers:\n  - question: \"a\n", "a.yaml:2:"},
		"a list":                    {"- question: a\n", "a.yaml:1: an answers file must be a mapping"},
		"unknown key":               {"answers: []\nanswer: []\n", `a.yaml:2: unknown key "answer" in an answers file; allowed: answers, plan, onUnmatched`},
		"unknown key of an answer":  {"answers:\n- question: a\n  answer: b\n  once: true\n", `a.yaml:4: unknown key "once"`},
		"key twice":                 {"answers:\n- question: a\n  question: b\n  answer: c\n", "a.yaml:3:"},
		"answers no list":           {"answers: 5\n", "a.yaml:1: answers must be a list, not a number"},
		"question no text":          {"answers:\n- question: 5\n  answer: a\n", "a.yaml:2: question must be a string, not a number (quote it to make it a string)"},
		"answer no text":            {"answers:\n- question: a\n  answer: true\n", "a.yaml:3: answer must be a string, not a boolean"},
		"answer nothing":            {"answers:\n- question: a\n  answer:\n", "a.yaml:3: answer must be a string, not nothing"},
		"answer missing":            {"answers:\n- question: a\n", "a.yaml:2: an answer is missing"},
		"labels no text":            {"answers:\n- question: a\n  answer: [b, 5]\n", "a.yaml:3: each of answer must be a string"},
		"question and match":        {"answers:\n- question: a\n  match: b\n  answer: c\n", "a.yaml:2: an answer needs the question"},
		"neither":                   {"answers:\n- answer: c\n", "an answer needs the question"},
		"no pattern":                {"answers:\n- match: \"(\"\n  answer: c\n", "a.yaml:2: match: error parsing regexp"},
		"brackets that end ours":    {"answers:\n- match: \"a)|(b\"\n  answer: c\n", "a.yaml:2: match: error parsing regexp"},
		"own words and skip":        {"answers:\n- question: a\n  answer: {custom: b, skipped: true}\n", "a.yaml:3: answer: use {custom: text} or {skipped: true}"},
		"skip not meant":            {"answers:\n- question: a\n  answer: {skipped: false}\n", "use {custom: text}"},
		"plan without action":       {"plan: {digest: x}\n", "a.yaml:1: plan: action is missing"},
		"other action":              {"plan: {action: approved}\n", `a.yaml:1: action "approved": use one of approve, reject, suspend`},
		"approve without a word":    {"plan:\n  action: approve\n", "plan: approve needs the digest of the plan, or anyPlan: true"},
		"approve anyPlan: false":    {"plan: {action: approve, anyPlan: false}\n", "approve needs the digest"},
		"approve anyPlan in quotes": {"plan: {action: approve, anyPlan: \"true\"}\n", "anyPlan must be true or false, not a string"},
		"approve both ways":         {"plan: {action: approve, anyPlan: true, digest: sha256:" + strings.Repeat("0", 64) + "}\n", "one of them"},
		"no digest":                 {"plan: {action: approve, digest: sha256:12}\n", `digest "sha256:12" is none`},
		"words for nobody":          {"plan: {action: suspend, feedback: x}\n", "suspend decides nothing"},
		"onUnmatched":               {"onUnmatched: prompt\n", `onUnmatched "prompt": use one of suspend, fallback, fail`},
		"alias":                     {"answers:\n- question: &a x\n  answer: *a\n", "a.yaml:2:"},
		"deep":                      {strings.Repeat("[", 100), "more than 64 brackets"},
		"two documents":             {"answers: []\n---\nanswers: []\n", "a.yaml:3: a second document"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := answers.Parse("a.yaml", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "a.yaml:") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestFile_Rule(t *testing.T) {
	t.Parallel()
	f := parse(t, "\ufeff"+`{"answers":[
		{"question":" Which database? ","answer":"SQLite"},
		{"question":"Which database?","answer":["a","b"]},
		{"match":"(?i)shall .* go","answer":{"skipped":true},"repeat":true},
		{"match":"go|stop","answer":{"custom":"<mine>"}}]}`)
	use := func(ref, question, want string) {
		t.Helper()
		r := f.Rule(ref, question)
		got := ""
		if r != nil {
			got = string(r.Answer)
			r.Used()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", question, got, want)
		}
	}
	use("1", "which database?", "") // exact
	use("1", "Which database? Now", "")
	use("1", "Which database?", `"SQLite"`)
	use("2", "Which database?\n", `["a","b"]`)
	use("3", "Which database?", "") // each rule once
	use("4", "Shall we\nnow go", `{"skipped":true}`)
	use("5", "shall I go", `{"skipped":true}`) // repeated
	use("6", "shall I go on", "")              // anchored
	use("7", "stopped", "")
	use("8", "stop", `{"custom":"<mine>"}`)
	if idle := f.Idle(); len(idle) != 0 {
		t.Errorf("idle: %v", idle)
	}
}

// TestFile_Rule_kept finds the rule of a request again until it is used, and
// for no other request.
func TestFile_Rule_kept(t *testing.T) {
	t.Parallel()
	f := parse(t, "answers:\n- {question: a, answer: first}\n- {question: a, answer: second}\n- {question: b, answer: third}\n")
	first, second := f.Rule("1", "a"), f.Rule("2", "a")
	if first == second || f.Rule("1", "a") != first || f.Rule("2", "a") != second || f.Rule("3", "a") != nil {
		t.Errorf("rules are not kept for their requests")
	}
	if idle := f.Idle(); len(idle) != 1 || idle[0] != `a.yaml:4: question "b" answered nothing` {
		t.Errorf("idle: %v", idle)
	}
}

func TestPlan_Decides(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("a", 64)
	var none *answers.Plan
	if none.Decides("1", digest) {
		t.Error("no policy decides")
	}
	p := parse(t, "plan: {action: approve, digest: "+digest+"}").Plan
	if p.Decides("1", "sha256:other") || !p.Decides("1", digest) {
		t.Error("a policy with a digest is about that plan alone")
	}
	p.Used()
	if p.Decides("2", digest) {
		t.Error("a policy decides once")
	}
	p = parse(t, "plan: {action: reject, feedback: shorter, repeat: true}").Plan
	p.Used()
	if !p.Decides("2", digest) {
		t.Error("repeat: true decides again")
	}
	f := parse(t, "plan: {action: approve, anyPlan: true}")
	if idle := f.Idle(); len(idle) != 1 || idle[0] != "a.yaml:1: plan: approve met no plan" {
		t.Errorf("idle: %v", idle)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("answers:\n- {question: a, answer: [b]}\nplan: {action: reject}\nonUnmatched: fail\n")
	f.Add(`{"answers":[{"match":".*","answer":{"custom":"x"},"repeat":true}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := answers.Parse("a.yaml", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "a.yaml:") {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		if file.Plan != nil && file.Plan.Action == answers.Approve && file.Plan.Digest == "" && !file.Plan.AnyPlan {
			t.Error("approves without a digest or anyPlan")
		}
		file.Rule("r", "Which?")
		file.Idle()
	})
}

// TestParse_docs: the file docs/cli.md shows is one this package takes.
func TestParse_docs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```yaml\nanswers:")
	block, _, found := strings.Cut(block, "```")
	file := strings.Replace("answers:"+block, "sha256:…", "sha256:"+strings.Repeat("0", 64), 1)
	if _, err := answers.Parse("cli.md", []byte(file)); err != nil || !found {
		t.Errorf("%v\n%s", err, file)
	}
}
