//go:build linux || darwin

package cmd

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
)

// leavesAtOnce and leavesEarly are readers that do not read all of an output.
func leavesAtOnce(r *os.File) { _ = r.Close() }

func leavesEarly(r *os.File) {
	_, _ = bufio.NewReaderSize(r, 16).ReadString('\n') // what it read is not looked at
	_ = r.Close()
}

// TestUnread makes every command line of TestExitCodes meet a reader of stdout
// that leaves, in every format: it ends quietly and with the same code, but for
// runs, which are paused.
func TestUnread(t *testing.T) {
	t.Parallel()
	for name, leaves := range map[string]func(*os.File){"at once": leavesAtOnce, "early": leavesEarly} {
		for _, format := range []string{outputText, outputJSON, outputJSONL} {
			t.Run(format+" "+name, func(t *testing.T) {
				t.Parallel()
				b := newDesk(t)
				names := b.everyStatus()
				for _, row := range exitings() {
					if row.signal == 0 && row.env == nil {
						b.endsUnread(row, leaves, append(strings.Fields(names.Replace(row.words)), "--output", format)...)
					}
				}
				b.run("doctor").wants(t, exit.OK)
				if got := b.run("list", "--status", "running", "--limit", "0").out; strings.Count(got, "running") != 1 {
					t.Errorf("at work are, beside the one of the test,\n%s", got)
				}
			})
		}
	}
}

// endsUnread runs a row whose reader leaves.
func (b *bench) endsUnread(row exiting, leaves func(*os.File), words ...string) {
	b.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.t.Fatal(err)
	}
	defer w.Close()
	go leaves(r)
	ran := b.runWith(func(s *iostreams.Streams) { s.Out = iostreams.NewWriter(w) }, words...)
	b.endedUnread(row, words, ran)
}

func (b *bench) endedUnread(row exiting, words []string, ended ran) {
	b.t.Helper()
	pauses := slices.Contains([]string{"run", "resume", "wait"}, words[0]) // wait tells what an earlier row left
	if ended.code != row.code && (!pauses || ended.code != exit.Paused) {
		b.t.Errorf("%v: exit code %d, want %d\n%.500s", words, ended.code, row.code, ended.err)
	}
	if regexp.MustCompile(`(?i)\bpipe|panic|goroutine|write result`).MatchString(ended.err) {
		b.t.Errorf("%v says\n%.500s", words, ended.err)
	}
}

// TestUnread_process has a process for every command there is, whose stdout and
// stderr nobody reads: no signal ends it in the middle of its work.
func TestUnread_process(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	names := b.everyStatus()
	seen := map[string]bool{"agent": true}
	rows := append(exitings(), exiting{words: "plans"}, exiting{words: "permissions"}, exiting{words: "completion"}, exiting{words: "help exit-codes"}, exiting{words: "__complete resume "})
	for _, row := range rows {
		words := strings.Fields(names.Replace(row.words))
		if name := commandOf(b, words); row.signal != 0 || row.env != nil || seen[name] && row.code != exit.Usage {
			continue
		}
		seen[commandOf(b, words)] = true
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		c := b.command(words...)
		c.Stdout, c.Stderr = w, w
		err = c.Run()
		_ = w.Close()
		b.endedUnread(row, words, ran{code: shellCode(err)})
	}
	walk(newRootCmd(b.streams(nil, nil), &globals{}), func(c *cobra.Command) {
		if path := c.CommandPath(); c.Runnable() && !seen[path] && !strings.HasPrefix(path, "agent completion ") {
			t.Errorf("%s has met no reader that leaves", path)
		}
	})
}

// TestUnread_silence: what has nothing to say ends too when nobody would read
// it.
func TestUnread_silence(t *testing.T) {
	t.Parallel()
	b := newDesk(t)
	names := b.everyStatus()
	for _, row := range []exiting{
		{code: exit.Paused, words: "run --model {slow.yaml} --output json Go"},
		{code: exit.Paused, words: "resume {slow1} --max-steps 9 --output json"},
		{code: exit.OK, words: "events {waits} --follow"},
		{code: exit.OK, words: "events {waits} --follow --output text"},
		{code: exit.Conflict, words: "wait {running}"},
	} {
		words := strings.Fields(names.Replace(row.words))
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c := b.command(words...)
		c.Stdout = w
		var said strings.Builder
		c.Stderr = &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		if words[0] == "events" {
			_, _ = r.Read(make([]byte, 1<<20)) // it has said all there is
		}
		_ = r.Close()
		b.endedUnread(row, words, ran{code: shellCode(c.Wait()), err: said.String()})
	}
}
