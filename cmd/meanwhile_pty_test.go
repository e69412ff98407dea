//go:build linux || darwin

package cmd

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
)

// TestMeanwhile: what other processes do to a run while its question is open on
// a terminal. The person hears of it, and nothing else is broken.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	const back = "another.jsonl"
	for name, tt := range map[string]struct {
		others [][]string
		sees   string
		code   int
	}{
		"deleted":          {[][]string{{"delete", "latest", "--yes"}}, "somebody deleted it meanwhile", exit.Usage},
		"canceled":         {[][]string{{"cancel", "latest"}}, "was canceled", exit.Conflict},
		"exported":         {[][]string{{"export", "latest", "--file", back}}, "", exit.OK},
		"moved":            {[][]string{{"export", "latest", "--file", back}, {"delete", "latest", "--yes"}, {"import", back}}, "", exit.OK},
		"undone":           {[][]string{{"undo", "latest"}}, "", exit.OK},
		"moved and undone": {[][]string{{"export", "latest", "--file", back}, {"delete", "latest", "--yes"}, {"import", back}, {"undo", "latest"}}, "", exit.OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newDesk(t)
			b.write("ask.yaml", "turns:\n  - {toolCalls: [{id: w, name: write_file, args: {path: new.txt, content: x}}, {id: q, name: ask_user, args: {question: Which?, options: [A, B]}}]}\n  - text: Done.\n")
			x := dial(b, wired{columns: 80}, "run", "--model", "script:ask.yaml", "--mode", "build", "--yolo", "Do it")
			x.sees(skipQuestion)
			for _, words := range tt.others {
				b.run(words...).wants(t, exit.OK)
			}
			x.takes(1)
			if tt.code == exit.OK {
				x.ends()
				b.wantAnswers(`ask_user tty: "A"`)
				return
			}
			x.sees(tt.sees)
			if code := x.exits(); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
		})
	}
}

// TestMeanwhile_followed: a run is deleted under a process that follows it.
func TestMeanwhile_followed(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	rep, _ := b.report("run", "--model", b.asks("ask_user", singleQuestion()), "Do it")
	c := b.command("events", rep.RunID, "--follow", "--output", "text")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }()
	if _, err := out.(*os.File).Read(make([]byte, 1<<16)); err != nil {
		t.Fatal(err)
	}
	b.run("delete", rep.RunID, "--yes").wants(t, exit.OK)
	if code := shellCode(c.Wait()); code != exit.Usage || !strings.Contains(said.String(), "somebody deleted it meanwhile") {
		t.Errorf("exit code %d, said %s", code, said.String())
	}
}
