package secret

import "strings"

// ChildEnviron returns the part of environ ("NAME=value") that a process the
// agent starts may have, in its order: shell, editor, pager, hook. Names count
// in any case. Held back are
//   - AGENT_…, always: they let a child speak for the agent or to its database;
//   - the names in drop, such as those of configured provider keys;
//   - names that hold KEY, TOKEN, SECRET or PASSWORD;
//   - ACTIONS_…, GITHUB_ENV, GITHUB_PATH and GITHUB_OUTPUT, through which a
//     child would steer the steps of a CI job that follow.
//
// A name in pass is let through whatever the last three say; only the user may
// fill that list, never a project. Environ is not changed.
func ChildEnviron(environ, pass, drop []string) []string {
	kept := make([]string, 0, len(environ))
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if passes(name, pass, drop) {
			kept = append(kept, pair)
		}
	}
	return kept
}

func passes(name string, pass, drop []string) bool {
	upper := strings.ToUpper(name)
	switch {
	case strings.HasPrefix(upper, "AGENT_"):
		return false
	case listed(pass, name):
		return true
	case listed(drop, name), named(name), strings.HasPrefix(upper, "ACTIONS_"):
		return false
	}
	return upper != "GITHUB_ENV" && upper != "GITHUB_PATH" && upper != "GITHUB_OUTPUT"
}
