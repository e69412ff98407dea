// Package manual makes the manual pages of the commands. Every line of a help
// text stays the line it is: cobra's own pages take help for Markdown.
package manual

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Write writes a page for root and each command below it into dir, and one in
// section 7 for each topic. They say what the commands' own help says. date is
// the day they carry.
func Write(root *cobra.Command, dir string, date time.Time) error {
	return writePages(root, dir, date.UTC().Format(time.DateOnly))
}

func writePages(c *cobra.Command, dir, date string) error {
	path := filepath.Join(dir, pageName(c)+"."+pageSection(c))
	if err := os.WriteFile(path, []byte(manPage(c, date)), 0o644); err != nil { //nolint:gosec // to be read by anybody
		return fmt.Errorf("write page of %s: %w", c.CommandPath(), err)
	}
	for _, sub := range Below(c) {
		if err := writePages(sub, dir, date); err != nil {
			return err
		}
	}
	return nil
}

// Below are the commands and topics of c that are not hidden.
func Below(c *cobra.Command) []*cobra.Command {
	var subs []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			subs = append(subs, sub)
		}
	}
	return subs
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func pageSection(c *cobra.Command) string {
	if c.IsAdditionalHelpTopicCommand() {
		return "7"
	}
	return "1"
}

func manPage(c *cobra.Command, date string) string {
	p := &page{}
	p.words(".TH " + literal(strings.ToUpper(pageName(c))) + " " + pageSection(c) + " " + date + " agent agent")
	p.macro(".SH", "NAME")
	p.words(pageName(c) + " \\- " + literal(c.Short))
	if c.Runnable() {
		p.macro(".SH", "SYNOPSIS")
		p.macro(".B", c.UseLine())
	}
	p.macro(".SH", "DESCRIPTION")
	p.text(cmp.Or(c.Long, c.Short))
	p.flags("OPTIONS", c.LocalFlags())
	if c.HasParent() && c.Runnable() {
		p.macro(".PP")
		p.words(literal("Those of every command stand in agent(1)."))
	}
	if c.Example != "" {
		p.macro(".SH", "EXAMPLES")
		p.verbatim(c.Example)
	}
	p.macro(".SH", "SEE ALSO")
	p.words(literal(strings.Join(seeAlso(c), ", ")))
	return p.String()
}

// seeAlso are the pages next to a command's: what it belongs to, and what
// belongs to it.
func seeAlso(c *cobra.Command) []string {
	var names []string
	if c.HasParent() {
		names = append(names, pageName(c.Parent())+"("+pageSection(c.Parent())+")")
	}
	for _, sub := range Below(c) {
		names = append(names, pageName(sub)+"("+pageSection(sub)+")")
	}
	if c.HasParent() && c.Runnable() {
		names = append(names, "agent-exit-codes(7)")
	}
	return names
}

// page is a manual page in the making.
type page struct{ strings.Builder }

// macro writes a line that is obeyed, its words as they are.
func (p *page) macro(name string, words ...string) {
	for i, w := range words {
		words[i] = `"` + literal(w) + `"`
	}
	p.words(strings.Join(append([]string{name}, words...), " "))
}

func (p *page) words(line string) { p.WriteString(line + "\n") }

// text writes paragraphs. One with an indented line is a table or an example.
func (p *page) text(s string) {
	for i, para := range strings.Split(strings.Trim(s, "\n"), "\n\n") {
		if i > 0 {
			p.macro(".PP")
		}
		if strings.HasPrefix(para, " ") || strings.Contains(para, "\n ") || strings.Contains(para, "\t") {
			p.verbatim(para)
			continue
		}
		for line := range strings.Lines(para) {
			p.words(literal(strings.TrimSuffix(line, "\n")))
		}
	}
}

// verbatim writes lines that stay lines.
func (p *page) verbatim(s string) {
	p.macro(".nf")
	for line := range strings.Lines(strings.ReplaceAll(s, "\t", "    ")) {
		p.words(literal(strings.TrimSuffix(line, "\n")))
	}
	p.macro(".fi")
}

func (p *page) flags(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.macro(".SH", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		p.macro(".TP")
		p.macro(".B", strings.TrimSpace(name+" "+value))
		p.words(literal(usage + defaultNote(f)))
	})
}

// defaultNote says what a flag is by default, where help says it too.
func defaultNote(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
		return ""
	}
	return " (default " + f.DefValue + ")"
}

// literal makes troff print a line as it is: nothing in it is obeyed, and what is
// copied from a terminal is what was typed.
func literal(line string) string {
	line = strings.NewReplacer(
		`\`, `\e`, "-", `\-`, "'", `\(aq`, `"`, `\(dq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`,
	).Replace(line)
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}
