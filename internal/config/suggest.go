package config

import "strings"

// suggestion returns the documented name that key was probably meant to be, ""
// if none is near: another case, the same last part elsewhere, a slip or two.
func suggestion(key string) string {
	const longest = 64 // a stranger's key must not cost time
	if len(key) > longest {
		return ""
	}
	best, least := "", slips(key)+1
	last := strings.ToLower(lastPart(key))
	for _, k := range Keys() {
		if k.Project == NoFile {
			continue
		}
		if strings.EqualFold(k.Name, key) {
			return k.Name
		}
		if d := distance(strings.ToLower(key), strings.ToLower(k.Name)); d < least {
			best, least = k.Name, d
		}
	}
	if best != "" {
		return best
	}
	for _, k := range Keys() {
		field := strings.HasPrefix(k.Name, ofMode) && !strings.HasPrefix(key, ofMode)
		if k.Project != NoFile && !field && strings.ToLower(lastPart(k.Name)) == last {
			return k.Name
		}
	}
	return ""
}

const ofMode = "[[modes]] "

// slips is how many letters of key may be wrong. From a short name by itself
// most others are only a few letters away.
func slips(key string) int {
	if len(key) < 5 {
		return max(0, len(key)-3)
	}
	return max(2, len(key)/4)
}

func lastPart(key string) string { return key[strings.LastIndexAny(key, ". ")+1:] }

// distance is the number of letters to add, drop or exchange.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
