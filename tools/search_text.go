package tools

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/seed-3e5a1d81/agent/agent"
)

//go:embed search_text.md
var searchTextDescription string

const searchTextSchema = `{"type":"object","properties":{` +
	`"pattern":{"type":"string","description":"Regular expression (RE2), matched line by line."},` +
	`"path":{"type":"string","description":"Directory or file, relative to the workspace. Default: the workspace."},` +
	`"glob":{"type":"string","description":"Only files that match, for example *.go"},` +
	`"context":{"type":"integer","minimum":0,"description":"Lines to show around each match. Default 0."},` +
	`"ignoreCase":{"type":"boolean"}},` +
	`"required":["pattern"]}`

const (
	maxMatches   = 500
	maxMatched   = 64 << 10 // bytes shown by one search
	maxMatchLine = 400
	maxContext   = 50
)

type searchText struct{ closed Closed }

// SearchText returns the tool search_text: lines that match a regular
// expression. What is closed it never reads. Binary files and files
// over 16 MiB are skipped.
func SearchText(closed Closed) agent.Tool { return searchText{closed: closed} }

// Definition implements agent.Tool.
func (searchText) Definition() agent.Definition {
	return agent.Definition{
		Name: "search_text", Description: searchTextDescription, InputSchema: json.RawMessage(searchTextSchema),
		Effect: agent.EffectReadOnly, Category: agent.CategoryRead,
	}
}

// Call implements agent.Tool.
func (t searchText) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	r, err := t.search(ctx, call)
	return settle(ctx, "search_text", r, err)
}

func (t searchText) search(ctx context.Context, call agent.Call) (agent.Result, error) {
	a, err := decodeArgs(call.Args)
	if err != nil {
		return agent.Result{}, err
	}
	s, err := parseSearch(a, call.Workspace)
	if err != nil {
		return agent.Result{}, err
	}
	w, base, err := searchBase(a, call, t.closed)
	if err != nil {
		return agent.Result{}, err
	}
	defer w.close()
	info, err := w.root.Lstat(base)
	if err != nil {
		return agent.Result{}, err
	}
	if info.IsDir() {
		err = w.walk(ctx, base, func(e entry) (bool, error) {
			if e.Type().IsRegular() && (s.glob == "" || matchGlob(s.glob, below(base, e.rel))) {
				return false, s.met(e)
			}
			return true, nil
		})
	} else if err = s.named(w, base); errors.Is(err, errStopWalk) {
		err = nil
	}
	return s.result(), err
}

// search is one search and what it found so far.
type search struct {
	re      *regexp.Regexp
	literal []byte // what every match contains; nil if nothing is known
	glob    string
	around  int

	out                   strings.Builder
	matches, files, large int
	full                  bool
}

func parseSearch(a args, workspace string) (*search, error) {
	var s search
	pattern, err := a.text("pattern")
	if err != nil {
		return nil, err
	}
	if pattern == "" {
		return nil, errors.New("pattern is required: give a regular expression")
	}
	if s.glob, err = a.text("glob"); err != nil {
		return nil, err
	}
	if s.glob, err = cleanGlob("glob", s.glob, workspace); err != nil {
		return nil, err
	}
	if s.around, err = a.integer("context", 0, 0, maxContext); err != nil {
		return nil, err
	}
	ignoreCase, err := a.flag("ignoreCase")
	if err != nil {
		return nil, err
	}
	if s.re, err = regexp.Compile(pattern); err != nil {
		return nil, fmt.Errorf("pattern is no valid regular expression (RE2): %w", err)
	}
	if prefix, _ := s.re.LiteralPrefix(); prefix != "" && !ignoreCase {
		s.literal = []byte(prefix)
	}
	if ignoreCase {
		s.re, err = regexp.Compile("(?i:" + pattern + ")")
	}
	return &s, err
}

// named searches the one file a call named, so that it says why it cannot.
func (s *search) named(w *workspace, rel string) error {
	data, _, err := w.readAll(rel)
	if err != nil {
		return err
	}
	if binary(data) {
		return fmt.Errorf("%s is a binary file", rel)
	}
	return s.text(rel, data)
}

// met searches a file that a walk came by. One that is gone, or closed to us,
// is passed over.
func (s *search) met(e entry) error {
	data, _, err := readIn(e.dir, e.Name())
	switch {
	case errors.Is(err, errTooLarge):
		s.large++
	case err == nil && !binary(data):
		return s.text(e.rel, data)
	}
	return nil
}

func binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), binaryProbe)], 0) >= 0
}

// text searches a file's lines.
func (s *search) text(rel string, data []byte) error {
	if !bytes.Contains(data, s.literal) {
		return nil
	}
	before, next := s.matches, 0 // next is the first line not shown yet
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	for i := range lines {
		at := s.re.FindIndex(bytes.TrimSuffix(lines[i], []byte("\r")))
		if at == nil {
			continue
		}
		if s.full = s.matches == maxMatches || s.out.Len() > maxMatched; s.full {
			return errStopWalk
		}
		if s.matches == before {
			s.files++
		}
		s.matches++
		next = s.show(rel, lines, i, at[0], next)
	}
	return nil
}

// show writes a match and the lines around it that are not shown yet. Context
// that is itself a match is shown as one.
func (s *search) show(rel string, lines [][]byte, at, column, next int) int {
	from, to := max(at-s.around, next), min(at+s.around, len(lines)-1)
	if s.around > 0 && s.out.Len() > 0 && (next == 0 || from > next) {
		s.out.WriteString("--\n")
	}
	for i := from; i <= to; i++ {
		if i > at && s.re.Match(bytes.TrimSuffix(lines[i], []byte("\r"))) {
			return i // it is the next match, and shows its own context
		}
		mark, start := "-", 0
		if i == at {
			mark, start = ":", column
		}
		fmt.Fprintf(&s.out, "%s%s%d%s %s\n", printable(rel), mark, i+1, mark, excerpt(lines[i], start))
	}
	return to + 1
}

// excerpt is a line, or the part of a long one around a column.
func excerpt(line []byte, column int) string {
	text := strings.ToValidUTF8(strings.TrimSuffix(string(line), "\r"), "\ufffd")
	if len(text) <= maxMatchLine {
		return text
	}
	// Replaced bytes may have moved the column; it only has to be near.
	start := len(clip(text, min(len(text), max(0, column-maxMatchLine/4))))
	part := clip(text[start:], maxMatchLine)
	head, tail := "", ""
	if start > 0 {
		head = "… "
	}
	if start+len(part) < len(text) {
		tail = " …"
	}
	return head + part + tail
}

func (s *search) result() agent.Result {
	if s.matches == 0 {
		s.out.WriteString("No lines match.\n")
	}
	if s.full {
		fmt.Fprintf(&s.out, "[stopped after %s: narrow the pattern, the path or the glob]\n", plural(s.matches, "matching line"))
	}
	if s.large > 0 {
		fmt.Fprintf(&s.out, "[skipped %s over %d MiB]\n", plural(s.large, "file"), maxFile>>20)
	}
	return agent.Result{Content: s.out.String(), Details: map[string]any{"matches": s.matches, "files": s.files}}
}
