// Package alert finds how a person who looked away is called back to a
// terminal: by its bell, by a notification the terminal shows, or by a program
// of the desktop.
package alert

import (
	"slices"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Desk is where the person sits, as far as a program can know it.
type Desk struct {
	OS   string                            // as runtime.GOOS
	Env  func(name string) string          // as os.Getenv
	Find func(name string) (string, error) // as exec.LookPath
}

// Call is one way to call. Its zero value is the bell.
type Call struct {
	Terminal string // shows notifications that are written to it; "": no
	Program  string // path of notify-send or osascript; "": none
	mac      bool
}

// Desktop is the best way to put a notification on the desk: the terminal
// itself, which knows whether it is looked at and leads back to it; else a
// program of the same machine; else the bell.
func (d Desk) Desktop() Call {
	if name := d.terminal(); name != "" {
		return Call{Terminal: name}
	}
	if d.remote() {
		return Call{} // its notifications would come up where nobody sits
	}
	name := "notify-send"
	switch {
	case d.OS == "darwin":
		name = "osascript"
	case d.OS == "windows", d.Env("DISPLAY") == "" && d.Env("WAYLAND_DISPLAY") == "":
		return Call{}
	}
	path, err := d.Find(name)
	if err != nil {
		return Call{}
	}
	return Call{Program: path, mac: d.OS == "darwin"}
}

// terminal names the terminal if it is known to show OSC 9. A multiplexer
// swallows it, and hands the variables of the terminal around it down.
func (d Desk) terminal() string {
	term := d.Env("TERM")
	for _, inside := range []string{"TMUX", "STY", "ZELLIJ"} {
		if d.Env(inside) != "" {
			return ""
		}
	}
	if name := d.Env("TERM_PROGRAM"); slices.Contains([]string{"iTerm.app", "WezTerm", "ghostty"}, name) {
		return name
	}
	switch term {
	case "xterm-kitty", "xterm-ghostty", "wezterm", "foot", "foot-extra":
		return term
	}
	return ""
}

func (d Desk) remote() bool { return d.Env("SSH_CONNECTION") != "" || d.Env("SSH_TTY") != "" }

// String says how the call is made.
func (c Call) String() string {
	switch {
	case c.Terminal != "":
		return "shown by the terminal, " + c.Terminal
	case c.Program != "":
		return "shown by " + text.Line(c.Program)
	}
	return "the bell of the terminal"
}

// The longest title and text, in cells. Desktops cut them anyway.
const (
	titleWidth = 60
	bodyWidth  = 160
)

// Written is what a terminal has to be sent; "" if a program does it. The title
// is the caller's, the body may be anybody's words.
func (c Call) Written(title, body string) string {
	switch {
	case c.Program != "":
		return ""
	case c.Terminal != "":
		return "\x1b]9;" + plain(title, titleWidth) + ": " + plain(body, bodyWidth) + "\a"
	}
	return "\a"
}

// Command is the program to run, with its arguments; nil if there is none. Title
// and body, as for Written, are arguments of their own and free of markup.
func (c Call) Command(title, body string) []string {
	title, body = plain(title, titleWidth), plain(body, bodyWidth)
	switch {
	case c.Program == "":
		return nil
	case c.mac:
		return []string{
			c.Program, "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run",
			title, body,
		}
	}
	unmarked := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;") // the text, not the title, may hold markup
	return []string{c.Program, "--app-name=agent", "--", title, unmarked.Replace(body)}
}

func plain(s string, width int) string { return text.Truncate(text.Line(s), width) }
