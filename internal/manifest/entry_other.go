//go:build !linux

package manifest

import (
	"io/fs"
	"os"
)

// entryIn looks at a name in a directory.
func entryIn(_ *os.File, item fs.DirEntry, rel string) (Entry, error) {
	info, err := item.Info()
	if err != nil {
		return Entry{}, err
	}
	return entryOf(rel, info), nil
}
