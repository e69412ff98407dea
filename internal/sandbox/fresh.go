package sandbox

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// harmless reports whether what a command newly made at a watched path is what
// git makes of a new repository, so that "git init" and "git clone" work:
// examples of hooks, and a configuration that names nothing to run.
func harmless(path string) bool {
	if filepath.Base(filepath.Dir(path)) != ".git" {
		return false
	}
	switch filepath.Base(path) {
	case "hooks":
		return !isLink(path) && onlySamples(path)
	case "config":
		e, err := look(path)
		return err == nil && e.mode.IsRegular() && plainConfig(e.data)
	}
	return false
}

// onlySamples reports whether a directory of hooks holds none that git runs.
func onlySamples(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !e.Type().IsRegular() || filepath.Ext(e.Name()) != ".sample"
	})
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}

// plainConfig reports whether a configuration of git has only settings that
// say where things are and who works on them. What it does not understand is
// not plain.
func plainConfig(data []byte) bool {
	section := regexp.MustCompile(`^\[([a-z]+)(?: "[^"\\]*")?\]$`)
	setting := regexp.MustCompile(`^([A-Za-z]+) = ([^"\\#;]*)$`)
	plain := map[string][]string{
		"core":       {"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks", "worktree"},
		"remote":     {"url", "fetch"},
		"branch":     {"remote", "merge"},
		"user":       {"name", "email"},
		"extensions": {"objectformat", "refstorage"},
	}
	var allowed []string
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if text == "" {
			continue
		}
		if m := section.FindStringSubmatch(text); m != nil {
			allowed = plain[m[1]]
			continue
		}
		m := setting.FindStringSubmatch(text)
		if m == nil || !slices.Contains(allowed, strings.ToLower(m[1])) || strings.Contains(m[2], "::") {
			return false
		}
	}
	return true
}
