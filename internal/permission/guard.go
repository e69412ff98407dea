package permission

import (
	"slices"
	"strings"
)

// guard are the arguments with which a program that is else harmless runs
// others, writes files or gives variables another value: no "*" of a rule
// stands for them.
type guard struct {
	words   []string // as a whole, or up to a "="
	long    []string // long options, which may be cut short
	letters string   // short options, which may stand with others
	inside  string   // what such an argument holds; "": nothing tells it
	bare    bool     // the first argument may be short options without a dash
	first   bool     // only the first argument counts
	names   bool     // variables that matter to programs, too
}

// guardOf knows the programs with such arguments.
func guardOf(program string, words []word) (guard, bool) {
	switch program {
	case "git":
		return guard{
			words:   []string{"-c", "-x", "foreach", "filter-branch", "bisect"},
			long:    []string{"--config-env", "--exec-path", "--exec", "--extcmd", "--output", "--output-directory", "--template", "--ext-diff", "--textconv", "--open-files-in-pager", "--upload-pack", "--receive-pack"},
			letters: gitLetters(words),
		}, true
	case "find":
		return guard{words: []string{"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}}, true
	case "fd", "fdfind":
		return guard{letters: "xX", long: []string{"--exec", "--exec-batch"}}, true
	case "go":
		return guard{words: []string{"-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool", "-overlay", "--overlay"}, inside: "-extld"}, true
	case "rg":
		return guard{long: []string{"--pre", "--hostname-bin"}}, true
	case "tar":
		return guard{letters: "IF", bare: true, long: []string{"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--info-script", "--new-volume-script"}}, true
	case "rsync":
		return guard{letters: "e", long: []string{"--rsh", "--rsync-path"}}, true
	case "sort":
		return guard{letters: "oT", long: []string{"--output", "--compress-program", "--temporary-directory"}}, true
	case "printf":
		return guard{letters: "v", first: true}, true
	case "mapfile", "readarray":
		return guard{letters: "C", names: true}, true
	case "read", "getopts", "unset", "wait":
		return guard{names: true}, true
	}
	return guard{}, false
}

// gitLetters are the short options of a command of git that run a program or
// write files; those of others mean harmless things.
func gitLetters(words []word) string {
	for _, w := range words[1:] {
		switch {
		case w.is("grep"):
			return "O"
		case w.is("clone"):
			return "uc"
		case w.is("rebase", "difftool"):
			return "x"
		case w.is("archive", "format-patch"):
			return "o"
		}
	}
	return ""
}

// guardedWords are the places of such arguments, and of words that may become
// one when the command runs.
func guardedWords(program string, words []word) []int {
	g, ok := guardOf(program, words)
	if !ok {
		return nil
	}
	var out []int
	for i, w := range words[1:] {
		if g.first && i > 0 {
			break
		}
		if w.fixed && g.holds(w.text, i == 0) || !w.fixed && maybeOption(w) {
			out = append(out, i+1)
		}
	}
	return out
}

func (g guard) holds(text string, first bool) bool {
	name, _, _ := strings.Cut(text, "=")
	switch {
	case slices.Contains(g.words, name), g.inside != "" && strings.Contains(text, g.inside):
		return true
	case g.names && identifier(text) && !ownVariable(text):
		return true
	case strings.HasPrefix(name, "--"):
		return len(name) > 3 && slices.ContainsFunc(g.long, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	return (strings.HasPrefix(name, "-") || g.bare && first) && strings.ContainsAny(name, g.letters)
}

// identifier reports whether a text can be the name of a variable.
func identifier(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// maybeOption reports whether a word that is not known may begin with a dash:
// all may that do not begin with a letter, a digit, a dot or a slash.
func maybeOption(w word) bool {
	return w.src == "" || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./~", rune(w.src[0]))
}
