//go:build linux || darwin

package cmd

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/report"
)

// failings are command lines for every code docs/json.md says an error has, but
// for those of runs that somebody else takes away.
func failings() map[string][]string {
	return map[string][]string{
		"usage":             {"run --nonsense", "resume", "run --model {says.yaml} --timeout 0s Go", "models --provider odd", "show -o xml", "list --limit -1"},
		"config":            {"run --model {says.yaml} Go"}, // with a variable that is no word for it
		"store":             {"list --db junk.db", "run --model {says.yaml} Go --db junk.db"},
		"provider":          {"run --model {refused.yaml} Go", "resume {failed}"},
		"internal":          {"run --model {removes.yaml} --mode build --yolo --result gone/r.json Go"},
		"run_not_found":     {"show ffffffff", "resume ffffffff", "wait ffffffff", "cancel ffffffff", "export ffffffff", "list --before ffffffff"},
		"not_suspended":     {"resume {paused} --answer A", "resume {paused} --approve"},
		"already_answered":  {"resume {answered} --tool-call q --answer B"},
		"invalid_answer":    {"resume {waits} --answer C", "resume {waits} --data {", "resume {waits} --data []"},
		"ambiguous":         {"show {prefix}", "resume {prefix}", "resume {both} --answer A"},
		"unknown_tool_call": {"resume {waits} --tool-call other --answer A", "resume {waits} --tool-call q#2 --answer A"},
		"busy":              {"resume {running}", "wait {running} --timeout 1ms", "export {running}", "delete {running} --yes", "undo {running}", "resume {running} --message Go"},
		"plan_changed":      {"resume {planned} --approve --digest sha256:00"},
		"files_changed":     {"undo {edited}"},
		"run_ended":         {"resume {said}", "resume {canceled}", "resume {canceled} --message Go", "cancel {said}"},
		"key_used":          {"run --model {says.yaml} --idempotency-key used Another"},
		"run_exists":        {"import exported.jsonl"},
		"invalid_export":    {"import asks.yaml", "replay --file asks.yaml"},
		"tool_missing":      {"permissions check ls --tool odd"},
		"mode_missing":      {"run --model {says.yaml} --mode nowhere Go", "resume {waits} --message Go --mode nowhere", "permissions check ls --mode nowhere"},
		"model_missing":     {"run Go", "run --model odd/model Go", "run --model script:missing.yaml Go"},
		"nobody_asked":      {"run --model {asks.yaml} --on-question fail Go"},
	}
}

// TestErrorCodes makes every code that docs/json.md says an error has, and holds
// what is printed with it: one object, whose exit code is the command's.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	names := b.everyStatus()
	made, told := failings(), toldCodes(t)
	for code, lines := range made {
		here := *b
		if code == "config" {
			here.env = maps.Clone(b.env)
			here.env["AGENT_ON_QUESTION"] = "perhaps"
		}
		for _, words := range lines {
			rep, r := here.report(strings.Fields(names.Replace(words))...)
			if rep.Error == nil || rep.Error.Code != code || rep.Error.Message == "" || strings.Contains(rep.Error.Message, "\n") {
				t.Errorf("%s: the error is %+v, want %s", words, rep.Error, code)
			}
			ownWay := slices.Contains([]string{"usage", "config", "store", "internal", "model_missing"}, code) // their message says it
			if !ownWay && rep.Error.Hint == "" && len(rep.Next) == 0 {
				t.Errorf("%s: nothing says what to do about %q", words, rep.Error.Message)
			}
			if id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(names.Replace(words)); id != "" && rep.RunID != id && code != "config" { // that is read first
				t.Errorf("%s: the object is of run %q, want %q", words, rep.RunID, id)
			}
			want := told[code]
			if rep.Status == agent.StatusFailed {
				want = exit.Failure
			}
			if rep.ExitCode != want || strings.Count(r.err, "\n") < 1 {
				t.Errorf("%s: exit code %d, want %d, on stderr %q", words, rep.ExitCode, want, r.err)
			}
		}
	}
	made["fenced"], made["canceled"] = b.takenFrom(names, "resume", "--take-over", "--max-steps", "1"), b.takenFrom(names, "cancel")
	for _, code := range []string{"fenced", "canceled"} {
		if !slices.Equal(made[code], []string{code}) {
			t.Errorf("the error is %v, want %s", made[code], code)
		}
	}
	if are, tells := slices.Sorted(maps.Keys(made)), slices.Sorted(maps.Keys(told)); !slices.Equal(are, tells) {
		t.Errorf("docs/json.md tells of the codes\n%v, here are made\n%v", tells, are)
	}
}

// toldCodes are the codes of errors in docs/json.md, with the exit code of each.
func toldCodes(t *testing.T) map[string]int {
	t.Helper()
	_, table, _ := strings.Cut(readDoc(t, "json.md"), "\n| `code` | exit | |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	told := map[string]int{}
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		code, err := strconv.Atoi(strings.TrimSpace(cells[2]))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[1], -1) {
			told[m[1]] = code
		}
	}
	return told
}

// takenFrom starts a run and takes it from its process with a command. It
// returns the code of the error that process ends with.
func (b *bench) takenFrom(names *strings.Replacer, words ...string) []string {
	b.t.Helper()
	var out bytes.Buffer
	c := b.command("run", "--model", names.Replace("{slow.yaml}"), "--output", "json", "Taken")
	c.Stdout = &out
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	soon(b.t, "the run", func() bool {
		return strings.Contains(b.run("list", "--search", "Taken", "--status", "running", "--output", "json").out, `"status":"running"`)
	})
	b.run(slices.Insert(words, 1, b.newest())...)
	_ = c.Wait() // the object tells
	var rep report.Final
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil || rep.Error == nil {
		b.t.Fatalf("the process said %q: %v", out.String(), err)
	}
	return []string{rep.Error.Code}
}
