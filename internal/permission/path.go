package permission

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// place is a path by one of its names: rel from the workspace, "" if it lies
// outside, and abs; both with slashes.
type place struct{ rel, abs string }

// placesOf are the names of what p, as a call or a command in dir gives it,
// leads to: as it is written, and with every link resolved, by the text without
// ".." first and by the file system's way. What exists only later is judged by
// the part that exists.
func placesOf(workspace, p string) []place {
	if strings.ContainsRune(p, 0) {
		return nil
	}
	abs := p
	if !filepath.IsAbs(p) {
		abs = workspace + string(filepath.Separator) + p
	}
	clean := filepath.Clean(abs)
	real, _ := resolve(filepath.Clean(workspace))
	var out []place
	add := func(abs string) {
		pl := place{rel: within(abs, filepath.Clean(workspace)), abs: slashed(abs)}
		if pl.rel == "" {
			pl.rel = within(abs, real)
		}
		for _, o := range out {
			if o == pl {
				return
			}
		}
		out = append(out, pl)
	}
	add(clean)
	for _, way := range []string{clean, abs} {
		followed, ok := resolve(way)
		if !ok {
			return append(out, place{}) // nowhere: no rule allows it
		}
		add(followed)
	}
	return out
}

// within is abs from dir, with slashes; "" if it does not lie in it.
func within(abs, dir string) string {
	if abs == dir {
		return "."
	}
	rel, ok := strings.CutPrefix(abs, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
	if !ok || dir == "" {
		return ""
	}
	return slashed(rel)
}

func slashed(p string) string { return filepath.ToSlash(p) }

func isAbsolute(p string) bool {
	return path.IsAbs(p) || runtime.GOOS == "windows" && filepath.IsAbs(filepath.FromSlash(p))
}

// maxLinks is how many links one path may go through, as on Linux.
const maxLinks = 40

// resolve replaces the links in an absolute path by what they lead to, one
// component after the other as the system does, also where the end does not
// exist. ok is false for a path of too many links.
func resolve(p string) (real string, ok bool) {
	volume := filepath.VolumeName(p)
	sep := string(filepath.Separator)
	done, todo, links := volume+sep, strings.Split(filepath.ToSlash(p[len(volume):]), "/"), 0
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		target, err := os.Readlink(next)
		if err != nil { // no link, or not there
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", false
		}
		if filepath.IsAbs(target) {
			done = filepath.VolumeName(target) + sep
			target = target[len(filepath.VolumeName(target)):]
		}
		todo = append(strings.Split(filepath.ToSlash(target), "/"), todo...)
	}
	return done, true
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

// covers reports whether an allowing pattern holds for every name of a path;
// with tree, for all that can lie below it too.
func (p *pathPattern) covers(places []place, tree bool) bool {
	for _, pl := range places {
		name := p.subject(pl)
		if name == "" || !doublestar.MatchUnvalidated(p.glob, name) {
			return false
		}
		if tree && !(p.glob == "**" || doublestar.MatchUnvalidated(p.glob, path.Join(name, unlikely)) && doublestar.MatchUnvalidated(p.glob, path.Join(name, unlikely, unlikely))) {
			return false
		}
	}
	return len(places) > 0
}

// delicate reports whether what lies there says what others run: hooks of git,
// the agent's configuration. Tools that edit refuse most of it; a command that
// writes there would not be stopped.
func (pl place) delicate() bool {
	for _, name := range strings.Split(strings.ToLower(pl.abs), "/") {
		if name == ".git" || name == ".mastracode" {
			return true
		}
	}
	return false
}

// meant reports whether a pattern names such a place where it covers one.
func (p *pathPattern) meant(places []place) bool {
	glob := strings.ToLower(p.glob)
	return !slices.ContainsFunc(places, place.delicate) || strings.Contains(glob, ".git") || strings.Contains(glob, ".mastracode")
}

// unlikely is a file name that only a pattern for all names matches.
const unlikely = "\x01"

func (p *pathPattern) subject(pl place) string {
	if p.absolute {
		return pl.abs
	}
	return pl.rel
}

// touches reports whether an asking or denying pattern holds for any name of a
// path, or for a directory it lies in. A pattern without a slash counts at any
// depth, and the case of letters does not matter: not every file system knows
// the difference. With tree, what can lie below the path counts too.
func (p *pathPattern) touches(places []place, tree bool) bool {
	for _, pl := range places {
		name := p.subject(pl)
		if name != "" && (p.hits(name) || tree && p.below(name)) {
			return true
		}
	}
	return false
}

func (p *pathPattern) hits(name string) bool {
	glob, name := strings.ToLower(p.glob), strings.ToLower(name)
	for at := name; ; at = path.Dir(at) {
		subject := at
		if p.name {
			subject = path.Base(at)
		}
		if doublestar.MatchUnvalidated(glob, subject) {
			return true
		}
		if at == "." || at == path.Dir(at) {
			return false
		}
		if !strings.Contains(at, "/") {
			return false
		}
	}
}

// below reports whether something below the directory name may match.
func (p *pathPattern) below(name string) bool {
	if p.name {
		return true
	}
	base, _ := doublestar.SplitPattern(strings.ToLower(p.glob))
	name = strings.ToLower(name)
	return base == "." || name == "." || base == name || strings.HasPrefix(base, name+"/") || strings.HasPrefix(name, base+"/")
}
