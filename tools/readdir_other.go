//go:build !linux

package tools

import "os"

// entriesOf reads a directory.
func entriesOf(dir *os.Root) ([]dirEntry, error) {
	d, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := d.ReadDir(-1)
	entries := make([]dirEntry, len(all))
	for i, e := range all {
		entries[i] = dirEntry{name: e.Name(), typ: e.Type()}
	}
	return entries, err
}
