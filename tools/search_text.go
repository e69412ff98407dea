package tools

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	`"context":{"type":"integer","minimum":0,"maximum":50,"description":"Lines to show around each match. Default 0."},` +
	`"ignoreCase":{"type":"boolean","description":"Let upper and lower case match each other. Default false."}},` +
	`"required":["pattern"]}`

const (
	maxMatches   = 500
	maxMatched   = 64 << 10 // bytes shown by one search
	maxMatchLine = 400
	maxContext   = 50
)

type searchText struct{ closed Closed }

// SearchText returns the tool search_text: lines that match a regular
// expression. What is closed it never reads. Binary files, which are those that
// hold a NUL, and files over 16 MiB are skipped. Of the matching lines the first
// 500 are shown, or what fits in 64 KiB; Details has the count of all, and of
// the files they are in.
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
		wk := walk[fileMatches]{w: w, into: func(entry) bool { return true }, tell: s.take}
		wk.look = func(entries []entry) []fileMatches { return s.met(ctx, w, base, entries) }
		err = wk.run(ctx, base)
	} else {
		err = s.named(ctx, w, base)
	}
	return s.result(), err
}

// search is one search and what it found so far.
type search struct {
	re      *regexp.Regexp
	needles []needle // every match contains one of them; nil if nothing is known
	exact   bool     // and every line that does matches
	glob    string
	around  int

	out                          strings.Builder
	matches, files, large, shown int
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
	// By itself first, so that the error shows what was given.
	if s.re, err = regexp.Compile(pattern); err != nil {
		return nil, fmt.Errorf("pattern is no valid regular expression (RE2): %w; put a backslash before characters that are meant as they are", err)
	}
	if ignoreCase {
		pattern = "(?i:" + pattern + ")"
		if s.re, err = regexp.Compile(pattern); err != nil {
			return nil, fmt.Errorf("pattern is no valid regular expression (RE2) without case: %w", err)
		}
	}
	s.needles, s.exact = needlesOf(pattern)
	return &s, nil
}

// named searches the one file a call named, so that it says why it cannot.
func (s *search) named(ctx context.Context, w *workspace, rel string) error {
	if err := w.credentials(rel); err != nil {
		return err
	}
	data, _, err := w.readAll(rel)
	if err != nil {
		return err
	}
	if isBinary(data) {
		return fmt.Errorf("%s is a binary file", rel)
	}
	s.take(s.file(ctx, rel, data, &budget{}))
	return context.Cause(ctx)
}

// met searches files that a walk came by. One that is gone, or closed to us, is
// passed over.
func (s *search) met(ctx context.Context, w *workspace, base string, entries []entry) []fileMatches {
	var found []fileMatches
	var buf []byte
	var spent budget
	for _, e := range entries {
		if !e.typ.IsRegular() || s.glob != "" && !matchGlob(s.glob, below(base, e.rel)) {
			continue
		}
		data, err := readMet(w, e, buf)
		if err == nil && !isBinary(data) {
			if m := s.file(ctx, e.rel, data, &spent); m.count > 0 {
				found = append(found, m)
			}
		} else if errors.Is(err, errTooLarge) {
			found = append(found, fileMatches{large: true})
		}
		buf = data
	}
	return found
}

// readMet reads a file that a walk met. Opened without waiting, a pipe that has
// taken its place since does no harm.
func readMet(w *workspace, e entry, buf []byte) ([]byte, error) {
	f, err := e.dir.OpenFile(e.name, os.O_RDONLY|openNoWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errIrregular
	}
	if err := cmp.Or(w.deny(e.rel, info), w.credentials(e.rel)); err != nil {
		return nil, err
	}
	return readInto(buf, f, info.Size())
}

// take adds what was found in the next file.
func (s *search) take(m fileMatches) {
	if m.large {
		s.large++
		return
	}
	if m.count > 0 {
		s.files++
		s.matches += m.count
	}
	for _, b := range m.blocks {
		if s.shown == maxMatches || s.out.Len() > maxMatched {
			return
		}
		s.shown++
		if b.apart && s.out.Len() > 0 {
			s.out.WriteString("--\n")
		}
		s.out.WriteString(b.text)
	}
}

func (s *search) result() agent.Result {
	if s.matches == 0 {
		s.out.WriteString("No lines match.\n")
	}
	if s.shown < s.matches {
		fmt.Fprintf(&s.out, "[the first %d of %d matching lines, which are in %s: narrow the pattern, the path or the glob]\n", s.shown, s.matches, plural(s.files, "file"))
	}
	if s.large > 0 {
		fmt.Fprintf(&s.out, "[skipped %s over %d MiB]\n", plural(s.large, "file"), maxFile>>20)
	}
	return agent.Result{Content: s.out.String(), Details: map[string]any{"matches": s.matches, "files": s.files}}
}
