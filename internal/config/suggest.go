package config

import (
	"strings"

	"github.com/seed-3e5a1d81/agent/internal/text"
)

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
		d := text.Distance(strings.ToLower(key), strings.ToLower(k.Name))
		part := strings.Contains(strings.ToLower(lastPart(k.Name)), last)
		if d < least && (part || d <= slips(ownPart(key, k.Name))) {
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

// ownPart is what key does not share with name: from the same table only the
// last part was spelled, and slips count there.
func ownPart(key, name string) string {
	last := lastPart(key)
	if strings.TrimSuffix(key, last) == strings.TrimSuffix(name, lastPart(name)) {
		return last
	}
	return key
}

func lastPart(key string) string { return key[strings.LastIndexAny(key, ". ")+1:] }
