package terminal

import (
	"fmt"
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

// choosing is the terminal as survey writes to it.
type choosing struct {
	*Console
	plain bool
	hint  string
	list  string // as it was drawn last
}

func (c *choosing) Fd() uintptr { return c.out.Fd() }

// survey says in its hint that letters filter the list; here they do nothing.
// The words put there are as long as its own: it counts rows by them.
const (
	surveysHint = "type to filter]"
	ourHint     = "Enter confirms]"
	readHint    = "? shows it all]"
)

// Write implements io.Writer. survey writes a list at once, and its colours
// whatever our flags say.
func (c *choosing) Write(b []byte) (int, error) {
	s := strings.Replace(string(b), surveysHint, c.hint, 1)
	if c.plain {
		s = withoutColours(s)
	}
	if strings.Contains(s, "\n") {
		c.list = withoutColours(s)
	}
	_, err := c.out.WriteString(s)
	return len(b), err
}

// erase takes the list above the cursor away, as far as the terminal still has
// it: a narrower one has wrapped its rows.
func (c *choosing) erase() {
	columns, rows := c.size()
	up := 0
	for row := range strings.Lines(c.list) {
		up += max((text.Width(strings.TrimSuffix(row, "\n"))-1)/columns, 0) + 1
	}
	if up = min(up, rows-1); up > 0 {
		_, _ = fmt.Fprintf(c.out, "\r\x1b[%dA\x1b[J", up) // a terminal that is gone is noticed by the next read
	}
}

// withoutColours takes the colour sequences out of what survey writes.
func withoutColours(s string) string {
	var b strings.Builder
	for {
		at := strings.Index(s, "\x1b[")
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		size := escapeSize([]byte(s[at:]))
		b.WriteString(s[:at])
		if s[at+size-1] != 'm' {
			b.WriteString(s[at : at+size])
		}
		s = s[at+size:]
	}
}
