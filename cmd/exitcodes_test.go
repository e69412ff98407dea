//go:build linux || darwin

package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// exiting is a command line that ends with a code. {NAME} stands for a run made
// before, {NAME.yaml} for a model. A signal is sent once the command is at work.
type exiting struct {
	code   int
	words  string
	signal syscall.Signal
	env    map[string]string
}

// exitings are command lines for every code docs/cli.md says a command ends
// with.
func exitings() []exiting {
	line := func(code int, words string) exiting { return exiting{code: code, words: words} }
	stopped := func(sig syscall.Signal, words string) exiting {
		return exiting{code: 128 + int(sig), words: words, signal: sig}
	}
	rows := []exiting{
		line(0, "run --model {says.yaml} Go"), line(0, "run --model {asks.yaml} --suspended-ok Go"),
		line(1, "run --model {fails.yaml} Go"), line(1, "run --model {asks.yaml} --on-question fail Go"), line(1, "run --model {says.yaml} Go --db junk.db"),
		line(2, "run --model {says.yaml} --mode nowhere Go"), line(2, "run --model {asks.yaml} --on-question prompt Go"), line(2, "run Go"),
		line(3, "run --model {asks.yaml} Go"), line(4, "run --model {asks.yaml} --max-cost 1 Go"),
		line(5, "run --model {says.yaml} --idempotency-key used Another"), line(6, "run --model {works.yaml} --mode build --non-interactive Go"),
		stopped(syscall.SIGHUP, "run --model {slow.yaml} Go"), stopped(syscall.SIGINT, "run --model {slow.yaml} Go"), stopped(syscall.SIGTERM, "run --model {slow.yaml} Go"),

		line(0, "resume {open} --answer A"), line(1, "resume {failed}"), line(1, "resume {failed} --db junk.db"),
		line(2, "resume ffffffff"), line(2, "resume {waits} --answer C"), line(2, "resume {waits} --approve"), line(2, "resume {waits} --tool-call other --answer A"), line(2, "resume"),
		line(3, "resume {waits}"), line(0, "resume {waits} --suspended-ok"), line(4, "resume {paused}"),
		line(5, "resume {said}"), line(5, "resume {canceled}"), line(5, "resume {running}"), line(5, "resume {said} --answer A"), line(5, "resume {paused} --answer A"),
		line(6, "resume {works} --answer A --non-interactive"),
		stopped(syscall.SIGHUP, "resume {slow1} --max-steps 9 -v"), stopped(syscall.SIGINT, "resume {slow2} --max-steps 9 -v"), stopped(syscall.SIGTERM, "resume {slow3} --max-steps 9 -v"),

		line(0, "wait {said}"), line(0, "wait {waits} --suspended-ok"), line(1, "wait {failed}"), line(1, "wait {canceled}"), line(2, "wait ffffffff"), line(3, "wait {waits}"),
		line(4, "wait {paused}"), line(4, "wait {dead}"), line(5, "wait {running} --timeout 1ms"), line(6, "wait {denied}"),
		stopped(syscall.SIGHUP, "wait {running}"), stopped(syscall.SIGINT, "wait {running}"), stopped(syscall.SIGTERM, "wait {running}"),
		stopped(syscall.SIGHUP, "events {waits} --follow"), stopped(syscall.SIGINT, "events {waits} --follow"), stopped(syscall.SIGTERM, "events {waits} --follow"),

		line(0, "cancel {cancels}"), line(2, "cancel ffffffff"), line(5, "cancel {canceled}"), line(5, "cancel {said}"),
		line(5, "export {running}"), line(0, "import exported.jsonl --db other.db"), line(2, "import asks.yaml"), line(5, "import exported.jsonl"),
		line(0, "delete {deletes} --yes"), line(2, "delete {waits}"), line(5, "delete {running} --yes"),
		line(0, "prune --older-than 90d --yes"), line(2, "prune --older-than soon"),
		line(0, "undo {changed} --dry-run"), line(0, "undo {changed}"), line(2, "undo ffffffff"), line(5, "undo {edited}"), line(5, "undo {running}"),
		line(0, "verify {said}"), line(1, "verify {said} --now"), line(2, "verify {denied}"),
		line(0, "replay {said}"), {code: 1, words: "replay {changed}", env: map[string]string{"XDG_CONFIG_HOME": "{dir}/less"}}, line(2, "replay ffffffff"),
		line(0, "list"), line(2, "list --status odd"), line(0, "prune --older-than 90d --dry-run"),
		line(0, "plans list"), line(0, "plans show {planned}"), line(0, "plans diff {planned}"),
		line(2, "plans list ffffffff"), line(2, "plans show {said}"), line(2, "plans diff {said}"),

		line(0, "permissions check list_files(.)"), line(2, "permissions check ls --tool odd"), line(3, "permissions check shell(make)"), line(6, "permissions check shell(make) --deny shell"),
		line(0, "permissions list"), line(2, "permissions list --allow odd("),
		line(0, "doctor"), line(1, "doctor --db junk.db"), line(2, "doctor surplus"),
		line(0, "init"), {code: 2, words: "init", env: map[string]string{"XDG_CONFIG_HOME": "{dir}/junk.db/config"}},
		line(0, "trust --list"), line(0, "trust"), {code: 2, words: "trust", env: map[string]string{"XDG_DATA_HOME": "{dir}/junk.db/data"}},
		line(1, "models --provider ollama"), line(2, "models --provider odd"), line(2, "help odd"), line(2, "completion odd"),
	}
	for _, reads := range []string{"show", "events", "diff"} {
		rows = append(rows, line(0, reads+" {said}"), line(2, reads+" ffffffff"))
	}
	rows = append(rows, line(0, "export {said}"), line(2, "export ffffffff"))
	for _, opens := range []string{
		"wait {said}", "show {said}", "events {said}", "diff {said}", "export {said}", "replay {said}", "verify {said}", "undo {said}", "cancel {said}",
		"import exported.jsonl", "delete {said} --yes", "prune --older-than 1d --yes", "list", "plans list", "plans show", "plans diff",
	} {
		rows = append(rows, line(1, opens+" --db junk.db"))
	}
	for _, tells := range []string{"models", "modes", "tools", "config", "version", "help", "completion bash"} {
		rows = append(rows, line(0, tells), line(2, tells+" --odd"))
	}
	return rows
}

