package cmd

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
)

// slowMain is Main of a program whose every run takes so long that the person
// looks away.
func slowMain() int {
	io, err := iostreams.System()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exit.Failure
	}
	io.Patience.Away = 0
	return execute(context.Background(), io, os.Args[1:])
}

// TestAlert_nobodyThere: bells go to terminals that people sit at, after a
// while, if they want them.
func TestAlert_nobodyThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		notify string
		env    map[string]string
		change func(*iostreams.Streams)
		rings  bool
	}{
		"a terminal":           {"bell", nil, func(*iostreams.Streams) {}, true},
		"results in a pipe":    {"bell", nil, func(s *iostreams.Streams) { s.OutTTY = false }, true},
		"a pipe":               {"bell", nil, func(s *iostreams.Streams) { s.ErrTTY = false }, false},
		"CI":                   {"bell", map[string]string{"CI": "true"}, func(*iostreams.Streams) {}, false},
		"a dumb terminal":      {"bell", map[string]string{"TERM": "dumb"}, func(*iostreams.Streams) {}, false},
		"nobody was away":      {"bell", nil, func(s *iostreams.Streams) { s.Patience.Away = time.Hour }, false},
		"off":                  {"off", nil, func(*iostreams.Streams) {}, false},
		"a desktop, far away":  {"desktop", map[string]string{"SSH_TTY": "/dev/pts/1"}, func(*iostreams.Streams) {}, true},
		"a project's own wish": {"", nil, func(*iostreams.Streams) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.env["XDG_CONFIG_HOME"] = b.dir + "/.config"
			b.env["TERM"] = "xterm"
			for key, value := range c.env {
				b.env[key] = value
			}
			if c.notify != "" {
				b.write(".config/agent/config.toml", "notify = \""+c.notify+"\"\n")
			}
			b.write(".mastracode/config.toml", "notify = \"bell\"\n")
			model := b.script("ask.yaml", "ask_user", map[string]any{"question": "Which?"})
			onTerminal := func(s *iostreams.Streams) {
				s.ErrTTY, s.OutTTY = true, true
				c.change(s)
			}
			r := b.runWith(onTerminal, "run", "--trust-workspace", "--mode", "build", "--model", model, "Do it")
			if got := strings.Contains(r.err, "\a"); got != c.rings || strings.Contains(r.out, "\a") {
				t.Errorf("rings %t, want %t\nstdout %q\nstderr %q", got, c.rings, r.out, r.err)
			}
		})
	}
}

// TestAlert_wait: who waits for a run is called when it needs somebody.
func TestAlert_wait(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env["XDG_CONFIG_HOME"] = b.dir + "/.config"
	b.env["TERM"] = "xterm"
	b.write(".config/agent/config.toml", "notify = \"bell\"\n")
	b.run("run", "--model", b.script("ask.yaml", "ask_user", map[string]any{"question": "Which?"}), "Do it").wants(t, 3)
	onTerminal := func(s *iostreams.Streams) { s.ErrTTY = true }
	if r := b.runWith(onTerminal, "wait", "latest"); r.code != 3 || strings.Count(r.err, "\a") != 1 {
		t.Errorf("exit %d, stderr %q", r.code, r.err)
	}
	b.write(".config/agent/config.toml", "notify = \"loud\"\n")
	b.runWith(onTerminal, "wait", "latest").wants(t, 3, "warning: notify:", "use off, bell or desktop")
}
