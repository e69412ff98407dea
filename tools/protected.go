package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// protected names the reason why no mode writes the file, "" if there is none.
// What lies there is run by git, or configures the agent itself.
func protected(rel string) string {
	parts := strings.Split(rel, "/")
	for _, part := range parts {
		if gitName(part) {
			return "the inside of .git belongs to git"
		}
	}
	n := len(parts)
	if n > 1 && strings.EqualFold(parts[n-1], "config.toml") && strings.EqualFold(parts[n-2], ".mastracode") {
		return "it configures the agent"
	}
	return ""
}

// gitName reports whether some file system takes the name for .git: by case,
// because of code points it ignores, of dots and spaces at the end, or as the
// short form of it. On the others such a name is a trap, and protected too.
func gitName(name string) bool {
	name = strings.TrimRight(strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, name), ". ")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// gitCredentials reports whether a file of git's settings holds what no tool
// may show: an address with a password, or a header sent along.
func gitCredentials(data []byte) bool {
	return regexp.MustCompile(`(?i)://[^/\s@]*:[^/\s@]+@|://[^/\s:@]{20,}@|extraheader\s*=|password\s*=|token\s*=`).Match(data)
}

var errCredentials = errors.New("holds credentials and is closed to all tools. Go on without it, or ask the person for the part you need")

// credentials refuses a file of git's settings, which lies in .git and has a
// name that begins with "config", if it holds credentials. Others pass.
func (w *workspace) credentials(rel string) error {
	dir, name := "", rel
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		dir, name = rel[:i], rel[i+1:]
	}
	inside := false
	for part := range strings.SplitSeq(dir, "/") {
		inside = inside || gitName(part)
	}
	if !inside || !strings.HasPrefix(strings.ToLower(name), "config") {
		return nil
	}
	data, _, err := w.readAll(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errDirectory):
		return nil // whoever opens it will say so
	case err != nil:
		return err
	case gitCredentials(data):
		return fmt.Errorf("%s %w", rel, errCredentials)
	}
	return nil
}