// TestExitCodes makes every command end with every code that docs/cli.md says
// it ends with. A code that is documented and not made here is a fault, and so
// is one the other way round.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	names := b.everyStatus()
	seen := map[string][]int{}
	for _, row := range exitings() {
		words := strings.Fields(names.Replace(row.words))
		command := strings.TrimPrefix(commandOf(b, words), "agent ")
		if words[0] == "help" { // cobra makes it later
			command = "help"
		}
		for name, value := range row.env {
			row.env[name] = names.Replace(value)
		}
		if got, said := row.ends(b, words); got != row.code {
			t.Errorf("%s: exit code %d, want %d\n%.800s", row.words, got, row.code, said)
		}
		seen[command] = append(seen[command], row.code)
	}
	documented := documentedCodes(t)
	for command := range seen {
		slices.Sort(seen[command])
		seen[command] = slices.Compact(seen[command])
	}
	for _, command := range slices.Sorted(maps.Keys(documented)) {
		if !slices.Equal(seen[command], documented[command]) {
			t.Errorf("agent %s is documented to exit with %v, here it did with %v", command, documented[command], seen[command])
		}
	}
	walk(newRootCmd(b.streams(nil, nil), &globals{}), func(c *cobra.Command) {
		command := strings.TrimPrefix(c.CommandPath(), "agent ")
		if c.Runnable() && !c.Hidden && !c.HasSubCommands() && documented[command] == nil && !strings.HasPrefix(command, "completion ") {
			t.Errorf("docs/cli.md does not say how agent %s exits", command)
		}
	})
}

