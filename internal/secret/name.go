// Package secret keeps the user's secrets from models, journals and children:
// it knows them by the names of their environment variables, masks their
// values in what is said, and holds their variables back from processes the
// agent starts.
//
// What it cannot know it does not hide: values of other variables, values
// under 8 bytes, and values in another coding (base64, percent-encoding,
// reversed, cut in two by a tool). Masking guards against accidents; a process
// that wants to smuggle a value out is kept from it by not having it.
package secret

import (
	"slices"
	"strings"
)

// words are what makes the name of a variable the name of a secret, in any
// case and anywhere in it.
const words = "KEY TOKEN SECRET PASSWORD"

// named reports whether a variable of that name holds a secret.
func named(name string) bool {
	upper := strings.ToUpper(name)
	for word := range strings.FieldsSeq(words) {
		if strings.Contains(upper, word) {
			return true
		}
	}
	return false
}

// listed compares without case, as Windows does.
func listed(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}
