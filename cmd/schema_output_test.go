//go:build linux || darwin

package cmd

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// printed is a command line, and the schema of what it prints with --output
// json. In the words, {run} and the like stand for runs made before.
type printed struct {
	schema string
	words  []string
}

// outputs names a command line, or more, for every command.
func outputs(model string) []printed {
	line := func(schema string, words ...string) printed { return printed{schema, words} }
	return []printed{
		line("result", "run", "--model", model, "Ask"),
		line("result", "run", "--model", "script:missing.yaml", "Ask"),
		line("result", "run", "--nonsense"),
		line("result", "resume", "{asks}", "--answer", "B"),
		line("result", "resume", "{asks}", "--answer", "A"),
		line("result", "resume", "{asks}", "--answer", "A"),
		line("result", "wait", "{asks}"),
		line("result", "wait", "ffffffff"),
		line("show", "show", "{asks}"), line("show", "show", "{done}"), line("show", "show", "{denied}"),
		line("result", "show", "ffffffff"),
		line("events", "events", "{done}"),
		line("list", "list"), line("list", "list", "--waiting", "--all"), line("list", "list", "--search", "nothing like it"),
		line("diff", "diff", "{done}"), line("verify", "verify", "{done}"), line("replay", "replay", "{done}"),
		line("undo", "undo", "{done}", "--dry-run"), line("undo", "undo", "{done}"),
		line("plans-list", "plans", "list", "--all"), line("plans-show", "plans", "show", "{done}"),
		line("plans-diff", "plans", "diff", "{revised}"),
		line("modes", "modes"), line("tools", "tools"), line("models", "models"),
		line("permissions-list", "permissions", "list"), line("permissions-check", "permissions", "check", "shell", "command=git status"),
		line("config", "config"), line("init", "init"), line("doctor", "doctor"), line("version", "version"),
		line("trust", "trust"), line("trust-list", "trust", "--list"), line("trust-revoke", "trust", "--revoke"),
		line("result", "cancel", "{open}"),
		line("delete", "delete", "{open}", "--yes"), line("delete", "prune", "--older-than", "90d", "--dry-run"),
		line("import", "import", "exported.jsonl", "--db", "other.db"),
	}
}

// otherOutput names the commands that print something else than JSON of their own.
var otherOutput = map[string]string{
	"agent export": "its own format, internal/runfile", "agent plans": "holds commands", "agent permissions": "holds commands",
	"agent help": "words", "agent completion": "holds commands", "agent": "holds commands", "agent exit-codes": "words",
}

// TestSchemas_everyCommand holds what every command prints against its schema.
func TestSchemas_everyCommand(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env["XDG_CONFIG_HOME"] = filepath.Join(b.dir, ".config")
	b.write(".git/HEAD", "ref: refs/heads/main\n")
	b.write(".mastracode/plans/p.md", "# The plan\n\nDo it.\n")
	b.write(".mastracode/config.toml", "[[modes]]\nid = \"review\"\ntools = [\"read_file\"]\nwrites = \"none\"\n")
	ask := b.script("ask.yaml", "ask_user", map[string]any{"question": "Which?", "options": []string{"A", "C"}})
	runs := b.makeRuns(ask)
	c := newChecker(t)
	used := map[string]bool{}
	for _, o := range outputs(ask) {
		words := slices.Clone(o.words)
		for i := range words {
			words[i] = runs.Replace(words[i])
		}
		used[commandOf(b, words)] = true
		r := b.run(append(words, "--output", "json")...)
		if strings.Count(r.out, "\n") != 1 {
			t.Errorf("%v: %d lines, want one object\n%s%s", words, strings.Count(r.out, "\n"), r.out, r.err)
			continue
		}
		c.check(o.schema, []byte(r.out))
		if t.Failed() {
			t.Fatalf("that was printed by %v", words)
		}
	}
	c.eachEvent(b)
	for _, name := range schemaNames() {
		if !c.seen[name] && !strings.HasPrefix(name, "hook-") { // hooks.txtar reads what they get
			t.Errorf("nothing was held against docs/schema/%s.json", name)
		}
	}
	walk(newRootCmd(b.streams(nil, nil), &globals{}), func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if cmd.Runnable() && !cmd.Hidden && !used[path] && otherOutput[path] == "" && !strings.HasPrefix(path, "agent completion") {
			t.Errorf("%s is in no test of what it prints", path)
		}
	})
}

// itemsOf are the arrays whose items are lines in jsonl, by schema.
func itemsOf() map[string]string {
	return map[string]string{
		"list": "runs", "events": "events", "plans-list": "plans", "modes": "modes", "tools": "tools", "models": "models",
		"permissions-list": "rules", "config": "settings", "doctor": "checks", "trust-list": "trusted",
	}
}