// TestExitCodes_told holds that the manual and "agent help exit-codes" tell of
// the same codes, and of all that any command ends with.
func TestExitCodes_told(t *testing.T) {
	t.Parallel()
	var all []int
	for _, codes := range documentedCodes(t) {
		all = append(all, codes...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	_, manual, _ := strings.Cut(readDoc(t, "cli.md"), "\n## Exit codes\n")
	manual, _, _ = strings.Cut(manual, "\n## ")
	for name, text := range map[string]string{"docs/cli.md": manual, "agent help exit-codes": exit.Help} {
		for _, code := range all {
			if !regexp.MustCompile(fmt.Sprintf(`(?m)^(\| |  |)([0-9]+, )*%d\b`, code)).MatchString(text) {
				t.Errorf("%s does not tell of %d", name, code)
			}
		}
	}
}

// documentedCodes reads the table of commands and their codes.
func documentedCodes(t *testing.T) map[string][]int {
	t.Helper()
	_, table, ok := strings.Cut(readDoc(t, "cli.md"), "\n| command | exits with |\n|---|---|\n")
	if !ok {
		t.Fatal("docs/cli.md has no table of what commands exit with")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	codes := map[string][]int{}
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		var list []int
		for _, word := range strings.Split(cells[2], ",") {
			code, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil {
				t.Fatalf("docs/cli.md: %q: %v", row, err)
			}
			list = append(list, code)
		}
		for _, name := range strings.Split(cells[1], ",") {
			codes[strings.Trim(strings.TrimSpace(name), "`")] = list
		}
	}
	return codes
}

// ends runs a row's command and returns how it ended, and what it said.
func (e exiting) ends(b *bench, words []string) (int, string) {
	b.t.Helper()
	if e.signal == 0 {
		here := *b
		here.env = maps.Clone(b.env)
		maps.Copy(here.env, e.env)
		r := here.run(words...)
		return r.code, r.out + r.err
	}
	c := b.command(words...)
	var said bytes.Buffer
	out, err := c.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	c.Stderr = c.Stdout // one pipe for both
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	_, _ = io.CopyN(&said, out, 4) // it is at work once it has said anything
	_ = c.Process.Signal(e.signal)
	_, _ = io.Copy(&said, out)
	return shellCode(c.Wait()), said.String()
}

// command is the program itself, as a process.
func (b *bench) command(words ...string) *exec.Cmd {
	c := exec.Command("agent", words...)
	c.Dir, c.Env = b.dir, b.environ()
	return c
}

// shellCode is the exit code as a shell tells it.
func shellCode(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

// everyStatus makes runs of every status, and what else the command lines need.
// It returns what their names stand for.
func (b *bench) everyStatus() *strings.Replacer {
	b.t.Helper()
	var pairs []string
	for name, turns := range map[string]string{
		"says": "- text: Done.", "fails": "- {text: x, expect: never}", "slow": "- {text: One., toolCalls: [{name: list_files, args: {}}]}\n  - {text: Late., delay: 60s}",
		"asks":    "- {text: Hello., toolCalls: [{id: q, name: ask_user, args: {question: Which?, options: [A, B]}}]}\n  - text: Done.",
		"works":   "- {toolCalls: [{id: s, name: shell, args: {command: \"echo x >made\"}}]}\n  - text: Done.",
		"asks2":   "- {toolCalls: [{id: q, name: ask_user, args: {question: Which?}}]}\n  - {toolCalls: [{id: s, name: shell, args: {command: ls}}]}\n  - text: Done.",
		"change":  "- {toolCalls: [{id: w, name: write_file, args: {path: new.txt, content: x}}]}\n  - text: Done.",
		"change2": "- {toolCalls: [{id: w, name: write_file, args: {path: other.txt, content: x}}]}\n  - text: Done.",
		"removes": "- {toolCalls: [{id: s, name: shell, args: {command: mv gone away}}]}\n  - text: Done.",
		"refused": "- {error: {status: 401, message: no}}",
		"both":    "- {toolCalls: [{id: q, name: ask_user, args: {question: Which?}}, {id: r, name: ask_user, args: {question: How?}}]}\n  - text: Done.",
		"plans":   "- {toolCalls: [{id: p, name: submit_plan, args: {path: .mastracode/plans/a.md}}]}\n  - {toolCalls: [{id: w, name: write_file, args: {path: .mastracode/plans/a.md, content: \"# A\\n\\nTwo.\\n\"}}]}\n  - {toolCalls: [{id: p2, name: submit_plan, args: {path: .mastracode/plans/a.md}}]}\n  - text: Done.",
	} {
		b.write(name+".yaml", "turns:\n  "+turns+"\n")
		pairs = append(pairs, "{"+name+".yaml}", "script:"+filepath.Join(b.dir, name+".yaml"))
	}
	models := strings.NewReplacer(pairs...)
	run := func(words string) string {
		rep, _ := b.report(strings.Fields(models.Replace("run --model " + words))...)
		if rep.RunID == "" {
			b.t.Fatalf("run --model %s made no run: %+v", words, rep.Error)
		}
		return rep.RunID
	}
	b.write("junk.db", "this is no database\n")
	b.write("gone/x", "")
	b.write(".git/HEAD", "ref: refs/heads/main\n")
	b.write(".mastracode/config.toml", "[permissions]\ndeny = [\"shell(rm *)\"]\n")
	b.write(".mastracode/plans/a.md", "# A\n\nOne.\n")
	made := map[string]string{
		"said": run("{says.yaml} --idempotency-key used Go"), "open": run("{asks.yaml} Go"), "waits": run("{asks.yaml} Go"), "failed": run("{fails.yaml} Go"),
		"paused": run("{slow.yaml} --max-steps 1 Go"), "slow1": run("{slow.yaml} --max-steps 1 Go"), "slow2": run("{slow.yaml} --max-steps 1 Go"), "slow3": run("{slow.yaml} --max-steps 1 Go"),
		"denied": run("{works.yaml} --mode build --non-interactive Go"), "works": run("{asks2.yaml} --mode build Go"), "canceled": run("{asks.yaml} Go"), "cancels": run("{asks.yaml} Go"),
		"deletes": run("{says.yaml} Go"), "changed": run("{change.yaml} --mode build --yolo Go"), "edited": run("{change2.yaml} --mode build --yolo Go"),
		"answered": run("{asks.yaml} Go"), "both": run("{both.yaml} Go"), "planned": run("{plans.yaml} Go"),
	}
	b.run("cancel", made["canceled"]).wants(b.t, exit.OK)
	b.run("resume", made["answered"], "--answer", "A").wants(b.t, exit.OK)
	b.run("resume", made["planned"], "--reject", "--feedback", "shorter").wants(b.t, exit.Suspended)
	b.write("other.txt", "edited since")
	b.run("export", made["said"], "--file", "exported.jsonl").wants(b.t, exit.OK)
	b.write("less/agent/config.toml", "[[modes]]\nid = \"build\"\navailableTools = []\n")
	b.kill()
	made["dead"], made["running"] = b.newest(), b.live(models.Replace("{slow.yaml}"))
	made["dir"], made["prefix"] = b.dir, made["said"][:4]
	for name, id := range made {
		pairs = append(pairs, "{"+name+"}", id)
	}
	return strings.NewReplacer(pairs...)
}

// live is a run that a process of its own drives until the test is over.
func (b *bench) live(model string) string {
	b.t.Helper()
	c := b.command("run", "--model", model, "Go")
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	})
	soon(b.t, "a run at work", func() bool {
		return strings.Contains(b.run("list", "--status", "running", "--output", "json").out, `"status":"running"`)
	})
	return b.newest()
}

// newest is the ID of the run that was made last.
func (b *bench) newest() string {
	b.t.Helper()
	var list struct{ Runs []listedRun }
	if err := json.Unmarshal([]byte(b.run("list", "--limit", "1", "--output", "json").out), &list); err != nil || len(list.Runs) != 1 {
		b.t.Fatalf("the newest run: %v, %v", list, err)
	}
	return list.Runs[0].RunID
}
