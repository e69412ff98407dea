package text

import (
	"bytes"
	"io"
	"strings"
	"unicode"
)

// Writer cleans all text on its way to a terminal or a log. With Actions it
// also takes workflow commands of GitHub Actions ("::error::", "##[add-mask]")
// their meaning; then it writes whole lines only, and Flush writes the rest.
// It is not safe for concurrent use.
type Writer struct {
	W       io.Writer
	Actions bool
	pending []byte
}

// Write implements io.Writer. It reports all of p as written unless the
// underlying writer failed.
func (w *Writer) Write(p []byte) (int, error) {
	if !w.Actions {
		return len(p), w.put(Clean(string(p)))
	}
	w.pending = append(w.pending, p...)
	end := bytes.LastIndexByte(w.pending, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	whole := string(w.pending[:end])
	w.pending = append(w.pending[:0], w.pending[end:]...)
	return len(p), w.put(neutral(Clean(whole)))
}

// Flush writes a last line that has no end yet.
func (w *Writer) Flush() error {
	rest := string(w.pending)
	w.pending = w.pending[:0]
	return w.put(neutral(Clean(rest)))
}

func (w *Writer) put(s string) error {
	if s == "" {
		return nil
	}
	_, err := io.WriteString(w.W, s)
	return err
}

// neutral returns lines that GitHub Actions does not take for commands: a
// leading "::" becomes ": :", and "##[", which its runner finds anywhere in a
// line, "## [".
func neutral(s string) string {
	if !strings.Contains(s, "::") && !strings.Contains(s, "##[") {
		return s
	}
	lines := strings.SplitAfter(strings.ReplaceAll(s, "##[", "## ["), "\n")
	for i, line := range lines {
		rest := strings.TrimLeftFunc(line, unicode.IsSpace)
		if after, ok := strings.CutPrefix(rest, "::"); ok {
			lines[i] = line[:len(line)-len(rest)] + ": :" + after
		}
	}
	return strings.Join(lines, "")
}
