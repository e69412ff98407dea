package tools

import (
	"fmt"
	"regexp"
	"strings"
)

// maxPlaces is how many lines linesWith names.
const maxPlaces = 10

// linesWith says at which lines old occurs in text, matches that overlap among
// them.
func linesWith(text, old string) string {
	var lines []string
	line, at := 1, 0
	for {
		i := strings.Index(text[at:], old)
		if i < 0 {
			break
		}
		if len(lines) == maxPlaces {
			lines = append(lines, "more")
			break
		}
		line += strings.Count(text[at:at+i], "\n")
		if number := fmt.Sprint(line); len(lines) == 0 || lines[len(lines)-1] != number {
			lines = append(lines, number)
		}
		line += strings.Count(text[at+i:at+i+1], "\n")
		at += i + 1
	}
	last := len(lines) - 1
	if last == 0 {
		return "line " + lines[0]
	}
	return "lines " + strings.Join(lines[:last], ", ") + " and " + lines[last]
}

const matchExactly = "it must match to the last space"

// nearest says where text comes nearest to old, which does not occur in it, and
// how they differ there.
func nearest(text, old string) string {
	numberedLine := regexp.MustCompile(`(?m)^ *\d+\t`)
	switch {
	case len(secretMarks([]byte(old))) > 0:
		return "what reads [secret NAME] is a value that is not shown: leave its line out of oldText"
	case numberedLine.MatchString(old) && strings.Contains(text, numberedLine.ReplaceAllString(old, "")):
		return "take the line numbers that read_file adds out of it"
	}
	wanted, have := linesOf(old), linesOf(text)
	start := likeliest(have, wanted)
	if start < 0 {
		return matchExactly + ", and nothing in the file is like it"
	}
	for i, want := range wanted {
		got := "(the file ends before)"
		if start+i < len(have) {
			got = have[start+i]
		}
		// The first and last line may be parts of theirs.
		if got != want && (i != 0 || !strings.HasSuffix(got, want)) && (i != len(wanted)-1 || !strings.HasPrefix(got, want)) {
			how := "differs"
			if strings.Join(strings.Fields(got), " ") == strings.Join(strings.Fields(want), " ") {
				how = "differs in white space"
			}
			return fmt.Sprintf("%s. The nearest place is line %d, which %s: the file has %q, oldText %q",
				matchExactly, start+i+1, how, clip(got, 200), clip(want, 200))
		}
	}
	return fmt.Sprintf("%s. The nearest place is line %d; its line ends differ", matchExactly, start+1)
}

func linesOf(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// likeliest is the line of have where wanted begins with the most lines in
// common, white space around them aside; failing that, where one line begins
// and ends most like its first; negative if nothing is like it.
func likeliest(have, wanted []string) int {
	at := map[string][]int{}
	for i, line := range wanted {
		if line = strings.TrimSpace(line); line != "" {
			at[line] = append(at[line], i)
		}
	}
	common, best := map[int]int{}, -1
	for i, line := range have {
		for _, j := range at[strings.TrimSpace(line)] {
			start := i - j
			if common[start]++; start >= 0 && (best < 0 || common[start] > common[best] || common[start] == common[best] && start < best) {
				best = start
			}
		}
	}
	if best >= 0 {
		return best
	}
	for j, line := range wanted {
		if line = strings.TrimSpace(line); line != "" {
			if i := mostAlike(have, line); i >= j {
				return i - j
			}
			return -1
		}
	}
	return -1
}

// mostAlike is the line that shares most of its beginning and end with line, at
// least half of it; negative if none does.
func mostAlike(have []string, line string) int {
	best, most := -1, (len(line)-1)/2
	for i, other := range have {
		other = strings.TrimSpace(other)
		n := 0
		for n < len(line) && n < len(other) && line[n] == other[n] {
			n++
		}
		for m := 0; m < len(line)-n && m < len(other)-n && line[len(line)-1-m] == other[len(other)-1-m]; m++ {
			if n+m+1 > most {
				best, most = i, n+m+1
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}