// TestSchemas_lines holds what every command prints with --output jsonl against
// what it prints with json: items, a result, or the same object.
func TestSchemas_lines(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env["XDG_CONFIG_HOME"] = filepath.Join(b.dir, ".config")
	b.write(".git/HEAD", "ref: refs/heads/main\n")
	b.write(".mastracode/plans/p.md", "# The plan\n\nDo it.\n")
	b.write(".mastracode/config.toml", "[permissions]\ndeny = [\"shell(rm *)\"]\n")
	ask := b.script("ask.yaml", "ask_user", map[string]any{"question": "Which?", "options": []string{"A", "C"}})
	runs := b.makeRuns(ask)
	b.run("trust").wants(t, exit.OK)
	b.run("init").wants(t, exit.OK)
	for _, o := range outputs(ask) {
		words := slices.Clone(o.words)
		for i := range words {
			words[i] = runs.Replace(words[i])
		}
		if slices.Contains([]string{"run", "resume", "undo", "cancel", "import", "delete", "prune", "trust"}, words[0]) && o.schema != "trust-list" {
			continue // the second time it does something else
		}
		object, lines := b.run(append(words, "--output", "json")...).out, b.run(append(words, "--output", "jsonl")...).out
		if want := linesOf(t, o.schema, object); want != lines {
			t.Errorf("%v prints with jsonl\n%.900s\nwhere json is\n%.900s", words, lines, object)
		}
	}
}

// linesOf is what jsonl prints where json prints an object.
func linesOf(t *testing.T, schema, object string) string {
	t.Helper()
	key, lists := itemsOf()[schema]
	result := func(object string) string {
		return `{"type":"result","payload":` + strings.TrimSuffix(object, "\n") + "}\n"
	}
	switch {
	case schema == "result":
		return result(object)
	case schema == "show":
		key = "events"
	case !lists:
		return object
	}
	var whole map[string]json.RawMessage
	var items []json.RawMessage
	if err := json.Unmarshal([]byte(object), &whole); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(whole[key], &items); err != nil {
		t.Fatalf("%s has no %s: %v", schema, key, err)
	}
	var out strings.Builder
	for _, item := range items {
		out.Write(append(item, '\n'))
	}
	if schema == "show" {
		out.WriteString(result(strings.Replace(object, string(whole[key]), "[]", 1)))
	}
	return out.String()
}

// commandOf is the command some words call.
func commandOf(b *bench, words []string) string {
	cmd, _, err := newRootCmd(b.streams(nil, nil), &globals{}).Find(words)
	if err != nil {
		b.t.Fatal(err)
	}
	return cmd.CommandPath()
}

// makeRuns makes runs that hold much of what a run can, and exports one.
func (b *bench) makeRuns(ask string) *strings.Replacer {
	b.t.Helper()
	b.write("work.yaml", `turns:
  - {text: Look., toolCalls: [{id: l, name: list_files, args: {}}, {id: x, name: no_such_tool, args: {}}]}
  - toolCalls: [{id: p, name: submit_plan, args: {path: .mastracode/plans/p.md}}]
  - toolCalls: [{id: w, name: write_file, args: {path: new.txt, content: "x"}}, {id: s, name: shell, args: {command: "echo hi"}}, {id: t, name: tasks, args: {tasks: [{content: a, status: pending}]}}]
  - text: Done.
  - text: More.
`)
	b.write("revise.yaml", `turns:
  - toolCalls: [{id: p, name: submit_plan, args: {path: .mastracode/plans/r.md}}]
  - toolCalls: [{id: e, name: write_file, args: {path: .mastracode/plans/r.md, content: "# R\n\nTwo.\n"}}]
  - toolCalls: [{id: q, name: submit_plan, args: {path: .mastracode/plans/r.md}}]
  - text: Done.
`)
	b.write(".mastracode/plans/r.md", "# R\n\nOne.\n")
	b.write("read.yaml", "turns:\n  - toolCalls: [{id: r, name: read_file, args: {path: .mastracode/plans/r.md}}]\n  - text: Done.\n")
	b.write("answers.yaml", "plan: {action: approve, anyPlan: true}\n")
	id := func(words ...string) string {
		rep, _ := b.report(words...)
		if rep.RunID == "" {
			b.t.Fatalf("%v made no run: %+v", words, rep.Error)
		}
		return rep.RunID
	}
	script := func(name string) string { return "script:" + filepath.Join(b.dir, name) }
	done := id("run", "--model", script("work.yaml"), "--answers", "answers.yaml", "--yolo", "Work")
	b.report("resume", done, "--message", "More")
	denied := id("run", "--model", b.script("sh.yaml", "shell", map[string]string{"command": "touch x"}), "--mode", "build", "--non-interactive", "Deny")
	revised := id("run", "--model", script("revise.yaml"), "Revise")
	b.report("resume", revised, "--reject", "--feedback", "shorter")
	open := id("run", "--model", ask, "Open")
	b.report("run", "--model", ask, "--on-question", "fail", "Fail")
	b.report("run", "--model", script("read.yaml"), "--max-steps", "1", "Pause")
	b.run("export", open, "--file", "exported.jsonl").wants(b.t, exit.OK)
	return strings.NewReplacer("{asks}", id("run", "--model", ask, "Asks"), "{done}", done, "{denied}", denied, "{revised}", revised, "{open}", open)
}

// eachEvent holds every line of jsonl output against the schema of events.
func (c *checker) eachEvent(b *bench) {
	b.t.Helper()
	var list struct{ Runs []listedRun }
	if err := json.Unmarshal([]byte(b.run("list", "--all", "--output", "json").out), &list); err != nil {
		b.t.Fatal(err)
	}
	lines := b.run("run", "--model", "demo", "Greet", "--output", "jsonl").out
	for _, r := range list.Runs {
		lines += b.run("events", r.RunID).out
	}
	for line := range bytes.Lines([]byte(lines)) {
		if !bytes.HasPrefix(line, []byte(`{"type":"result"`)) {
			c.check("event", line)
		}
	}
}
