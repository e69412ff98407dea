package atomicfile

import (
	"os"
	"strings"
	"time"
)

// Temporary files are called so, with a random text of base 32 between.
const (
	tempPrefix = ".agent-"
	tempSuffix = ".tmp"
)

// abandoned is how old a temporary file is that nobody will rename any more. A
// write takes moments, but its process may be stopped, or its machine asleep,
// and clocks differ. One that still comes back gets an error, and its file is
// as it was.
const abandoned = 24 * time.Hour

// looked is how many names of a directory are looked at, so that writing into
// one of very many files costs no more.
const looked = 1000

// sweep removes temporary files in dir that were written before the time, as a
// process that was killed leaves them. What cannot be removed stays.
func sweep(dir *os.Root, before time.Time) {
	d, err := dir.Open(".")
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(looked)
	for _, name := range names {
		if !isTemp(name) {
			continue
		}
		info, err := dir.Lstat(name)
		if err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			_ = dir.Remove(name)
		}
	}
}

// isTemp reports whether a name is one that rand.Text made: 26 characters.
func isTemp(name string) bool {
	rest, ours := strings.CutPrefix(name, tempPrefix)
	random, whole := strings.CutSuffix(rest, tempSuffix)
	return ours && whole && len(random) == 26 && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}
