package alert

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// desk is a place with these variables, where these programs are installed.
func desk(os string, env map[string]string, installed ...string) Desk {
	return Desk{
		OS: os, Env: func(name string) string { return env[name] },
		Find: func(name string) (string, error) {
			if slices.Contains(installed, name) {
				return "/usr/bin/" + name, nil
			}
			return "", errors.New("not installed")
		},
	}
}

func TestDesk_Desktop(t *testing.T) {
	t.Parallel()
	type vars = map[string]string
	bell, sent, scripted := Call{}, Call{Program: "/usr/bin/notify-send"}, Call{Program: "/usr/bin/osascript", mac: true}
	for name, c := range map[string]struct {
		desk Desk
		want Call
	}{
		"a terminal that shows them":          {desk("linux", vars{"TERM": "xterm-kitty", "DISPLAY": ":0"}, "notify-send"), Call{Terminal: "xterm-kitty"}},
		"such a terminal from far away":       {desk("linux", vars{"TERM": "xterm-ghostty", "SSH_TTY": "/dev/pts/1"}), Call{Terminal: "xterm-ghostty"}},
		"iTerm":                               {desk("darwin", vars{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "osascript"), Call{Terminal: "iTerm.app"}},
		"tmux inside one, at a desktop":       {desk("linux", vars{"TERM": "tmux-256color", "TMUX": "x", "TERM_PROGRAM": "WezTerm", "WAYLAND_DISPLAY": "w"}, "notify-send"), sent},
		"screen inside one, from far away":    {desk("linux", vars{"TERM": "screen", "STY": "1", "TERM_PROGRAM": "ghostty", "SSH_CONNECTION": "a b"}, "notify-send"), bell},
		"another terminal at a desktop":       {desk("linux", vars{"TERM": "xterm-256color", "DISPLAY": ":0"}, "notify-send"), sent},
		"the same without the program":        {desk("linux", vars{"TERM": "xterm-256color", "DISPLAY": ":0"}), bell},
		"the same from far away":              {desk("linux", vars{"TERM": "xterm-256color", "DISPLAY": "localhost:10", "SSH_TTY": "x"}, "notify-send"), bell},
		"a console without a desktop":         {desk("linux", vars{"TERM": "linux"}, "notify-send"), bell},
		"macOS":                               {desk("darwin", vars{"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, "osascript"), scripted},
		"Windows, whatever PATH holds":        {desk("windows", vars{"DISPLAY": ":0"}, "notify-send", "osascript"), bell},
		"a name that only looks like a known": {desk("linux", vars{"TERM": "foot\x1b]0;x\a"}), bell},
	} {
		if got := c.desk.Desktop(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// hostile ends sequences, quotes and options early, if anything does.
const hostile = "--x \a\x1b\\\x1b]52;c;aGk=\a; $(touch pwned) `id` \"' & <b>\u202eb</b>\n"

func TestCall_wordsAreNotObeyed(t *testing.T) {
	t.Parallel()
	long := hostile + strings.Repeat("界", 500)
	sequence := Call{Terminal: "ghostty"}.Written(hostile, long)
	inner := strings.TrimSuffix(strings.TrimPrefix(sequence, "\x1b]9;"), "\a")
	if len(sequence) != len(inner)+len("\x1b]9;\a") || strings.ContainsFunc(inner, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x202e }) {
		t.Errorf("the sequence is %q", sequence)
	}
	if len(sequence) > 1000 {
		t.Errorf("the sequence has %d bytes", len(sequence))
	}
	argv := Call{Program: "/usr/bin/notify-send"}.Command(hostile, hostile)
	if len(argv) != 5 || argv[2] != "--" || !strings.HasPrefix(argv[3], "--x") || strings.ContainsAny(argv[4], "<>\n\x1b\a") || !strings.Contains(argv[4], "&amp; &lt;b&gt;") {
		t.Errorf("notify-send gets %q", argv)
	}
	argv = Call{Program: "/usr/bin/osascript", mac: true}.Command("agent", hostile)
	if script := strings.Join(argv[:7], " "); len(argv) != 9 || strings.Contains(script, "pwned") {
		t.Errorf("osascript gets %q", argv)
	}
}

func TestCall_bell(t *testing.T) {
	t.Parallel()
	if got := (Call{}).Written("a", "b"); got != "\a" {
		t.Errorf("written %q", got)
	}
	if got := (Call{}).Command("a", "b"); got != nil {
		t.Errorf("runs %q", got)
	}
	if got := (Call{Program: "x"}).Written("a", "b"); got != "" {
		t.Errorf("a program's notification is written: %q", got)
	}
}
