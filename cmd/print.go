package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd/exit"
	"github.com/seed-3e5a1d81/agent/cmd/iostreams"
	"github.com/seed-3e5a1d81/agent/cmd/screen"
	"github.com/seed-3e5a1d81/agent/internal/text"
)

// paged is a result for a person that may be longer than the screen: it is made
// whole and then shown, through the pager where there is one.
type paged struct {
	*screen.Screen
	made bytes.Buffer
	io   *iostreams.Streams
}

// page begins a result on stdout.
func (w *wiring) page() *paged {
	p := &paged{io: w.io}
	p.Screen = newScreen(w.io, w.g, &p.made, w.io.OutTTY)
	return p
}

// diff puts a unified diff, in colours and laid out where a person reads it.
func (p *paged) diff(unified string) {
	if p.TTY {
		p.Put(p.Look.Diff(unified, p.Width()))
	} else {
		p.Put(text.Mark(unified))
	}
}

// show prints the result.
func (p *paged) show() error {
	if err := p.Flush(); err != nil {
		return err
	}
	return p.io.Page(p.made.Bytes())
}

// say prints a result in words.
func (w *wiring) say(words string) error {
	out := w.io.Cleaned(w.io.Out)
	fmt.Fprintln(out, words)
	return out.Flush()
}

// tell prints a line for a person, in every output format.
func (w *wiring) tell(line string) {
	on := w.errScreen()
	on.Line(line)
	_ = on.Flush() // stderr has nowhere to report its own faults
}

// tellCommand prints words and a command for a person. The command stays in
// one piece, to be copied.
func (w *wiring) tellCommand(words, command string) {
	on := w.errScreen()
	on.Put(words, ": ", command, "\n")
	_ = on.Flush() // likewise
}

// complain prints an error and its next step for a person.
func complain(w *text.Writer, err error) {
	fmt.Fprintf(w, "agent: %v\n", err)
	if hint := exit.Hint(err); hint != "" {
		fmt.Fprintf(w, "%s\n", hint)
	}
	_ = w.Flush() // stderr has nowhere to report its own faults
}

// mention prints an error on one line, beside an object that holds the rest.
func mention(w *text.Writer, err error) {
	first, _, _ := strings.Cut(err.Error(), "\n")
	fmt.Fprintf(w, "agent: %s\n", first)
	_ = w.Flush() // likewise
}

// printTable prints a table, as wide as the terminal where there is one.
func (w *wiring) printTable(t *screen.Table) error {
	out := w.io.Cleaned(w.io.Out)
	width := 0
	if w.io.OutTTY && w.io.Columns != nil {
		width = w.io.Columns()
	}
	t.Print(out, width)
	return out.Flush()
}

// printJSON prints an object on a line of its own.
func printJSON(w io.Writer, v any) error {
	line, err := text.JSON(v)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}

// printList prints {"key":[…]}, or with jsonl an item a line.
func printList[T any](w *wiring, key string, items []T) error {
	if w.g.Output == outputJSON {
		return printJSON(w.io.Out, map[string][]T{key: items})
	}
	for _, item := range items {
		if err := printJSON(w.io.Out, item); err != nil {
			return err
		}
	}
	return nil
}

// clock is a moment as a person reads it.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
