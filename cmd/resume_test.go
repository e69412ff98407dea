package cmd

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
)

// TestResume_race answers one question twenty times at once: one answer wins,
// everybody else learns whose it was.
func TestResume_race(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rep, _ := b.report("run", "--model", b.script("ask.yaml", "ask_user", map[string]string{"question": "Which?"}), "Ask")
	results := make([]ran, 20)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			results[i] = b.run("resume", rep.RunID, "--tool-call", "c", "--answer", fmt.Sprint("answer ", i), "--by", fmt.Sprint("person-", i), "--detach")
		})
	}
	wg.Wait()
	winner := -1
	for i, r := range results {
		if r.code == exit.OK {
			if winner >= 0 {
				t.Fatalf("answers %d and %d both won", winner, i)
			}
			winner = i
		}
	}
	if winner < 0 {
		t.Fatalf("nobody won: %+v", results)
	}
	told := fmt.Sprintf("already answered by person-%d at 20", winner)
	for i, r := range results {
		if i != winner && (r.code != exit.Conflict || !strings.Contains(r.err, told)) {
			t.Errorf("answer %d: exit %d, %s", i, r.code, r.err)
		}
	}
	b.run("resume", rep.RunID).wants(t, exit.OK, "Done.")
	b.run("show", rep.RunID, "--output", "json").wants(t, exit.OK, fmt.Sprintf(`User answered: answer %d"`, winner))
}

// TestResume_terminal: on a terminal where no prompt can be shown a run is left
// suspended, and what lies on stdin answers nothing.
func TestResume_terminal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	onTerminal := func(s *iostreams.Streams) {
		s.In, s.InTTY, s.OutTTY, s.ErrTTY = strings.NewReader("\n\n\x04"), true, true, true
		s.Columns = func() int { return 60 }
	}
	model := b.script("ask.yaml", "ask_user", map[string]string{"question": "Which?"})
	b.runWith(onTerminal, "run", "--model", model, "Ask").wants(t, exit.Suspended, "Which?", "--answer '<answer>'")
	b.runWith(onTerminal, "resume", "latest").wants(t, exit.Suspended, "Which?", "--answer '<answer>'")
	b.runWith(onTerminal, "resume", "latest", "--answer", "x").wants(t, exit.OK, "┃ Done.")
	b.runWith(onTerminal, "list").wants(t, exit.OK, "finished")
}
