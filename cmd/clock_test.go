package cmd

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/agent"
	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
)

// at runs a command while the clock shows a time.
func (b *bench) at(now time.Time, words ...string) ran {
	b.t.Helper()
	return b.runWith(func(s *iostreams.Streams) { s.Now = func() time.Time { return now } }, words...)
}

// TestClocks_wrong has machines whose clock was never set, or is set to what no
// store can keep, and set back by a day while a run waits.
func TestClocks_wrong(t *testing.T) {
	t.Parallel()
	negative := regexp.MustCompile(`(^|[ (])-\d+(\.\d+)?(ms|s|m|h|d)\b`)
	for name, now := range map[string]time.Time{
		"the year 0": {}, "1900": time.Date(1900, 1, 1, 0, 0, 5, 0, time.UTC), "1970": time.Unix(5, 0), "now": time.Now(),
		"2300": time.Date(2300, 1, 1, 0, 0, 5, 0, time.UTC), "9999": time.Date(9999, 1, 1, 0, 0, 5, 0, time.UTC),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.write("plan.yaml", `turns:
  - {toolCalls: [{id: w, name: write_file, args: {path: .mastracode/plans/p.md, content: "# Zebras\n\nx\n"}}]}
  - {toolCalls: [{id: p, name: submit_plan, args: {path: .mastracode/plans/p.md}}]}
  - {toolCalls: [{id: n, name: write_file, args: {path: new.txt, content: "x"}}]}
  - text: Done.
`)
			b.at(now, "run", "--model", "script:plan.yaml", "--idempotency-key", "k", "--timeout", "1h", "Go").wants(t, exit.Suspended)
			earlier := now.Add(-24 * time.Hour)
			for _, words := range []string{
				"resume latest --approve --yolo", "wait latest", "show latest", "events latest --output text", "list --all", "list --search zebras", "plans list",
				"plans show", "diff latest", "verify latest", "replay latest", "export latest --file e.jsonl", "import e.jsonl --db other.db", "show latest --db other.db",
				"run --model script:plan.yaml --idempotency-key k Go", "undo latest", "prune --older-than 1h --dry-run", "prune --older-than 99999d --dry-run",
			} {
				r := b.at(earlier, strings.Fields(words)...)
				r.wants(t, exit.OK)
				if negative.MatchString(r.out + r.err) {
					t.Errorf("%s: a negative time\n%s%s", words, r.out, r.err)
				}
				now, earlier = earlier, now // and forth again
			}
			if out := b.run("list", "--all", "--search", "zebras").out; !strings.Contains(out, "finished") {
				t.Errorf("the search finds\n%s", out)
			}
		})
	}
}

// TestClocks_latest: where the clock was set back, a word does not choose which
// of several runs is decided on.
func TestClocks_latest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	now := time.Now()
	ask := b.script("ask.yaml", "ask_user", map[string]any{"question": "Which?"})
	b.at(now.AddDate(1, 0, 0), "run", "--model", ask, "Made in a year").wants(t, exit.Suspended)
	b.at(now, "show", "latest").wants(t, exit.OK, "Made in a year") // there is no other
	b.at(now, "run", "--model", ask, "Made now").wants(t, exit.Suspended)
	for _, words := range []string{"resume latest --answer A", "show latest", "cancel latest", "delete latest --yes", "plans list latest", "export latest"} {
		b.at(now, strings.Fields(words)...).wants(t, exit.Usage, "ambiguous", "by the clock it is", "agent list")
	}
	b.at(now, "list").wants(t, exit.OK, "Made in a year", "Made now")
	var list struct{ Runs []listedRun }
	if err := json.Unmarshal([]byte(b.at(now, "list", "--output", "json").out), &list); err != nil {
		t.Fatal(err)
	}
	for _, r := range list.Runs {
		b.at(now, "resume", r.RunID, "--answer", "A").wants(t, exit.OK)
	}
	b.at(now.AddDate(1, 0, 0).Add(-clocksApart), "show", "latest").wants(t, exit.OK, "Made in a year")
}

// TestClocks_leap: the clock goes forward by a year while a run with a time
// limit is driven, as it also does where a machine slept. It goes on with the
// command that is offered.
func TestClocks_leap(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	now, calls := time.Now(), 0
	b.runWith(func(s *iostreams.Streams) {
		s.Now = func() time.Time {
			if calls++; calls > 4 {
				return now.AddDate(1, 0, 0)
			}
			return now
		}
	}, "run", "--model", b.script("ask.yaml", "ask_user", map[string]any{"question": "Which?"}), "--timeout", "1m", "Go").wants(t, exit.Suspended)
	rep, _ := b.report("resume", "latest", "--answer", "A")
	if rep.FinishReason != agent.FinishTimeout || len(rep.Next) != 1 {
		t.Fatalf("%s, next %v: the clock did not leap in the middle", rep.FinishReason, rep.Next)
	}
	b.run(rep.Next[0].Argv[1:]...).wants(t, exit.OK, "Done.")
}
