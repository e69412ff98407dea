package permission

import (
	"slices"
	"strings"
)

// guard are the arguments with which a program that is else harmless runs
// others or writes files: no "*" of a rule stands for them.
type guard struct {
	words   []string // as a whole, or up to a "="
	long    []string // long options, which may be cut short
	letters string   // short options, which may stand with others
}

// guardOf knows the programs with such arguments.
func guardOf(program string) (guard, bool) {
	switch program {
	case "git":
		return guard{
			words: []string{"-c", "-x", "foreach", "filter-branch", "bisect"},
			long:  []string{"--config-env", "--exec-path", "--exec", "--extcmd", "--output", "--ext-diff", "--textconv", "--open-files-in-pager", "--upload-pack", "--receive-pack"},
		}, true
	case "find":
		return guard{words: []string{"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}}, true
	case "go":
		return guard{words: []string{"-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool", "-overlay", "--overlay"}}, true
	case "rg":
		return guard{long: []string{"--pre", "--hostname-bin"}}, true
	case "tar":
		return guard{letters: "IF", long: []string{"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--info-script", "--new-volume-script"}}, true
	case "rsync":
		return guard{letters: "e", long: []string{"--rsh", "--rsync-path"}}, true
	case "sort":
		return guard{letters: "oT", long: []string{"--output", "--compress-program", "--temporary-directory"}}, true
	}
	return guard{}, false
}

// guardedWords are the places of such arguments, and of words that may become
// one when the command runs.
func guardedWords(program string, words []word) []int {
	g, ok := guardOf(program)
	if !ok {
		return nil
	}
	var out []int
	for i, w := range words[1:] {
		if w.fixed && g.holds(w.text) || !w.fixed && maybeOption(w) {
			out = append(out, i+1)
		}
	}
	return out
}

func (g guard) holds(text string) bool {
	name, _, _ := strings.Cut(text, "=")
	switch {
	case slices.Contains(g.words, name):
		return true
	case strings.HasPrefix(name, "--"):
		return len(name) > 3 && slices.ContainsFunc(g.long, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	return strings.HasPrefix(name, "-") && strings.ContainsAny(name, g.letters)
}

// maybeOption reports whether a word that is not known may begin with a dash:
// all may that do not begin with a letter, a digit, a dot or a slash.
func maybeOption(w word) bool {
	return w.src == "" || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./~", rune(w.src[0]))
}
