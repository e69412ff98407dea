package tools

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// envFile reports whether a name is that of a file, or directory, with the
// environment of a program: .env, .env.local, .envrc. Examples are not. File
// systems of macOS and Windows take other spellings for the same name; they
// count everywhere.
func envFile(name string) bool {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // HFS+ does not see them
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	if !strings.HasPrefix(name, ".env") {
		return false
	}
	switch path.Ext(name) {
	case ".example", ".sample", ".template", ".dist":
		return false
	}
	return true
}

// secretGlob is one pattern of Closed.Secrets.
type secretGlob struct {
	glob     string
	absolute bool // matched against absolute paths
	anywhere bool // matched against the name alone
}

// addPattern takes up one pattern; home may be "".
func (d *denied) addPattern(pattern, home string) {
	pattern = path.Clean(filepath.ToSlash(strings.TrimSpace(pattern)))
	if pattern == "." {
		return // blank, or all there is
	}
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok && filepath.IsAbs(home) {
		// The home directory's own name is no pattern.
		for _, base := range []string{filepath.Clean(home), realPath(home)} {
			d.addAbsolute(base, rest)
		}
		return
	}
	if filepath.IsAbs(filepath.FromSlash(pattern)) {
		base, rest := doublestar.SplitPattern(pattern)
		d.addAbsolute(filepath.FromSlash(base), rest)
		d.addAbsolute(realPath(filepath.FromSlash(base)), rest)
		return
	}
	d.globs = append(d.globs, secretGlob{glob: plainIfBroken(pattern), anywhere: !strings.Contains(pattern, "/")})
}

// addAbsolute takes up a pattern below a directory. A plain path is known by
// its identity too.
func (d *denied) addAbsolute(base, pattern string) {
	glob := plainIfBroken(pattern)
	if !strings.ContainsAny(glob, `*?[{\`) {
		d.secret.add(filepath.Join(base, filepath.FromSlash(pattern)))
		return
	}
	glob = path.Join(escapeGlob(filepath.ToSlash(base)), glob)
	d.globs = append(d.globs, secretGlob{glob: glob, absolute: true})
}

// plainIfBroken escapes what is no valid pattern: a protection must not be lost
// to a slip of the pen.
func plainIfBroken(pattern string) string {
	if doublestar.ValidatePattern(pattern) {
		return pattern
	}
	return escapeGlob(pattern)
}

func escapeGlob(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (g secretGlob) match(abs, rel string) bool {
	name := rel
	switch {
	case g.absolute:
		name = filepath.ToSlash(abs)
	case rel == ".":
		return false
	case g.anywhere:
		name = path.Base(rel)
	}
	// A file system may not know the difference, and a wider net does no harm.
	return doublestar.MatchUnvalidated(g.glob, name) || doublestar.MatchUnvalidated(strings.ToLower(g.glob), strings.ToLower(name))
}
