package ask

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/seed-3e5a1d81/agent/cmd/terminal"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// Editor is the person's editor.
type Editor struct {
	Command string          // of their shell; not empty
	Environ func() []string // what it gets; AGENT_RUN_ID is added
	// Reached reports whether the signal that ended ctx came from the keyboard, so
	// that an editor in the foreground has got it too.
	Reached func(ctx context.Context) bool
}

// name is the editor as it is called in choices.
func (e Editor) name() string { return text.Field(filepath.Base(e.word()), 20) }

// word is the first word of the editor's command.
func (e Editor) word() string {
	word, _, _ := strings.Cut(e.Command, " ")
	if quote := e.Command[:1]; quote == "'" || quote == `"` { // a path with spaces in it
		word, _, _ = strings.Cut(e.Command[1:], quote)
	}
	return word
}

// findEditor says in our words what the shell would print in its own: that
// there is no such editor. What only a shell understands is left to it.
func (p *Person) findEditor(ctx context.Context, env []string) error {
	word := p.Editor.word()
	if strings.ContainsAny(word, "$`\\~=*?(){};&|<>\t\n") {
		return nil
	}
	c := exec.CommandContext(ctx, "sh", "-c", `command -v -- "$1"`, "editor", word)
	c.Env = env
	if c.Run() == nil {
		return nil
	}
	if ctx.Err() != nil {
		return terminal.ErrLeft
	}
	return fmt.Errorf("run editor %s: no such program (VISUAL or EDITOR names another)", text.Field(word, 60))
}

// edit opens a file in the editor and waits. The editor belongs to the person,
// but gets no keys and is told in which run it stands: a file can make some
// editors run commands. A signal that does not reach it through the terminal is
// passed on.
func (p *Person) edit(ctx context.Context, runID, file string) error {
	return p.Console.Lend(func(in, out *os.File) error { return p.editOn(ctx, in, out, runID, file) })
}

func (p *Person) editOn(ctx context.Context, in, out *os.File, runID, file string) error {
	env := p.Editor.Environ()
	if err := p.findEditor(ctx, env); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "sh", "-c", p.Editor.Command+` "$@"`, "editor", file)
	c.Stdin, c.Stdout, c.Stderr = in, out, out
	c.Env = env
	if runID != "" {
		c.Env = append(c.Env, "AGENT_RUN_ID="+runID)
	}
	c.Cancel = func() error {
		if p.Editor.Reached(ctx) {
			return nil
		}
		return c.Process.Signal(syscall.SIGTERM)
	}
	err := c.Run()
	if ctx.Err() != nil {
		return terminal.ErrLeft
	}
	if err != nil {
		_, _ = out.WriteString("\r") // one that was killed leaves the cursor anywhere
		return fmt.Errorf("run editor %s: %w (VISUAL or EDITOR names another)", p.Editor.name(), err)
	}
	return nil
}

// cutHere ends what a person writes in an editor; below it stands what it is
// about.
const cutHere = "# ---- what stands below this line is not sent ----"

// maxWritten bounds a text, in bytes, as what is piped in is bounded.
const maxWritten = 1 << 20

// compose lets a person write a text in the editor, beginning with before. It
// returns "" if nothing was written: who leaves an editor without saving has not
// sent what they had typed before.
func (p *Person) compose(ctx context.Context, runID, before, about string) (written string, err error) {
	dir, err := os.MkdirTemp("", "agent-")
	if err != nil {
		return "", fmt.Errorf("make room for the editor: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "answer.md")
	content := before + "\n\n" + cutHere + "\n" + about + "\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		return "", fmt.Errorf("make room for the editor: %w", err)
	}
	if err := p.edit(ctx, runID, file); err != nil {
		return "", err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read what was written: %w", err)
	}
	if string(raw) == content {
		return "", nil
	}
	return aboveCut(string(raw))
}

func aboveCut(content string) (string, error) {
	written, _, _ := strings.Cut(content, cutHere)
	written = strings.Trim(written, "\r\n")
	if strings.TrimSpace(written) == "" {
		return "", nil
	}
	switch {
	case !utf8.ValidString(written):
		return "", errors.New("read what was written: it is not UTF-8 text")
	case len(written) > maxWritten:
		return "", fmt.Errorf("read what was written: it is more than %d KiB", maxWritten>>10)
	}
	return written, nil
}
